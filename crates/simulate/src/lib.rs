//! A TiKV deployment under a workload, event by event in virtual time, on the disk model that mounted disks use: from one
//! seed one answer, bit for bit, as a Timeline of the series that a measured run gives and a summary.

#![forbid(unsafe_code)]

mod agenda;
mod constants;
mod cpu;
mod disks;
mod error;
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
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod tree;
mod world;

pub use agenda::Agenda;
pub use constants::Constants;
pub use error::SimulateError;
pub use machine::Machine;
pub use options::Options;
pub use run::{Run, simulate, simulate_watched};
pub use summary::{Bound, Full, Latencies, Saturated, Summary, Use};
