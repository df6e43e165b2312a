//! A measured run, with what its database tells.

use ::run::{LatencyPercentiles, OfferedLoad, RunResult, RunRung};
use timeline::{LatencyHistogram, Timeline};
use units::Nanos;
use workload::ThroughputUnit;

use crate::{EarlyEnd, LoopKind, RunReport};

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

    /// The result in the unit of its workload's target; `load` is that of the run's plan, without turns.
    pub fn as_run(&self, unit: ThroughputUnit, load: &LoopKind) -> RunResult {
        let latencies = self.latencies();
        let at = |share: f64| Nanos(latencies.value_at_quantile(share));
        let latency = (!latencies.is_empty()).then(|| LatencyPercentiles {
            mean: Some(Nanos(latencies.mean() as u64)),
            p50: at(0.5),
            p99: at(0.99),
            p999: Some(at(0.999)),
        });
        let mut run = RunResult::new(RunRung::Measurement, self.throughput(), unit);
        run.throughput.interval = self.report.throughput.map(|estimate| (estimate.low, estimate.high));
        run.offered = match load {
            LoopKind::Open { rate, .. } => Some(OfferedLoad { operations_per_s: *rate }),
            LoopKind::Closed { .. } => None,
        };
        run.latency = latency;
        run.failures = Some(self.report.failure_count());
        run
    }
}
