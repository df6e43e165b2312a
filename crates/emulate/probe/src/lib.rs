//! Measures a disk with fio and fits the disk model to it.
//!
//! ```no_run
//! let target = probe::ProbeTarget::at("/mnt/data")?;
//! let mut tell = |at: probe::ProbeProgress<'_>| eprintln!("{}/{} {}", at.step, at.of, at.what);
//! let probe = probe::run(&target, &probe::ProbeOptions::quick(), &mut tell)?;
//! println!("{probe}");
//! # Ok::<(), probe::ProbeError>(())
//! ```

#![forbid(unsafe_code)]

pub mod against;
pub mod fio;

mod burst;
mod error;
mod fit;
mod json;
mod nearest;
mod options;
mod residual;
mod session;
mod steps;
mod target;
mod text;
mod twin;

#[cfg(test)]
mod tests;

use units::Bytes;

pub use burst::BurstMeasurement;
pub use error::ProbeError;
pub use fit::{FittedDisk, MeasuredLimit};
pub use nearest::NearestDisk;
pub use options::{OverwriteScope, ProbeOptions};
pub use residual::FitResidual;
pub use session::{ProbeMeasurement, ProbeProgress};
pub use target::ProbeTarget;

use fio::{AccessPattern, FioJob, FioProgram, JobRunner};
use session::Session;

/// A disk as it was measured. It prints as text for people; [`Probe::json`] is for programs.
#[derive(Debug, Clone, PartialEq)]
pub struct Probe {
    /// What was measured.
    pub target: String,
    /// The size of the disk, where it can be told.
    pub size: Option<Bytes>,
    /// The range that was worked on.
    pub range: Bytes,
    /// Every step.
    pub measurements: Vec<ProbeMeasurement>,
    /// The disk that would have measured so.
    pub fitted: FittedDisk,
    /// How far it is from each measurement.
    pub residuals: Vec<FitResidual>,
    /// The most similar disk of the catalogue; `None` if none is similar.
    pub nearest: Option<NearestDisk>,
}

/// Measures a disk; takes about 20 times what [`Options`] give a step.
///
/// # Errors
/// When fio is missing or fails, when the target is in use or would lose data, or when there is no room for a test
/// file.
pub fn run(
    target: &ProbeTarget,
    options: &ProbeOptions,
    told: &mut dyn FnMut(ProbeProgress<'_>),
) -> Result<Probe, ProbeError> {
    let range = target.prepare(options)?;
    let mut template = FioJob::new(&range.path, AccessPattern::RandRead, Bytes::kib(4));
    template.size = Some(range.size);
    template.seed = options.seed;
    let place = Place { target: target.path().display().to_string(), disk: range.disk, range: range.size };
    probe(&mut FioProgram::default(), &place, template, (range.writable, range.fill), options, told)
}

/// Where a probe works.
struct Place {
    target: String,
    disk: Option<Bytes>,
    range: Bytes,
}

fn probe(
    runner: &mut dyn JobRunner,
    place: &Place,
    template: FioJob,
    (writable, fill): (bool, bool),
    options: &ProbeOptions,
    told: &mut dyn FnMut(ProbeProgress<'_>),
) -> Result<Probe, ProbeError> {
    let mut session = Session::new(runner, options, template, steps::count(options.quick, writable), told);
    if fill {
        steps::fill(&mut session)?;
    }
    let burst = steps::run(&mut session, writable)?;
    let measurements = session.measurements;
    let fitted = fit::fit(&measurements, burst)?;
    let residuals = residual::residuals(&measurements, &fitted, place.range, options.seed)?;
    let view = catalog::Catalog::embedded().at(None);
    let nearest = nearest::nearest(&view, &fitted, place.disk);
    Ok(Probe {
        target: place.target.clone(),
        size: place.disk,
        range: place.range,
        measurements,
        fitted,
        residuals,
        nearest,
    })
}
