//! The controller of compactions: what crate `limiter` decides for each store, as changes of its rate.

mod disks;
mod engine;
mod host;
mod mounted;
mod part;
mod source;

use std::collections::BTreeMap;

use compaction_control::{CompactionLimiter, Constants, LimiterSignals, RateBounds, RateReason, WriteRate};
use serde_json::{Value, json};
use units::{Bytes, BytesPerSec};

pub use disks::{DiskSource, StoreDiskView};
pub use host::HostDisks;
pub use mounted::MountedDisks;
pub use part::PartialDisk;
pub use source::{LimitedStore, StoreMetrics, StoreSet};

use crate::value::amount;
use crate::{
    ActionProposal, ClockReading, ClusterSnapshot, Controller, PilotStep, Procedure, ProcedureEnding, ProcedureStage,
    at,
};

const RATE: &str = "rocksdb.rate-bytes-per-sec";
const TUNED: &str = "rocksdb.rate-limiter-auto-tuned";

/// Keeps the rate of flushes and compactions of each store at what its writes need and its disks have left. What it changes is
/// undone when the pilot ends.
#[derive(Debug)]
pub struct CompactionController {
    bounds: RateBounds,
    limiters: BTreeMap<u64, CompactionLimiter>,
}

impl CompactionController {
    /// Between two rates.
    pub fn new(bounds: RateBounds) -> Self {
        Self { bounds, limiters: BTreeMap::new() }
    }

    fn one(
        &mut self,
        now: ClockReading,
        (store, share): (u64, f64),
        signals: &LimiterSignals,
        config: &Value,
    ) -> Option<ActionProposal> {
        let is = at(config, RATE).and_then(amount)?;
        if is == 0.0 {
            let hint = "give it a rate in its file and restart it, and the pilot can change it";
            return Some(ActionProposal::tell(format!("store {store} began without a limit ({RATE} = 0): {hint}")));
        }
        let Some(tuned) = at(config, TUNED).and_then(Value::as_bool) else {
            let why = "whether TiKV tunes the rate itself is not known, and nothing is changed";
            return Some(ActionProposal::tell(format!(
                "store {store} does not tell its {TUNED} as true or false: {why}"
            )));
        };
        let bounds = self.bounds;
        let limiter =
            self.limiters.entry(store).or_insert_with(|| CompactionLimiter::new(bounds, *Constants::embedded()));
        limiter.found(now.mono, BytesPerSec(is));
        limiter.of_all_changes(share);
        let rate = limiter.tick(now.mono, signals)?;
        Some(proposal(store, is, &rate, tuned))
    }
}

impl Controller for CompactionController {
    fn name(&self) -> &'static str {
        "limiter"
    }

    fn decide(&mut self, now: ClockReading, seen: &ClusterSnapshot) -> Vec<ActionProposal> {
        let known =
            seen.signals.iter().filter_map(|(store, signals)| Some((*store, signals, seen.configs.get(store)?)));
        // The guard counts the changes of all stores together.
        let share = 1.0 / seen.signals.len().max(1) as f64;
        known.filter_map(|(store, signals, config)| self.one(now, (store, share), signals, config)).collect()
    }

    fn glances(&self) -> bool {
        true
    }
}

/// One step, and before it one that stops TiKV from tuning the rate below it.
fn proposal(store: u64, is: f64, rate: &WriteRate, tuned: bool) -> ActionProposal {
    let set =
        |key: &str, value: Value| ProcedureStage::Do(PilotStep::SetTikvConfig { store, key: key.to_owned(), value });
    let last = PilotStep::SetTikvConfig { store, key: RATE.to_owned(), value: json!(size(rate.rate.0)) };
    let mut procedure = Procedure::of_one(last, ProcedureEnding::WithPilot);
    if tuned {
        procedure.stages.insert(0, set(TUNED, json!(false)));
    }
    let reason = match rate.why {
        RateReason::Demand => format!("its writes and backlog need {}", mebibytes(rate.wanted.0)),
        RateReason::Supply(limit) => format!("{limit} leaves {} beside the foreground", mebibytes(rate.left.0)),
        RateReason::Flushes => "its flushes need it, however busy the disk is".to_owned(),
        RateReason::Urgent => format!("flow control is near ({:.0} % of the way)", rate.urgency * 100.0),
        RateReason::Bound => "no less or no more is allowed".to_owned(),
    };
    let expects = json!({
        "left_bytes_per_s": finite(rate.left.0), "wanted_bytes_per_s": finite(rate.wanted.0), "urgency": rate.urgency,
    });
    let reason =
        format!("{reason}; flushes and compactions of store {store} had {}{}", mebibytes(is), credit(is, rate.rate.0));
    ActionProposal { expects, ..ActionProposal::act(reason, procedure) }
}

/// RocksDB's limiter grants a period's bytes at once (`rocksdb.rate-limiter-refill-period`, 100 ms) and the next ones when those are
/// used up, whatever the rate has become meanwhile (librocksdb-sys 11.8.1, util/rate_limiter.cc, RefillBytesAndGrantRequestsLocked).
const REFILL: f64 = 0.1;
/// Who waits longer than so many seconds for a lower rate to hold is told.
const SOON: f64 = 1.0;

/// What passes before a lower rate holds, where that is much.
fn credit(is: f64, to: f64) -> String {
    let credit = is * REFILL;
    if credit <= SOON * to {
        return String::new();
    }
    format!(
        "; up to {} pass before the new rate holds, which are a tenth of a second of the old one",
        mebibytes(credit)
    )
}

/// As TiKV reads sizes, down to whole kibibytes; at least a mebibyte, for nothing would be no limit.
fn size(rate: f64) -> String {
    let kib = (rate / Bytes::kib(1).as_f64()).floor().max(1024.0) as u64;
    if kib.is_multiple_of(1024) { format!("{}MiB", kib / 1024) } else { format!("{kib}KiB") }
}

/// For people: down to whole mebibytes, at least one.
fn mebibytes(rate: f64) -> String {
    let unit = Bytes::mib(1).as_f64();
    format!("{:.0}MiB", (rate / unit).floor().max(1.0))
}

/// Without limits there is no number to tell.
fn finite(rate: f64) -> Option<f64> {
    rate.is_finite().then_some(rate)
}

#[cfg(test)]
mod tests;
