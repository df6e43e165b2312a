//! Measures a disk with fio and fits the disk model to it.
//!
//! ```no_run
//! let target = probe::Target::at("/mnt/data")?;
//! let mut tell = |at: probe::Progress<'_>| eprintln!("{}/{} {}", at.step, at.of, at.what);
//! let probe = probe::run(&target, &probe::Options::quick(), &mut tell)?;
//! println!("{probe}");
//! # Ok::<(), probe::ProbeError>(())
//! ```

#![forbid(unsafe_code)]

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

pub use burst::Burst;
pub use error::ProbeError;
pub use fit::{Fitted, Knee};
pub use nearest::Nearest;
pub use options::{Destroy, Options};
pub use residual::Residual;
pub use session::{Measurement, Progress};
pub use target::Target;

use fio::{Fio, Job, Pattern, Runner};
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
    pub measurements: Vec<Measurement>,
    /// The disk that would have measured so.
    pub fitted: Fitted,
    /// How far it is from each measurement.
    pub residuals: Vec<Residual>,
    /// The most similar disk of the catalogue; `None` if none is similar.
    pub nearest: Option<Nearest>,
}

/// Measures a disk; takes about 20 times what [`Options`] give a step.
///
/// # Errors
/// When fio is missing or fails, when the target is in use or would lose data, or when there is no room for a test
/// file.
pub fn run(target: &Target, options: &Options, told: &mut dyn FnMut(Progress<'_>)) -> Result<Probe, ProbeError> {
    let range = target.prepare(options)?;
    let mut template = Job::new(&range.path, Pattern::RandRead, Bytes::kib(4));
    template.size = Some(range.size);
    template.seed = options.seed;
    let place = Place { target: target.path().display().to_string(), disk: range.disk, range: range.size };
    probe(&mut Fio::default(), &place, template, (range.writable, range.fill), options, told)
}

/// Where a probe works.
struct Place {
    target: String,
    disk: Option<Bytes>,
    range: Bytes,
}

fn probe(
    runner: &mut dyn Runner,
    place: &Place,
    template: Job,
    (writable, fill): (bool, bool),
    options: &Options,
    told: &mut dyn FnMut(Progress<'_>),
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
