//! Runs of fio, done again on the model.

use std::path::Path;

use units::{Iops, Nanos};

use super::fio_runs::{FioResults, FioRun, MeasuredSide};
use super::{AgainstError, ErrorSpread, ModelledDisk};
use crate::fio::{JobDirection, JobRunner};

/// One direction of one run, measured and modelled.
#[derive(Debug, Clone, PartialEq)]
pub struct RunComparison {
    /// The run's name.
    pub run: String,
    /// Whether writes are compared, not reads.
    pub writes: bool,
    /// As measured.
    pub measured: MeasuredSide,
    /// The model's rate.
    pub iops: Iops,
    /// The model's latencies, as [`MeasuredSide::latencies`].
    pub latencies: [Nanos; 5],
}

impl RunComparison {
    /// The relative error of the rate.
    pub fn rate_error(&self) -> f64 {
        self.iops.0 / self.measured.iops.0 - 1.0
    }

    /// The relative errors of the latencies that were measured.
    pub fn latency_errors(&self) -> [Option<f64>; 5] {
        std::array::from_fn(|i| {
            self.measured.latencies[i].map(|measured| self.latencies[i].0 as f64 / measured.0 as f64 - 1.0)
        })
    }
}

/// Runs of fio beside the model.
#[derive(Debug, Clone, PartialEq)]
pub struct RunsComparison {
    /// Every run that is of the disk.
    pub runs: Vec<RunComparison>,
    /// Runs of other volumes, left out.
    pub left_out: usize,
}

impl RunsComparison {
    /// Does the runs in their order on one disk, which keeps its credits and buckets between them as the real one did.
    pub(super) fn of(
        results: &FioResults,
        disk: &ModelledDisk,
        told: &mut dyn FnMut(usize, usize),
    ) -> Result<Self, AgainstError> {
        let chosen: Vec<&FioRun> = results.runs.iter().filter(|run| disk.is_of(run)).collect();
        if chosen.is_empty() {
            let volumes: std::collections::BTreeSet<&str> = results.runs.iter().map(|run| run.name.as_str()).collect();
            let some: Vec<&str> = volumes.into_iter().take(4).collect();
            let what = format!("none of its runs is of {}: name the disk of one of {} …", disk.name, some.join("; "));
            return Err(AgainstError::new(Path::new("results"), None, what));
        }
        let mut twin = disk.fresh();
        let mut runs = Vec::new();
        for (index, run) in chosen.iter().enumerate() {
            told(index, chosen.len());
            let report = twin.run(&run.jobs).map(|report| report.total()).unwrap_or(crate::fio::JobReport::NONE);
            for (side, modelled) in [&report.read, &report.write].into_iter().enumerate() {
                if let Some(measured) = run.measured[side] {
                    runs.push(compare(run, side == 1, measured, modelled));
                }
            }
        }
        Ok(Self { runs, left_out: results.runs.len() - chosen.len() })
    }

    /// The spread of the rates' errors.
    pub fn rate(&self) -> Option<ErrorSpread> {
        ErrorSpread::of(self.runs.iter().map(RunComparison::rate_error))
    }

    /// The spread of the errors of each latency, as [`MeasuredSide::QUANTITIES`].
    pub fn latencies(&self) -> [Option<ErrorSpread>; 5] {
        std::array::from_fn(|i| ErrorSpread::of(self.runs.iter().filter_map(|run| run.latency_errors()[i])))
    }
}

fn compare(run: &FioRun, writes: bool, measured: MeasuredSide, modelled: &JobDirection) -> RunComparison {
    let latencies = modelled.latency.as_ref().map_or([Nanos(0); 5], |l| [l.mean, l.p50, l.p95, l.p99, l.p999]);
    RunComparison { run: run.name.clone(), writes, measured, iops: modelled.iops, latencies }
}
