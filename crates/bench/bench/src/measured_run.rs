//! A measured run, with what its database tells.

use timeline::{LatencyHistogram, Timeline};
use units::Nanos;

use crate::{EarlyEnd, RunReport};

/// A measured run. `C` are the counters of its database, `F` is what only that database tells.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredRun<C, F> {
    /// The driver's numbers.
    pub report: RunReport,
    /// Second by second: operations, latencies, disks, engine.
    pub timeline: Timeline,
    /// Start of the measured part, from the Timeline's start.
    pub from: Nanos,
    /// Its end.
    pub until: Nanos,
    /// What was used of the database while it was measured.
    pub used: C,
    /// Why the database ended the run before its time, if it did.
    pub ended: Option<EarlyEnd>,
    /// What only this database tells.
    pub findings: F,
}

impl<F> MeasuredRun<(), F> {
    /// The same with counters.
    pub(crate) fn with_counters<C>(self, used: C) -> MeasuredRun<C, F> {
        let Self { report, timeline, from, until, used: (), ended, findings } = self;
        MeasuredRun { report, timeline, from, until, used, ended, findings }
    }
}

impl<C, F> MeasuredRun<C, F> {
    /// What the disk that was full said, if one was.
    pub fn full(&self) -> Option<&str> {
        self.ended.as_ref().filter(|ended| ended.is_full).map(|ended| ended.reason.as_str())
    }

    /// Operations that succeeded, a second of the measured time.
    pub fn throughput(&self) -> f64 {
        self.report.operations as f64 / self.report.measured_s.max(f64::MIN_POSITIVE)
    }

    /// Latencies of all kinds of operation while it was measured, from their intended start.
    pub fn latencies(&self) -> LatencyHistogram {
        let mut all = timeline::latencies();
        for series in self.timeline.series.iter().filter(|series| series.name == "latency") {
            if let Some(some) = series.latencies(self.from, self.until) {
                // Both have the bounds that all latencies have.
                let _ = all.add(some);
            }
        }
        all
    }

    /// What the series of a name amount to on the disks of a role, `data` or `raft`, of all nodes together.
    pub fn disks(&self, name: &str, role: &str) -> f64 {
        let of = |series: &&timeline::Series| {
            series.name == name && series.labels.get("disk").map(String::as_str) == Some(role)
        };
        let series = self.timeline.series.iter().filter(of);
        series.filter_map(|series| series.value(self.from, self.until)).sum()
    }
}
