//! A TiKV deployment under a workload, event by event in virtual time, on the disk model that mounted disks use: from one
//! seed one answer, bit for bit, as a Timeline of the series that a measured run gives and a summary.

#![forbid(unsafe_code)]

mod agenda;
mod constants;
mod cost;
mod cpu;
mod disks;
mod error;
mod events;
mod flow;
mod judge;
mod limiter;
mod load;
mod machine;
mod network;
mod options;
mod record;
mod run;
mod summary;
mod sweep;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod tree;
mod world;

pub use agenda::Agenda;
pub use constants::Constants;
pub use cost::Cost;
pub use error::SimulateError;
pub use events::{Mark, Script};
pub use machine::Machine;
pub use options::Options;
pub use run::{Run, simulate, simulate_watched};
pub use summary::{Bound, Full, Latencies, Saturated, Summary, Use};
pub use sweep::{Setup, SweepError, Variant, simulate_all, variants};
