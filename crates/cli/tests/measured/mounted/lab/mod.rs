//! The experiments on mounted disks: fio, which knows nothing of diskwright, measures what the disk crate promises.
//!
//! The tests run their short form, the benchmark their long one. Every expected value comes from the disk crate: its limits,
//! or the same load on it in virtual time.

mod cache;
mod credits;
mod figure;
mod latency;
mod limits;
mod load;
mod machine;
mod model;
mod rig;
mod shared;
mod stalls;
mod unlimited;

use std::error::Error;

use catalog::{Catalog, InstanceType};
use disk::{DeviceSpec, Disk, DiskLimits};

pub(crate) use figure::Figure;

/// What an experiment found, or why it could not be made.
pub(crate) type Found = Result<Vec<Figure>, Box<dyn Error>>;

/// An experiment by its name.
pub(crate) type Experiment = (&'static str, fn(Length) -> Found);

/// How thorough an experiment is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Length {
    /// The telling cases, for seconds each.
    Short,
    /// All cases, as long as the published tolerances say.
    Long,
}

impl Length {
    pub(crate) fn pick<T>(self, short: T, long: T) -> T {
        match self {
            Self::Short => short,
            Self::Long => long,
        }
    }
}

/// All experiments, in the order of the table.
pub(crate) const EXPERIMENTS: &[Experiment] = &[
    ("IOPS limits, and how requests queue at them", limits::iops),
    ("Throughput limits, by volume and by instance", limits::throughput),
    ("Latency below the limits", latency::below_the_limits),
    ("Burst credits", credits::run_out),
    ("Two disks under one instance's cap", shared::one_instance),
    ("A stripe of two", shared::stripe),
    ("Twelve disks at once", shared::twelve),
    ("Read cache", cache::hits_and_misses),
    ("Without limits", unlimited::as_fast_as_memory),
];

/// Chance and other programs may spoil a measurement of latencies or of full speed: it counts when it holds within this
/// many tries, and the tries are printed.
const TRIES: u32 = 5;

/// Measures until all figures hold, at most [`TRIES`] times.
fn measured(mut measure: impl FnMut() -> Found) -> Found {
    for tries in 1.. {
        machine::wait_for_quiet()?;
        let beside = machine::Sleeper::start();
        let figures = measure();
        let late = beside.stop();
        let mut figures = figures?;
        for figure in &mut figures {
            figure.tries = tries;
            figure.allow(&late);
        }
        if tries == TRIES || figures.iter().all(Figure::holds) {
            return Ok(figures);
        }
        figures.iter().filter(|figure| !figure.holds()).for_each(|figure| println!("measured again: {figure}"));
    }
    unreachable!("the last try returns")
}

/// An instance type of today's catalogue.
fn instance(name: &str) -> Result<InstanceType, Box<dyn Error>> {
    Ok(Catalog::embedded().at(None).instance(name)?.clone())
}

/// How a disk behaves.
fn spec(disk: &str, instance: Option<&InstanceType>) -> Result<DeviceSpec, Box<dyn Error>> {
    Ok(disk.parse::<Disk>()?.spec(&Catalog::embedded().at(None), instance)?)
}

/// What a disk sustains, all volumes of a stripe together.
fn limits_of(disk: &str, instance: Option<&InstanceType>) -> Result<DiskLimits, Box<dyn Error>> {
    Ok(disk.parse::<Disk>()?.limits(&Catalog::embedded().at(None), instance)?)
}
