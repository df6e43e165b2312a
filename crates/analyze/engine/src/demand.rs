//! What one operation asks of each resource.

use deployment::EngineSettings;
use units::Bytes;
use workload::Task;

/// The machines that share the work.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClusterMachines {
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

impl IoDemand {
    /// Bytes in both directions.
    pub fn bytes(&self) -> f64 {
        self.read_bytes + self.write_bytes
    }

    /// I/Os as the cloud counts them: at least one a request, and one for each `unit` bytes of it.
    pub fn counted(&self, unit: f64) -> f64 {
        self.reads.max(self.read_bytes / unit) + self.writes.max(self.write_bytes / unit)
    }

    /// The I/O of both.
    pub fn plus(&self, other: &Self) -> Self {
        Self {
            reads: self.reads + other.reads,
            read_bytes: self.read_bytes + other.read_bytes,
            writes: self.writes + other.writes,
            write_bytes: self.write_bytes + other.write_bytes,
        }
    }

    /// The I/O of `factor` such operations.
    pub fn times(&self, factor: f64) -> Self {
        Self {
            reads: self.reads * factor,
            read_bytes: self.read_bytes * factor,
            writes: self.writes * factor,
            write_bytes: self.write_bytes * factor,
        }
    }
}

/// What one operation of the workload asks of ONE node, in the mean over nodes: multiply by the cluster's operations a
/// second to get a node's load.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OperationDemand {
    /// Core-seconds.
    pub cpu: f64,
    /// The data disk, without the log.
    pub data: IoDemand,
    /// The log, on whichever disk it is.
    pub log: IoDemand,
    /// Syncs of the log.
    pub syncs: f64,
    /// Bytes that cross a zone boundary, of the whole cluster.
    pub cross_zone: f64,
    /// Bytes on the data disk of one node, space amplification included.
    pub stored: Bytes,
    /// Bytes of the log of one node, on whichever disk it is.
    pub log_stored: Bytes,
    /// The steps that a client waits for.
    pub path: OperationPath,
}

/// The steps of one operation that happen one after the other.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct OperationPath {
    /// Core-seconds in sequence.
    pub cpu: f64,
    /// Seconds on the network and in clients, not contended.
    pub delay: f64,
    /// Reads of the data disk waited for.
    pub reads: f64,
    /// Mean bytes of each.
    pub read_size: f64,
    /// Log syncs waited for.
    pub syncs: f64,
    /// Mean bytes of each.
    pub sync_size: f64,
    /// Standard deviation over mean of the work of one operation against another.
    pub spread: f64,
    /// Seconds between operations (think time): part of the cycle, not of the latency.
    pub think: f64,
}

/// The analytic model of an engine on which a task runs. A further engine is a file that implements it, and a line of
/// [`PreparedTask::new`](crate::PreparedTask::new).
pub(crate) trait AnalyticModel: std::fmt::Debug + Send + Sync {
    /// What an operation asks of one node of `cluster` under `settings`, at the target rate with growth.
    fn demand(&self, cluster: &ClusterMachines, settings: &EngineSettings) -> OperationDemand;
}

/// Operations a second that a task asks for, growth included.
pub fn target_rate(task: &Task) -> f64 {
    task.targets.throughput / task.profile.unit.per_operation * (1.0 + task.targets.growth)
}
