//! Drives a database with a workload and measures it: closed and open loops, steady state, confidence, and whether one
//! run was faster than another. How the database was started is no concern of this crate.

#![forbid(unsafe_code)]

mod awake;
mod carried;
mod clock;
pub mod compare;
mod cost;
mod cpu;
mod drive;
mod driver;
mod error;
mod load;
mod raw;
mod rejected;
mod report;
mod run;
#[cfg(test)]
mod run_tests;
mod series;
pub mod statistics;
mod tally;
mod twin;

pub use awake::Awake;
pub use clock::{Clock, SystemClock, VirtualClock};
pub use cost::per_million;
pub use cpu::{Cpu, CpuReading};
pub use drive::{Arrivals, Course, Judge, Limits, Loop, Phase, Progress, Reason, Slice, Source, Stall, Turn, Worker};
pub use driver::{Answer, Driver, Failure, Finished, Written};
pub use error::BenchError;
pub use load::{Load, Loading, load};
pub use raw::{RawDriver, Requests};
pub use report::{Backlog, DriverCpu, ErrorCount, KindReport, Latencies, Report, RunReport, Throughput};
pub use run::{Beside, Crew, Drivers, Plan, Run, drive, run};
pub use tally::Tally;
pub use twin::{Service, Twin, Wait, constant};
