//! Requests to a store, not to one of its regions' keys: answered as TiKV does where ranges are cut once and nobody runs
//! transactions.

use proto::errorpb;
use proto::kvrpcpb::{
    GetHealthFeedbackResponse, SplitRegionRequest, SplitRegionResponse, UnsafeDestroyRangeRequest,
    UnsafeDestroyRangeResponse,
};
use raftstore::{ColumnFamily, StateChange};

use super::keys;
use super::kind::Fault;
use super::shared::Shared;

/// Goes after TiKV's words for a split that failed.
const NO_SPLIT: &str = "failed to split: the ranges of this store are cut once, when the cluster begins (diskwright-pd --regions, \
                        --split-keys)";
/// TiKV asserts it, and answers nothing (`src/server/service/kv.rs`).
const UNBOUNDED: &str = "a range to destroy has no start or no end: give both";

/// The slow score, for a client that asks for it.
pub(crate) fn feedback(shared: &Shared) -> GetHealthFeedbackResponse {
    GetHealthFeedbackResponse {
        health_feedback: Some(shared.feedback.next(&*shared.replicas)),
        ..GetHealthFeedbackResponse::default()
    }
}

/// Refuses a split: where the request should not have come here, with what says so.
pub(crate) fn split(shared: &Shared, ask: &SplitRegionRequest) -> SplitRegionResponse {
    let asked = ask.context.clone().unwrap_or_default();
    let fault = shared.replicas.read_now(&asked).map_or_else(Fault::from, |_| Fault::Text(NO_SPLIT.to_owned()));
    let (region_error, message) = fault.parts();
    let region_error = region_error.or_else(|| Some(Box::new(errorpb::Error { message, ..errorpb::Error::default() })));
    SplitRegionResponse { region_error, ..SplitRegionResponse::default() }
}

/// Deletes all keys of a range on this node alone, past raft. Blocks.
pub(crate) fn destroy(shared: &Shared, ask: &UnsafeDestroyRangeRequest) -> UnsafeDestroyRangeResponse {
    let outcome = if ask.start_key.is_empty() || ask.end_key.is_empty() {
        Err(UNBOUNDED.to_owned())
    } else {
        let families = ColumnFamily::ALL.into_iter().filter(|cf| *cf != ColumnFamily::Raft);
        let changes: Vec<_> = families
            .map(|cf| StateChange::DeleteRange(cf, keys::stored(&ask.start_key), keys::stored(&ask.end_key)))
            .collect();
        shared.state.write(&changes).map_err(|error| error.to_string())
    };
    UnsafeDestroyRangeResponse { error: outcome.err().unwrap_or_default(), ..UnsafeDestroyRangeResponse::default() }
}
