//! Runs of fio that others made.

use units::{Iops, Nanos};

use crate::fio::FioJob;

/// Runs of fio, in the order in which they were made.
#[derive(Debug, Clone, PartialEq)]
pub struct FioResults {
    /// The runs.
    pub runs: Vec<FioRun>,
}

/// Jobs that ran side by side and what was measured of them together.
#[derive(Debug, Clone, PartialEq)]
pub struct FioRun {
    /// What tells it apart, for people.
    pub name: String,
    /// The volume it ran on, where the results say so.
    pub volume: Option<NamedVolume>,
    /// What fio was asked to do.
    pub jobs: Vec<FioJob>,
    /// Reads and writes as measured, where there were any.
    pub measured: [Option<MeasuredSide>; 2],
}

/// A volume as results name it.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedVolume {
    /// The first word of its name, such as `gp3`.
    pub kind: String,
    /// Volumes striped.
    pub stripe: u32,
    /// The provisioned rate of each, if said.
    pub iops: Option<f64>,
}

/// One direction of a run as measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeasuredSide {
    /// Requests a second.
    pub iops: Iops,
    /// Latencies from submission to completion, by [`MeasuredSide::QUANTITIES`]; `None` where not reported.
    pub latencies: [Option<Nanos>; 5],
}

impl MeasuredSide {
    /// What [`MeasuredSide::latencies`] holds.
    pub const QUANTITIES: [&'static str; 5] = ["mean", "p50", "p95", "p99", "p99.9"];
}
