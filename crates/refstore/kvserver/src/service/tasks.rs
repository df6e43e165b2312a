//! What the threads of the service are given to do.

use std::sync::Arc;
use std::time::Instant;

use proto::kvrpcpb::{RawCasRequest, RawCasResponse, RawChecksumRequest, RawChecksumResponse};
use proto::tikvpb::batch_commands_request::request::Cmd as Ask;
use tokio::sync::oneshot;

use super::outbox::Outbox;

/// What the threads that read do.
pub(crate) enum ReadTask {
    /// Keys that came in one message.
    Keys(Read),
    /// A checksum, which comes alone.
    Checksum(Checksum),
}

/// Reads of one client.
pub(crate) struct Read {
    /// Where answers go.
    pub(crate) to: Arc<Outbox>,
    /// When they came.
    pub(crate) since: Instant,
    /// What is asked, each with its id in the message.
    pub(crate) asks: Vec<(u64, Ask)>,
    /// Leave to read them, if there is: it holds until a range is replaced.
    pub(crate) leave: Option<u64>,
}

/// A checksum that a client asks for.
pub(crate) struct Checksum {
    /// Where the answer goes.
    pub(crate) to: oneshot::Sender<RawChecksumResponse>,
    /// When it came.
    pub(crate) since: Instant,
    /// What is asked.
    pub(crate) ask: Box<RawChecksumRequest>,
    /// Leave to read, if there is, as for [`Read`].
    pub(crate) leave: Option<u64>,
}

/// Writes of one client.
pub(crate) enum Write {
    /// What came in one message.
    Batch {
        /// Where answers go.
        to: Arc<Outbox>,
        /// When they came.
        since: Instant,
        /// What is asked, each with its id in the message.
        asks: Vec<(u64, Ask)>,
    },
    /// A compare and swap, which comes alone.
    Swap {
        /// Where the answer goes.
        to: oneshot::Sender<RawCasResponse>,
        /// When it came.
        since: Instant,
        /// What is asked.
        ask: Box<RawCasRequest>,
    },
}
