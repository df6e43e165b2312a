//! Drives fio: typed jobs in, typed measurements out.

mod job;
mod latency;
mod output;
mod report;
mod run;
#[cfg(test)]
mod tests;

pub use job::{Engine, Job, Pattern, Sync};
pub use latency::Latency;
pub use report::{JobReport, Report, Side};
pub use run::{Fio, FioError, Runner, run};
