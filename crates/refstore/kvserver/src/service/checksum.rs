//! Checksums of raw keys: the CRC-64 of each key with its value, combined by exclusive or, as of one moment.

use std::sync::Arc;

use crc64fast::Digest;
use proto::kvrpcpb::{ChecksumAlgorithm, Context, RawChecksumRequest, RawChecksumResponse};
use raftstore::{ColumnFamily, Refusal, StateError};

use super::keys;
use super::kind::{Fault, Kind};
use super::metrics::METRICS;
use super::shared::Shared;
use super::tasks::{Checksum, ReadTask};

impl Checksum {
    fn answer(self, outcome: Result<RawChecksumResponse, Fault>) {
        METRICS.read(Kind::Checksum, self.since.elapsed());
        let response = outcome.unwrap_or_else(|fault| {
            let (region_error, error) = fault.parts();
            RawChecksumResponse { region_error, error, ..Default::default() }
        });
        // A client that does not wait any more does not get it.
        let _ = self.to.send(response);
    }
}

/// Answers a checksum, or lets it come back once it may be read.
pub(crate) fn run(shared: &Arc<Shared>, task: Checksum) {
    let Some(leave) = task.leave else {
        return ask_leave(shared, task);
    };
    let outcome = compute(shared, &task.ask);
    if shared.replicas.wipes() == leave {
        return task.answer(outcome);
    }
    // A range was replaced under it.
    let _ = shared.reads.send(Some(ReadTask::Checksum(Checksum { leave: None, ..task })));
}

fn ask_leave(shared: &Arc<Shared>, task: Checksum) {
    if task.ask.algorithm != ChecksumAlgorithm::Crc64Xor as i32 {
        let text = format!("unknown checksum algorithm {}; there is 0, Crc64_Xor", task.ask.algorithm);
        return task.answer(Err(Fault::Text(text)));
    }
    let asked = task.ask.context.clone().unwrap_or_default();
    let wipes = shared.replicas.wipes();
    let now = keys::api(&asked).and_then(|()| Ok(shared.replicas.read_now(&asked)?));
    match now {
        Err(fault) => task.answer(Err(fault)),
        Ok(true) => run(shared, Checksum { leave: Some(wipes), ..task }),
        Ok(false) => {
            let again = Arc::downgrade(shared);
            let done = move |outcome: Result<(), Refusal>| match (outcome, again.upgrade()) {
                (Ok(()), Some(shared)) => {
                    let _ = shared.reads.send(Some(ReadTask::Checksum(Checksum { leave: Some(wipes), ..task })));
                }
                (Ok(()), None) => task.answer(Err(Fault::busy("the store stops"))),
                (Err(refusal), _) => task.answer(Err(refusal.into())),
            };
            shared.replicas.read_later(&asked, Box::new(done));
        }
    }
}

fn compute(shared: &Shared, ask: &RawChecksumRequest) -> Result<RawChecksumResponse, Fault> {
    let id = ask.context.as_ref().map_or(0, |context: &Context| context.region_id);
    let region = shared.replicas.region(id).ok_or_else(|| keys::unknown_region(id))?;
    let mut ranges = Vec::with_capacity(ask.ranges.len());
    for range in &ask.ranges {
        keys::inside(&range.start_key, &region)?;
        if let Some((from, until)) = keys::clipped(&range.start_key, &range.end_key, &region) {
            ranges.push((ColumnFamily::Default, keys::stored(from), keys::stored_end(until)));
        }
    }
    let mut sum = RawChecksumResponse::default();
    let mut add = |_, key: bytes::Bytes, value: bytes::Bytes| -> Result<(), StateError> {
        let key = keys::shown(&key);
        let mut digest = Digest::new();
        digest.write(&key);
        digest.write(&value);
        sum.checksum ^= digest.sum64();
        sum.total_kvs += 1;
        sum.total_bytes += (key.len() + value.len()) as u64;
        Ok(())
    };
    shared.state.export(&ranges, &mut add)?;
    Ok(sum)
}
