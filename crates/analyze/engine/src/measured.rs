//! Disk rates seen on a running cluster, spread over another number of nodes.

use deployment::EngineSettings;
use units::Bytes;
use workload::{IoRates, MeasuredWorkload, Task};

use crate::demand::{AnalyticModel, ClusterMachines, IoDemand, OperationDemand, OperationPath};

/// A load that was measured at the disks of a cluster.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MeasuredModel<'a> {
    pub(crate) measured: &'a MeasuredWorkload,
    pub(crate) task: &'a Task,
}

impl AnalyticModel for MeasuredModel<'_> {
    fn demand(&self, cluster: &ClusterMachines, _: &EngineSettings) -> OperationDemand {
        demand(self.measured, self.task, cluster)
    }
}

/// The demand of "one measured load a second": the whole cluster's rates over the new number of nodes.
///
/// Caches are taken as they were: a node with more memory than the measured one would read less, one with less more. What a
/// client waits for is one sync of the log, the step that every write goes through.
fn demand(measured: &MeasuredWorkload, task: &Task, cluster: &ClusterMachines) -> OperationDemand {
    let share = measured.nodes / f64::from(cluster.nodes);
    let io = |rates: &IoRates| {
        IoDemand {
            reads: rates.reads,
            read_bytes: rates.read_bytes,
            writes: rates.writes,
            write_bytes: rates.write_bytes,
        }
        .times(share)
    };
    let flushes = measured.log.flushes;
    OperationDemand {
        cpu: measured.cores.unwrap_or(0.0) * share,
        data: io(&measured.data),
        log: io(&measured.log),
        syncs: flushes * share,
        cross_zone: 0.0,
        stored: Bytes((measured.stored.as_f64() * share * (1.0 + task.targets.growth)) as u64),
        log_stored: Bytes(0),
        path: OperationPath {
            syncs: 1.0,
            sync_size: if flushes > 0.0 { measured.log.write_bytes / flushes } else { 4096.0 },
            ..OperationPath::default()
        },
    }
}
