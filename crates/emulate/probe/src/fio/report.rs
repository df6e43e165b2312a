//! What fio measured.

use units::{BytesPerSec, Iops, Nanos};

use super::LatencyDistribution;

/// One direction of a job, all its threads together.
#[derive(Debug, Clone, PartialEq)]
pub struct JobDirection {
    /// Requests completed in the measured time, those in flight at its begin and end included.
    pub ios: u64,
    /// Bytes moved in the measured time.
    pub bytes: u64,
    /// Requests a second.
    pub iops: Iops,
    /// Bytes a second.
    pub throughput: BytesPerSec,
    /// From submission to completion; `None` where nothing was done.
    pub latency: Option<LatencyDistribution>,
}

impl JobDirection {
    /// Nothing done.
    pub(crate) const NONE: Self =
        Self { ios: 0, bytes: 0, iops: Iops(0.0), throughput: BytesPerSec(0.0), latency: None };

    /// Both together, as of work done side by side.
    #[must_use]
    pub fn and(self, other: &Self) -> Self {
        Self {
            ios: self.ios + other.ios,
            bytes: self.bytes + other.bytes,
            iops: self.iops + other.iops,
            throughput: self.throughput + other.throughput,
            latency: together(self.latency, other.latency.as_ref()),
        }
    }
}

fn together(one: Option<LatencyDistribution>, other: Option<&LatencyDistribution>) -> Option<LatencyDistribution> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.and(other)),
        (one, other) => one.or_else(|| other.cloned()),
    }
}

/// What one job, or several together, measured.
#[derive(Debug, Clone, PartialEq)]
pub struct JobReport {
    /// Reads.
    pub read: JobDirection,
    /// Writes.
    pub write: JobDirection,
    /// Of `fsync` or `fdatasync`, if the job calls one; its count is how often. With an asynchronous engine it overlaps
    /// the queue: measure it with [`super::Engine::Psync`].
    pub sync: Option<LatencyDistribution>,
    /// How long was measured.
    pub runtime: Nanos,
    /// Processor time that fio itself used while it measured, in user and kernel mode.
    pub cpu: Nanos,
}

impl JobReport {
    /// Nothing done.
    pub(crate) const NONE: Self =
        Self { read: JobDirection::NONE, write: JobDirection::NONE, sync: None, runtime: Nanos(0), cpu: Nanos(0) };

    /// Both together, as of work done side by side.
    #[must_use]
    pub fn and(self, other: &Self) -> Self {
        Self {
            read: self.read.and(&other.read),
            write: self.write.and(&other.write),
            sync: together(self.sync, other.sync.as_ref()),
            runtime: self.runtime.max(other.runtime),
            cpu: self.cpu + other.cpu,
        }
    }

    /// Requests a second, reads and writes.
    pub fn iops(&self) -> Iops {
        self.read.iops + self.write.iops
    }

    /// Bytes a second, reads and writes.
    pub fn throughput(&self) -> BytesPerSec {
        self.read.throughput + self.write.throughput
    }
}

/// What a run measured.
#[derive(Debug, Clone, PartialEq)]
pub struct FioReport {
    /// Of each job, in the order given.
    pub jobs: Vec<JobReport>,
}

impl FioReport {
    /// All jobs together.
    pub fn total(&self) -> JobReport {
        self.jobs.iter().fold(JobReport::NONE, JobReport::and)
    }
}
