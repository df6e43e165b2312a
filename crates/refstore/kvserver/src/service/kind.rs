//! The kinds of requests, and how each says that it failed.

use proto::errorpb;
use proto::kvrpcpb::{
    Context, KeyError, KvPair, RawBatchDeleteResponse, RawBatchGetResponse, RawBatchPutResponse, RawBatchScanResponse,
    RawDeleteRangeResponse, RawDeleteResponse, RawGetResponse, RawPutResponse, RawScanResponse,
};
use proto::tikvpb::batch_commands_request::request::Cmd as Ask;
use proto::tikvpb::batch_commands_response::Response;
use proto::tikvpb::batch_commands_response::response::Cmd as Answer;
use raftstore::{Refusal, StateError};

/// A kind of request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Get,
    BatchGet,
    Scan,
    BatchScan,
    Put,
    BatchPut,
    Delete,
    BatchDelete,
    DeleteRange,
    CompareAndSwap,
    Checksum,
}

impl Kind {
    /// All, in their order.
    pub(crate) const ALL: [Self; 11] = [
        Self::Get,
        Self::BatchGet,
        Self::Scan,
        Self::BatchScan,
        Self::Put,
        Self::BatchPut,
        Self::Delete,
        Self::BatchDelete,
        Self::DeleteRange,
        Self::CompareAndSwap,
        Self::Checksum,
    ];

    /// TiKV's label of it: `GrpcTypeKind` in `src/server/metrics.rs`.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Get => "raw_get",
            Self::BatchGet => "raw_batch_get",
            Self::Scan => "raw_scan",
            Self::BatchScan => "raw_batch_scan",
            Self::Put => "raw_put",
            Self::BatchPut => "raw_batch_put",
            Self::Delete => "raw_delete",
            Self::BatchDelete => "raw_batch_delete",
            Self::DeleteRange => "raw_delete_range",
            Self::CompareAndSwap => "raw_compare_and_swap",
            Self::Checksum => "raw_checksum",
        }
    }

    /// The kind of a request that reads or writes keys.
    pub(crate) fn of(ask: &Ask) -> Option<Self> {
        Some(match ask {
            Ask::RawGet(_) => Self::Get,
            Ask::RawBatchGet(_) => Self::BatchGet,
            Ask::RawScan(_) => Self::Scan,
            Ask::RawBatchScan(_) => Self::BatchScan,
            Ask::RawPut(_) => Self::Put,
            Ask::RawBatchPut(_) => Self::BatchPut,
            Ask::RawDelete(_) => Self::Delete,
            Ask::RawBatchDelete(_) => Self::BatchDelete,
            Ask::RawDeleteRange(_) => Self::DeleteRange,
            Ask::RawCoprocessor(_) | Ask::GetHealthFeedback(_) | Ask::Empty(_) => return None,
        })
    }

    /// Whether it only reads.
    pub(crate) fn reads(self) -> bool {
        matches!(self, Self::Get | Self::BatchGet | Self::Scan | Self::BatchScan)
    }
}

/// What a request is about: region, replica, term.
pub(crate) fn context(ask: &Ask) -> Option<&Context> {
    match ask {
        Ask::RawGet(ask) => ask.context.as_ref(),
        Ask::RawBatchGet(ask) => ask.context.as_ref(),
        Ask::RawScan(ask) => ask.context.as_ref(),
        Ask::RawBatchScan(ask) => ask.context.as_ref(),
        Ask::RawPut(ask) => ask.context.as_ref(),
        Ask::RawBatchPut(ask) => ask.context.as_ref(),
        Ask::RawDelete(ask) => ask.context.as_ref(),
        Ask::RawBatchDelete(ask) => ask.context.as_ref(),
        Ask::RawDeleteRange(ask) => ask.context.as_ref(),
        Ask::RawCoprocessor(_) | Ask::GetHealthFeedback(_) | Ask::Empty(_) => None,
    }
}

/// Why a request failed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Fault {
    /// Not done; the client may try elsewhere or again.
    Region(Box<errorpb::Error>),
    /// For the person.
    Text(String),
}

impl Fault {
    /// The store has too much to do, or is broken.
    pub(crate) fn busy(reason: impl Into<String>) -> Self {
        let reason = reason.into();
        let message = format!("server is busy: {reason}");
        let server_is_busy = Some(errorpb::ServerIsBusy { reason, ..Default::default() });
        Self::Region(Box::new(errorpb::Error { message, server_is_busy, ..Default::default() }))
    }

    /// The parts of an answer: region error, text.
    pub(crate) fn parts(self) -> (Option<Box<errorpb::Error>>, String) {
        match self {
            Self::Region(error) => (Some(error), String::new()),
            Self::Text(text) => (None, text),
        }
    }

    /// The parts of an answer without a text: the text becomes a pair.
    fn pairs(self) -> (Option<Box<errorpb::Error>>, Vec<KvPair>) {
        match self {
            Self::Region(error) => (Some(error), Vec::new()),
            Self::Text(abort) => {
                let error = Some(KeyError { abort, ..Default::default() });
                (None, vec![KvPair { error, ..Default::default() }])
            }
        }
    }
}

impl From<Refusal> for Fault {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Region(error) => Self::Region(error),
            Refusal::Unknown(text) => Self::Text(text),
        }
    }
}

impl From<StateError> for Fault {
    /// Another replica has another disk: the client should try there.
    fn from(error: StateError) -> Self {
        Self::busy(error.to_string())
    }
}

/// The answer to a request that is done, if it has no more to say than that, or failed.
pub(crate) fn answer(kind: Kind, outcome: Result<(), Fault>) -> Response {
    let fault = outcome.err();
    macro_rules! said {
        ($cmd:ident, $response:ident) => {{
            let (region_error, error) = fault.map_or_else(Default::default, Fault::parts);
            Some(Answer::$cmd($response { region_error, error }))
        }};
        ($cmd:ident, $response:ident, $pairs:ident) => {{
            let (region_error, $pairs) = fault.map_or_else(Default::default, Fault::pairs);
            Some(Answer::$cmd($response { region_error, $pairs }))
        }};
    }
    let cmd = match kind {
        Kind::Get => {
            let (region_error, error) = fault.map_or_else(Default::default, Fault::parts);
            Some(Answer::RawGet(RawGetResponse { region_error, error, ..Default::default() }))
        }
        Kind::BatchGet => said!(RawBatchGet, RawBatchGetResponse, pairs),
        Kind::Scan => said!(RawScan, RawScanResponse, kvs),
        Kind::BatchScan => said!(RawBatchScan, RawBatchScanResponse, kvs),
        Kind::Put => said!(RawPut, RawPutResponse),
        Kind::BatchPut => said!(RawBatchPut, RawBatchPutResponse),
        Kind::Delete => said!(RawDelete, RawDeleteResponse),
        Kind::BatchDelete => said!(RawBatchDelete, RawBatchDeleteResponse),
        Kind::DeleteRange => said!(RawDeleteRange, RawDeleteRangeResponse),
        // They do not come in a batch.
        Kind::CompareAndSwap | Kind::Checksum => None,
    };
    Response { cmd }
}
