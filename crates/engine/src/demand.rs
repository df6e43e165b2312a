//! What one operation asks of each resource.

use units::{Bytes, Nanos};

/// The machines that share the work.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Cluster {
    /// Storage nodes.
    pub nodes: u32,
    /// Hardware threads of each.
    pub vcpu: u32,
    /// Memory of each.
    pub memory: Bytes,
    /// Zones over which they are spread.
    pub zones: u32,
}

/// I/O of one operation.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct IoDemand {
    /// Read requests.
    pub reads: f64,
    /// Bytes read.
    pub read_bytes: f64,
    /// Write requests.
    pub writes: f64,
    /// Bytes written.
    pub write_bytes: f64,
}

/// What one operation of the workload asks of ONE node, in the mean over nodes: multiply by the cluster's operations a
/// second to get a node's load.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Demand {
    /// Core-seconds.
    pub cpu: f64,
    /// The data disk, without the log.
    pub data: IoDemand,
    /// The log, on whichever disk it is.
    pub log: IoDemand,
    /// Bytes that cross a zone boundary, of the whole cluster.
    pub cross_zone: f64,
    /// Bytes on the data disk of one node, space amplification included.
    pub stored: Bytes,
    /// The steps that a client waits for.
    pub path: Path,
}

/// The steps of one operation that happen one after the other.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Path {
    /// Core-seconds in sequence.
    pub cpu: f64,
    /// Time on the network and in clients, not contended.
    pub delay: f64,
    /// Reads of the data disk waited for.
    pub reads: f64,
    /// Mean size of each.
    pub read_size: f64,
    /// Log syncs waited for.
    pub syncs: f64,
    /// Mean size of each.
    pub sync_size: f64,
    /// Time between operations (think time), in seconds: part of the cycle, not of the latency.
    pub think: Nanos,
}
