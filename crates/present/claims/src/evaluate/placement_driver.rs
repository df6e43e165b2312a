//! A placement driver that serves timestamps, in virtual time.

use simulate::{PdConstants, PdLoad, PdRun};
use units::{Bytes, Nanos};

use crate::error::ClaimError;
use crate::evaluator::{ClaimAnswer, EvaluationContext, Evaluator, RecipeFault};
use crate::rung::Rung;
use crate::value::ClaimValue;

/// Random seed (same seed, same result).
const SEED: u64 = 1;

/// `[placement-driver]`: metrics of each run, metric by metric.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct PlacementDriverRecipe {
    /// Timestamps a second that all clients want.
    timestamps: f64,
    /// Requests a second that the clients, each with one under way, would make without batching: their number follows.
    clients_for: f64,
    /// Hardware threads of the leader.
    threads: f64,
    /// Data behind the regions, one copy.
    data: Bytes,
    /// Measured time.
    span: Nanos,
    metrics: Vec<TimestampMetric>,
    runs: Vec<TimestampRun>,
}

/// Settings of a run.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct TimestampRun {
    /// `tidb_tso_client_batch_max_wait_time`.
    batch_wait: Nanos,
    /// `tso-update-physical-interval`.
    update_interval: Nanos,
    /// Size of a region.
    region: Bytes,
}

/// A number of a run.
#[derive(Debug, Clone, Copy, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
enum TimestampMetric {
    /// Requests a second.
    Requests,
    /// Busy hardware threads, in percent of one.
    CpuPercent,
    /// 99.9th percentile of a request's time at the placement driver, in milliseconds.
    HandleP999,
}

impl Evaluator for PlacementDriverRecipe {
    fn rung(&self) -> Rung {
        Rung::Simulate
    }

    fn check(&self) -> Result<(), RecipeFault> {
        for (key, number) in
            [("timestamps", self.timestamps), ("clients-for", self.clients_for), ("threads", self.threads)]
        {
            if !(number.is_finite() && number > 0.0) {
                return Err(RecipeFault::new(key, format!("`{key}` is {number}; expected over 0")));
            }
        }
        match self.runs.iter().position(|run| run.region.0 == 0) {
            Some(i) => {
                Err(RecipeFault::new(format!("runs.{i}.region"), "`region` is 0; expected a size such as \"96MiB\""))
            }
            None => Ok(()),
        }
    }

    fn answer(&self, _: &EvaluationContext<'_>) -> Result<ClaimAnswer, ClaimError> {
        let runs: Vec<PdRun> = self.runs.iter().map(|run| self.done(run, PdConstants::embedded())).collect();
        let numbers = self.metrics.iter().flat_map(|metric| runs.iter().map(|run| metric.of(run))).collect();
        Ok(ClaimValue::Numbers(numbers).into())
    }
}

impl PlacementDriverRecipe {
    fn done(&self, run: &TimestampRun, constants: &PdConstants) -> PdRun {
        let request = constants.round_trip + constants.client_overhead + constants.cpu_request;
        let load = PdLoad {
            timestamps: self.timestamps,
            clients: (self.clients_for * request) as u32,
            round_trip: Nanos::from_secs_f64(constants.round_trip),
            batch_wait: run.batch_wait,
            update_interval: run.update_interval,
            regions: self.data.as_f64() / run.region.as_f64(),
            threads: self.threads,
        };
        simulate::placement_driver(&load, constants, self.span, SEED)
    }
}

impl TimestampMetric {
    fn of(self, run: &PdRun) -> f64 {
        match self {
            Self::Requests => run.requests,
            Self::CpuPercent => run.busy * 100.0,
            Self::HandleP999 => run.handle_p999.as_millis_f64(),
        }
    }
}
