//! Drives fio: typed jobs in, typed measurements out.

mod job;
mod latency;
mod output;
mod report;
mod run;
#[cfg(test)]
mod tests;

pub use job::{AccessPattern, FioEngine, FioJob, SyncCall};
pub use latency::LatencyDistribution;
pub use report::{FioReport, JobDirection, JobReport};
pub use run::{FioError, FioProgram, JobRunner, run};
