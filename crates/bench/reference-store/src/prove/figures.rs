//! What is predicted of a run and what is measured of it, side by side.

use run::{LatencyPercentiles, LimitUse, OfferedLoad, RunResult, RunRung};
use units::{BytesPerSec, Nanos};
use workload::ThroughputUnit;

/// The numbers of a run; planned, predicted or measured.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ProofFigures {
    /// Operations a second that are carried.
    pub throughput: f64,
    /// Median latency of an operation, of all kinds; `None` where nothing was carried.
    pub p50: Option<Nanos>,
    /// Its 99th percentile.
    pub p99: Option<Nanos>,
    /// The disks of a node, in the mean of all nodes.
    pub disks: Vec<DiskFigures>,
    /// Bytes that flushes and compactions wrote on all replicas, over bytes that clients wrote; `None` without writes.
    pub write_amplification: Option<f64>,
    /// Blocks that were asked for and not in the block cache, of an operation; `None` where that is not known.
    pub cache_misses: Option<f64>,
    /// Share of the blocks that were found in the block cache, 0 to 1; `None` if none were asked for. Predicted of data blocks;
    /// measured of index and filter blocks too, which RocksDB does not tell apart in this count.
    pub cache_hit_rate: Option<f64>,
}

/// A disk of a node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DiskFigures {
    /// What it is for.
    pub role: DiskRole,
    /// Share of its I/Os a second in use.
    pub iops: f64,
    /// Share of its bytes a second in use.
    pub throughput: f64,
    /// Read.
    pub read: BytesPerSec,
    /// Written.
    pub written: BytesPerSec,
}

/// What a disk of a node is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DiskRole {
    /// The state, and the log where it has no disk of its own.
    Data,
    /// The raft log.
    Log,
}

/// A limit of a disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiskLimit {
    /// Whose.
    pub role: DiskRole,
    /// Which.
    pub limit: limits::BindingLimit,
}

/// A limit and how much it is felt: share of it in use, or of the time in which it held requests up.
pub type LimitPressure = (DiskLimit, f64);

impl DiskRole {
    /// Its name among a node's disks.
    pub fn disk(self) -> &'static str {
        match self {
            Self::Data => "data",
            Self::Log => "raft",
        }
    }
}

impl ProofFigures {
    /// The disk of a role.
    pub fn disk(&self, role: DiskRole) -> Option<&DiskFigures> {
        self.disks.iter().find(|disk| disk.role == role)
    }

    /// The result of a run to which `offered` operations a second arrived, in operations a second.
    pub fn as_run(&self, rung: RunRung, offered: f64) -> RunResult {
        let unit = ThroughputUnit { name: "ops/s", per_operation: 1.0 };
        let latency = self.p50.zip(self.p99).map(|(p50, p99)| LatencyPercentiles { mean: None, p50, p99, p999: None });
        let limit = |(limit, share): LimitPressure| LimitUse {
            limit: format!("{} disk: {}", limit.role.disk(), limit.limit.name()),
            share,
        };
        RunResult {
            offered: Some(OfferedLoad { operations_per_s: offered }),
            latency,
            limits: self.fullest().into_iter().map(limit).collect(),
            ..RunResult::new(rung, self.throughput, unit)
        }
    }

    /// The limit of which the largest share is in use.
    pub fn fullest(&self) -> Option<LimitPressure> {
        let limits = self.disks.iter().flat_map(|disk| {
            let of = |limit| DiskLimit { role: disk.role, limit };
            [
                (of(limits::BindingLimit::VolumeIops), disk.iops),
                (of(limits::BindingLimit::VolumeThroughput), disk.throughput),
            ]
        });
        limits.max_by(|a, b| a.1.total_cmp(&b.1))
    }
}
