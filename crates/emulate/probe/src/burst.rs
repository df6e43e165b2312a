//! Whether the rate falls in a long run.

use units::{Bytes, Iops, Nanos};

use crate::ProbeError;
use crate::fio::AccessPattern;
use crate::session::{ProbeMeasurement, Session};

/// What a long run showed: burst credits that ran out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BurstMeasurement {
    /// I/Os a second while credits lasted.
    pub burst: Iops,
    /// I/Os a second after.
    pub sustained: Iops,
    /// Credits that there were when the probe began, in I/Os; what a full bucket holds if it was full.
    pub credits: f64,
}

/// Requests of this size or more, and rows of smaller ones, count by it.
const UNIT: Bytes = Bytes::kib(256);
/// A rate this share of the first one or less is another rate.
const FALLEN: f64 = 0.9;
/// Between two runs fio ends and starts.
const GAP: f64 = 0.3;

/// Runs at full rate until the rate falls, or until `most` has passed.
pub(crate) fn look(session: &mut Session<'_>, depth: u32, most: Nanos) -> Result<Option<BurstMeasurement>, ProbeError> {
    let mut job = session.job(AccessPattern::RandRead, Bytes::kib(4), depth);
    let chunk = Nanos(session.options.step.0 * 4);
    // The ramp uses up what was earned while fio started.
    job.runtime = Some(chunk);
    let (mut spent, mut passed) = session.measurements.iter().map(cost).fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
    let first = session.measurements.iter().filter(|m| m.name.starts_with("read-iops-")).map(|m| m.total().iops().0);
    let first = first.fold(0.0, f64::max);
    let (mut last, mut ran) = (first, Nanos(0));
    while ran < most {
        let report = session.run("at full rate, until burst credits run out", std::slice::from_ref(&job))?.total();
        let rate = report.iops().0;
        let seconds = (report.runtime + job.ramp).as_secs_f64();
        ran += report.runtime.max(Nanos::millis(1));
        spent += rate * seconds;
        passed += seconds + GAP;
        // Credits ran out within one chunk; the rate is known when two agree.
        if rate < first * FALLEN && (rate / last - 1.0).abs() < 0.05 {
            let sustained = rate;
            let credits = (spent - sustained * passed).max(0.0);
            return Ok(Some(BurstMeasurement { burst: Iops(first), sustained: Iops(sustained), credits }));
        }
        last = rate;
    }
    Ok(None)
}

/// I/Os that a step took, ramp included, and how long it was.
fn cost(step: &ProbeMeasurement) -> (f64, f64) {
    let each = step.jobs.iter().zip(&step.report.jobs).map(|(job, report)| {
        let seconds = (report.runtime + job.ramp).as_secs_f64();
        let by_unit = !job.pattern.is_random() || job.block >= UNIT;
        let rate = if by_unit { report.throughput().0 / UNIT.as_f64() } else { report.iops().0 };
        (rate * seconds, seconds)
    });
    each.fold((0.0, GAP), |a, b| (a.0 + b.0, a.1.max(b.1 + GAP)))
}
