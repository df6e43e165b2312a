//! Requests as stores understand them, and what their answers mean.

use bytes::Bytes;
use proto::errorpb;
use proto::kvrpcpb::{
    Context, KvPair, RawBatchPutRequest, RawCasRequest, RawCasResponse, RawDeleteRequest, RawGetRequest, RawPutRequest,
    RawScanRequest,
};
use proto::tikvpb::batch_commands_request::request::Cmd;
use proto::tikvpb::batch_commands_response::response::Cmd as Answer;

use crate::{RawRequest, RawResponse};

/// A request as stores understand it.
pub(crate) enum Command {
    /// One of many in a batch.
    Batched(Cmd),
    /// One that stores take only by itself.
    Single(RawCasRequest),
}

/// The request for a region that ends at `end`.
pub(crate) fn encode(request: &RawRequest, context: Context, end: &Bytes, for_cas: bool) -> Command {
    let context = Some(context);
    let cf = String::new();
    Command::Batched(match request.clone() {
        RawRequest::Get(key) => Cmd::RawGet(RawGetRequest { context, key, cf }),
        RawRequest::Put(key, value) => Cmd::RawPut(RawPutRequest { context, key, value, cf, ttl: 0, for_cas }),
        RawRequest::Delete(key) => Cmd::RawDelete(RawDeleteRequest { context, key, cf, for_cas }),
        RawRequest::BatchPut(pairs) => {
            let pairs = pairs.into_iter().map(|(key, value)| KvPair { error: None, key, value }).collect();
            Cmd::RawBatchPut(RawBatchPutRequest { context, pairs, cf, ttl: 0, for_cas, ttls: Vec::new() })
        }
        RawRequest::Scan { from, until, limit } => Cmd::RawScan(RawScanRequest {
            context,
            start_key: from,
            limit,
            key_only: false,
            cf,
            reverse: false,
            end_key: if until.is_empty() || (!end.is_empty() && *end < until) { end.clone() } else { until },
        }),
        RawRequest::CompareAndSwap { key, expected, value } => {
            return Command::Single(RawCasRequest {
                context,
                key,
                value,
                previous_not_exist: expected.is_none(),
                previous_value: expected.unwrap_or_default(),
                cf,
                ttl: 0,
            });
        }
    })
}

/// Bytes of a request, without its small fields.
pub(crate) fn size(request: &RawRequest) -> usize {
    match request {
        RawRequest::Put(key, value) => key.len() + value.len(),
        RawRequest::BatchPut(pairs) => pairs.iter().map(|(key, value)| key.len() + value.len()).sum(),
        _ => 0,
    }
}

/// What a store says to a request.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// It is done.
    Done(RawResponse),
    /// The region is not there, or not able: certainly not done.
    Region(Box<errorpb::Error>),
    /// It failed in the store, in words: perhaps done.
    Failed(String),
}

fn outcome(region: Option<Box<errorpb::Error>>, fault: String, done: impl FnOnce() -> RawResponse) -> Outcome {
    match region {
        Some(error) => Outcome::Region(error),
        None if !fault.is_empty() => Outcome::Failed(fault),
        None => Outcome::Done(done()),
    }
}

/// What an answer in a batch says; nothing to an answer that nobody asks for.
pub(crate) fn decode(answer: Answer) -> Option<Outcome> {
    Some(match answer {
        Answer::RawGet(got) => {
            outcome(got.region_error, got.error, || RawResponse::Value((!got.not_found).then_some(got.value)))
        }
        Answer::RawPut(put) => outcome(put.region_error, put.error, || RawResponse::Done),
        Answer::RawDelete(deleted) => outcome(deleted.region_error, deleted.error, || RawResponse::Done),
        Answer::RawBatchPut(put) => outcome(put.region_error, put.error, || RawResponse::Done),
        Answer::RawScan(scanned) => {
            let faulty = scanned.kvs.iter().find_map(|pair| pair.error.as_ref());
            let fault = faulty.map(|error| format!("{}{}", error.abort, error.retryable)).unwrap_or_default();
            outcome(scanned.region_error, fault, || {
                RawResponse::Pairs(scanned.kvs.into_iter().map(|pair| (pair.key, pair.value)).collect())
            })
        }
        _ => return None,
    })
}

/// What the answer to a compare-and-swap says.
pub(crate) fn decode_swap(answer: RawCasResponse) -> Outcome {
    outcome(answer.region_error, answer.error, || RawResponse::Swapped {
        succeeded: answer.succeed,
        previous: (!answer.previous_not_exist).then_some(answer.previous_value),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scan_end(until: &'static str, end: &'static str) -> Bytes {
        let request = RawRequest::Scan { from: Bytes::new(), until: until.into(), limit: 9 };
        match encode(&request, Context::default(), &end.into(), false) {
            Command::Batched(Cmd::RawScan(scan)) => scan.end_key,
            _ => unreachable!("a scan is a scan"),
        }
    }

    #[test]
    fn a_scan_ends_where_its_region_or_its_range_ends() {
        assert_eq!([scan_end("", ""), scan_end("m", ""), scan_end("", "k")], ["", "m", "k"]);
        assert_eq!([scan_end("m", "k"), scan_end("b", "k")], ["k", "b"]);
    }

    #[test]
    fn an_error_in_words_is_not_a_value() {
        let got = proto::kvrpcpb::RawGetResponse { error: "disk".into(), not_found: true, ..Default::default() };
        assert!(matches!(decode(Answer::RawGet(got)), Some(Outcome::Failed(fault)) if fault == "disk"));
    }
}
