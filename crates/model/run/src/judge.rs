//! The judgement of a result against the targets of its workload.

use units::{Nanos, Ratio};
use workload::Targets;

use crate::RunResult;

/// A target that a run missed.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum TargetShortfall {
    /// Fewer operations than the target were served.
    #[error("{served:.0} {unit} of {target:.0} {unit} were served")]
    Throughput {
        /// The target, in its unit.
        target: f64,
        /// Served load, in the same unit.
        served: f64,
        /// The unit.
        unit: &'static str,
    },
    /// The 99th percentile is longer than its target; `None` if the run had no latency, which meets no target.
    #[error("the p99 is {}, of at most {target}", known(.measured))]
    P99 {
        /// The target.
        target: Nanos,
        /// The run's.
        measured: Option<Nanos>,
    },
    /// More operations failed than may.
    #[error("{:.1} % of the operations failed, of at most {:.1} %", 100.0 * .share.0, 100.0 * .may_fail.0)]
    Failures {
        /// Share of the operations that failed.
        share: Ratio,
        /// Share that may.
        may_fail: Ratio,
    },
}

fn known(measured: &Option<Nanos>) -> String {
    measured.map_or("unknown".to_owned(), |span| span.to_string())
}

/// Verdict on a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RunVerdict {
    /// The targets that it missed, in the order throughput, latency, failures; empty if it met all.
    pub shortfalls: Vec<TargetShortfall>,
}

impl RunVerdict {
    /// Whether all targets were met.
    pub fn is_met(&self) -> bool {
        self.shortfalls.is_empty()
    }
}

impl RunResult {
    /// Judges it against targets, without growth, which is room that a plan leaves and not load that a run has. `may_fail` is the
    /// share of operations that may fail.
    pub fn judge(&self, targets: &Targets, may_fail: Ratio) -> RunVerdict {
        let mut shortfalls = Vec::new();
        let (served, unit) = (self.throughput.in_unit(), self.throughput.unit.name);
        if served < self.rung.least_served() * targets.throughput {
            shortfalls.push(TargetShortfall::Throughput { target: targets.throughput, served, unit });
        }
        if let Some(target) = targets.p99 {
            let measured = self.latency.map(|latency| latency.p99);
            if measured.is_none_or(|measured| measured > target) {
                shortfalls.push(TargetShortfall::P99 { target, measured });
            }
        }
        if let Some(failures) = self.failures
            && failures.check(may_fail).is_err()
        {
            shortfalls.push(TargetShortfall::Failures { share: failures.share(), may_fail });
        }
        RunVerdict { shortfalls }
    }
}

#[cfg(test)]
mod tests {
    use workload::{AvailabilityTarget, ThroughputUnit};

    use super::*;
    use crate::{FailureCount, LatencyPercentiles, RunRung};

    const UNIT: ThroughputUnit = ThroughputUnit { name: "tpmC", per_operation: 27.0 };

    fn targets() -> Targets {
        Targets {
            throughput: 2700.0,
            p99: Some(Nanos::millis(20)),
            growth: 0.5,
            availability: AvailabilityTarget::Node,
            durability: None,
            consistency: None,
            capacity: None,
        }
    }

    fn run(operations_per_s: f64, p99: Nanos) -> RunResult {
        let latency = LatencyPercentiles { mean: None, p50: Nanos::millis(1), p99, p999: None };
        RunResult { latency: Some(latency), ..RunResult::new(RunRung::Measurement, operations_per_s, UNIT) }
    }

    #[test]
    fn a_run_is_judged_in_the_unit_of_its_target_and_without_growth() {
        assert!(run(100.0, Nanos::millis(20)).judge(&targets(), Ratio(0.05)).is_met());
        let missed = run(90.0, Nanos::millis(20)).judge(&targets(), Ratio(0.05)).shortfalls;
        assert_eq!(missed[0].to_string(), "2430 tpmC of 2700 tpmC were served");
    }

    #[test]
    fn a_latency_that_nobody_knows_meets_no_target() {
        let saturated = RunResult { latency: None, ..run(100.0, Nanos(0)) };
        let missed = saturated.judge(&targets(), Ratio(0.05)).shortfalls;
        assert_eq!(missed, [TargetShortfall::P99 { target: Nanos::millis(20), measured: None }]);
        assert!(missed[0].to_string().contains("unknown"));
    }

    #[test]
    fn a_fast_run_of_which_too_much_failed_misses() {
        let failures = Some(FailureCount { succeeded: 90, failed: 10 });
        let run = RunResult { failures, ..run(500.0, Nanos::millis(1)) };
        let missed = run.judge(&targets(), Ratio(0.05)).shortfalls;
        assert_eq!(missed, [TargetShortfall::Failures { share: Ratio(0.1), may_fail: Ratio(0.05) }]);
    }

    proptest::proptest! {
        #[test]
        fn more_throughput_never_misses_more(one in 0.0..1e6_f64, more in 0.0..1e6_f64) {
            let met = |rate| run(rate, Nanos::millis(1)).judge(&targets(), Ratio(0.05)).is_met();
            assert!(!met(one) || met(one + more));
        }
    }
}
