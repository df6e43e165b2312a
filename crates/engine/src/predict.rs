//! Latency and throughput of a demand on given machines and disks.

use disk::ServiceTime;
use units::{BytesPerSec, Iops, Nanos};

/// What can run out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Resource {
    /// Cores of the storage nodes.
    Cpu,
    /// I/Os a second of the data volume.
    DataIops,
    /// Bytes a second of the data volume.
    DataThroughput,
    /// I/Os a second of the log volume.
    LogIops,
    /// Bytes a second of the log volume.
    LogThroughput,
    /// I/Os a second that the instance lets through.
    InstanceIops,
    /// Bytes a second that the instance lets through.
    InstanceThroughput,
    /// Clients that wait for their answers (closed loop): nothing is full.
    Clients,
}

/// One disk's limits as the engine needs them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DiskCapacity {
    /// Sustained I/Os a second.
    pub iops: Iops,
    /// Sustained bytes a second.
    pub throughput: BytesPerSec,
    /// Bytes that count as one I/O.
    pub io_unit: f64,
    /// Latency while no limit binds.
    pub service: ServiceTime,
    /// Whether it shares the instance's caps.
    pub shares_instance_caps: bool,
}

/// What one node has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Capacity {
    /// The data disk.
    pub data: DiskCapacity,
    /// The log's own disk, if any.
    pub log: Option<DiskCapacity>,
    /// Sustained instance caps, if any.
    pub instance: Option<(Iops, BytesPerSec)>,
    /// Cores.
    pub cores: f64,
}

/// How operations arrive.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Load {
    /// So many clients, each waiting for its answer.
    Closed(f64),
    /// So many operations a second, whatever the latency.
    Open(f64),
}

/// What comes out.
#[derive(Debug, Clone, PartialEq)]
pub struct Prediction {
    /// Operations a second.
    pub throughput: f64,
    /// Operations a second at which the first resource is full.
    pub ceiling: f64,
    /// Mean latency.
    pub mean: Nanos,
    /// Median latency.
    pub p50: Nanos,
    /// 99th percentile.
    pub p99: Nanos,
    /// Share of each resource in use, at `throughput`.
    pub utilisation: Vec<(Resource, f64)>,
    /// What gives first.
    pub bottleneck: Resource,
}
