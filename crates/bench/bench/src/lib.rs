//! Drives a database with a workload and measures it: closed and open loops, steady state, confidence, and whether one
//! run was faster than another. [`DatabaseUnderTest`] is what a database implements; this crate contains no database but a twin.

#![forbid(unsafe_code)]

mod awake;
mod carried;
mod clock;
pub mod compare;
mod cost;
mod cpu;
mod database;
mod drive;
mod driver;
mod error;
mod load;
mod measured_run;
mod prepared;
#[cfg(test)]
mod prepared_tests;
mod raw;
mod rejected;
mod report;
mod run;
mod run_files;
#[cfg(test)]
mod run_tests;
mod series;
pub mod statistics;
mod tally;
mod turns;
mod twin;

pub use awake::AwakeProcessors;
pub use clock::{MonotonicClock, RunClock, VirtualClock};
pub use cost::per_million;
pub use cpu::{CpuReading, CpuUsage};
pub use database::{
    DatabaseError, DatabaseSource, DatabaseUnderTest, EarlyEnd, ExistingRows, RunOf, RunSamples, RunSpec, RunStage,
    SidesOf, StageListener,
};
pub use drive::{
    ArrivalSpacing, FailureReason, LoadCourse, LoadTurn, LoadWorker, LoopKind, OperationSource, RunLimits, RunPhase,
    RunProgress, RunStall, SteadyStateJudge, WindowSlice,
};
pub use driver::{Driver, FinishedOperation, OperationAnswer, OperationFailure, SentOperation};
pub use error::{BenchError, RunFault, RunFileFault};
pub use load::{LoadProgress, RowLoad, load};
pub use measured_run::MeasuredRun;
pub use prepared::{PreparedDatabase, RunSeries};
pub use raw::{RawDriver, RequestSession};
pub use report::{
    BenchReport, DriverBacklog, DriverCpu, ErrorCount, KindReport, LatencyHistograms, RunReport, ThroughputEstimate,
};
pub use run::{BenchRun, DriverCrew, DriverFactory, RunPlan, SideTask, drive, run};
pub use run_files::RunFiles;
pub use tally::StepTally;
pub use turns::{RunKeeper, SideListener, alternate, in_turn};
pub use twin::{DatabaseTwin, ServiceModel, WaitingClock, constant};
