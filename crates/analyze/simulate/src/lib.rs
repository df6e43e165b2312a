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
mod sent;
mod steps;
mod summary;
mod sweep;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod tree;
mod world;

pub use ::events::{EventScript, TimelineMark};
pub use agenda::EventAgenda;
pub use constants::Constants;
pub use cost::RunCost;
pub use error::SimulateError;
pub use machine::SharedMachine;
pub use options::{
    InnodbConstants, ServerFlavour, ServerVariables, SimulationOptions, UnknownTuner, VariableError, WriteRateTuner,
};
pub use pd::{PdConstants, PdLoad, PdRun, placement_driver};
pub use run::{simulate, simulate_watched};
pub use summary::{DiskFull, HoldUp, InnodbUse, LatencySummary, ResourceUse, RunSummary, Saturation, SimulationRun};
pub use sweep::{
    SimulationSetup, SweepError, SweepRun, SweepRunError, SweepVariant, cheapest, fastest, simulate_all, variants,
};
