//! A TiKV or InnoDB deployment under a workload, event by event in virtual time, on the disk model that mounted disks use: from one
//! seed one answer, bit for bit, as a Timeline of the series that a measured run gives and a summary.

#![forbid(unsafe_code)]

mod agenda;
mod blobs;
mod constants;
mod cost;
mod cpu;
mod disk_totals;
mod disks;
mod error;
mod events;
mod flow;
mod held;
mod innodb;
mod judge;
mod limiter;
mod load;
mod machine;
mod network;
mod options;
mod pd;
mod record;
mod run;
mod series;
mod steps;
mod summary;
mod sweep;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod tree;
mod world;

pub use ::events::{Mark, Script};
pub use agenda::Agenda;
pub use constants::Constants;
pub use cost::Cost;
pub use error::SimulateError;
pub use innodb::{Flavour, InnodbConstants, Server};
pub use limiter::Tuner;
pub use machine::Machine;
pub use options::Options;
pub use pd::{PdConstants, PdLoad, PdRun, placement_driver};
pub use run::{Run, simulate, simulate_watched};
pub use summary::{Bound, Full, InnodbUse, Latencies, Saturated, Summary, Use};
pub use sweep::{Setup, SweepError, Variant, simulate_all, variants};
