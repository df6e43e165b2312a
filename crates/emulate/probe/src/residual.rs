//! How far the fitted disk is from each measurement: the same jobs, run on the disk model in virtual time.

use units::{Bytes, Nanos};

use crate::ProbeError;
use crate::fio::{FioJob, JobDirection, JobReport, JobRunner};
use crate::fit::FittedDisk;
use crate::session::ProbeMeasurement;
use crate::twin::Twin;

/// A measurement beside what the fitted disk predicts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FitResidual {
    /// The step's name.
    pub step: &'static str,
    /// What of it, with its unit: `iops`, `read_p50_us`, `write_p95_us`, `flush_p50_us`.
    pub quantity: &'static str,
    /// As measured.
    pub measured: f64,
    /// By the model with the fitted limits.
    pub predicted: f64,
}

impl FitResidual {
    /// The prediction's error, as a share of what was measured.
    pub fn error(&self) -> f64 {
        self.predicted / self.measured - 1.0
    }
}

/// Requests that a prediction needs for a stable 95th percentile; more take time and tell nothing.
const ENOUGH: f64 = 20_000.0;
/// The least time for which a prediction runs.
const LEAST: Nanos = Nanos::millis(500);

/// Predicts every measurement. `size` is the range that was worked on.
pub(crate) fn residuals(
    measurements: &[ProbeMeasurement],
    fitted: &FittedDisk,
    size: Bytes,
    seed: u64,
) -> Result<Vec<FitResidual>, ProbeError> {
    let mut all = Vec::new();
    for step in measurements {
        let measured = step.total();
        let enough = Nanos::from_secs_f64(ENOUGH / measured.iops().0.max(1.0)).max(LEAST);
        let shorter = |job: &FioJob| FioJob { runtime: job.runtime.map(|time| time.min(enough)), ..job.clone() };
        let jobs: Vec<_> = step.jobs.iter().map(shorter).collect();
        // Every step on a disk of its own: the first steps do not depend on what later ones left.
        let predicted = Twin::new(fitted.limits(size), size, seed).run(&jobs)?.total();
        let paced = step.jobs.iter().any(|job| job.rate_iops.is_some());
        all.extend(compare(step.name, paced, &measured, &predicted));
    }
    Ok(all)
}

fn compare(
    step: &'static str,
    paced: bool,
    measured: &JobReport,
    predicted: &JobReport,
) -> impl Iterator<Item = FitResidual> {
    let us = |time: Nanos| time.0 as f64 / 1e3;
    let latency = |side: fn(&JobReport) -> &JobDirection, percent: f64| {
        let of = |report| side(report).latency.as_ref().map(|l| us(l.percentile(percent)));
        of(measured).zip(of(predicted))
    };
    let read: fn(&JobReport) -> &JobDirection = |r| &r.read;
    let write: fn(&JobReport) -> &JobDirection = |r| &r.write;
    let sync = measured.sync.as_ref().zip(predicted.sync.as_ref());
    // Under a rate the rate says nothing, at a limit the latency only says the rate again.
    let rows = if paced {
        vec![
            ("read_p50_us", latency(read, 50.0)),
            ("read_p95_us", latency(read, 95.0)),
            ("write_p50_us", latency(write, 50.0)),
            ("write_p95_us", latency(write, 95.0)),
            ("flush_p50_us", sync.map(|(m, p)| (us(m.p50), us(p.p50))).filter(|(_, predicted)| *predicted > 0.0)),
        ]
    } else {
        vec![("iops", Some((measured.iops().0, predicted.iops().0)))]
    };
    rows.into_iter().filter_map(move |(quantity, found)| {
        let (measured, predicted) = found?;
        Some(FitResidual { step, quantity, measured, predicted })
    })
}
