//! The result of a run at any rung.

use units::{Nanos, Ratio};
use workload::ThroughputUnit;

use crate::{FailureCount, OfferedLoad};

/// How a result was found. Each rung costs more than the one before, and is nearer to the truth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RunRung {
    /// By the analytic model, in microseconds.
    Model,
    /// Event by event in virtual time.
    Simulation,
    /// On a real engine in real time.
    Measurement,
}

/// Result of a workload on a deployment.
#[derive(Debug, Clone, PartialEq)]
pub struct RunResult {
    /// How it was found.
    pub rung: RunRung,
    /// Operations that were served.
    pub throughput: RunThroughput,
    /// The load of an open loop; `None` for clients that wait for their answers.
    pub offered: Option<OfferedLoad>,
    /// Latencies of operations; `None` where nothing was served, or where they have no meaning because the run is saturated.
    pub latency: Option<LatencyPercentiles>,
    /// Operations that succeeded and failed; `None` where none can fail.
    pub failures: Option<FailureCount>,
    /// The limits of which the largest share was in use, or that held operations up for the largest share of the time; the largest
    /// first.
    pub limits: Vec<LimitUse>,
    /// Share of the time in which operations could be served; `None` where that is not known.
    pub availability: Option<Ratio>,
}

/// Operations a second, with the unit in which the workload's target is given.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RunThroughput {
    /// Operations that were served, a second.
    pub operations_per_s: f64,
    /// The ends of its 95 % interval; `None` where it is exact or the run was too short to tell.
    pub interval: Option<(f64, f64)>,
    /// The unit of the workload's target.
    pub unit: ThroughputUnit,
}

impl RunThroughput {
    /// In the unit of the workload's target.
    pub fn in_unit(&self) -> f64 {
        self.operations_per_s * self.unit.per_operation
    }
}

/// Latencies of operations, from their intended start in an open loop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LatencyPercentiles {
    /// Mean, where it is known.
    pub mean: Option<Nanos>,
    /// Median.
    pub p50: Nanos,
    /// 99th percentile.
    pub p99: Nanos,
    /// 99.9th percentile, where it is known.
    pub p999: Option<Nanos>,
}

/// A limit and the use of it.
#[derive(Debug, Clone, PartialEq)]
pub struct LimitUse {
    /// The limit: `data disk: volume throughput`, `CPU`.
    pub limit: String,
    /// Share of it in use, or of the time in which it held operations up, 0 to 1.
    pub share: f64,
}

impl RunResult {
    /// A result of nothing but a throughput.
    pub fn new(rung: RunRung, operations_per_s: f64, unit: ThroughputUnit) -> Self {
        Self {
            rung,
            throughput: RunThroughput { operations_per_s, interval: None, unit },
            offered: None,
            latency: None,
            failures: None,
            limits: Vec::new(),
            availability: None,
        }
    }

    /// Whether it served what an open loop offered; a closed loop offers no more than is served.
    pub fn serves_offered_load(&self) -> bool {
        self.offered.is_none_or(|offered| offered.is_served(self.rung, self.throughput.operations_per_s))
    }
}
