//! What a task asks of each storage node of a given deployment.

use catalog::{CatalogError, CatalogView, InstanceType};
use deployment::{Deployment, NodeDemand};
use workload::{IoRates, Task};

use crate::calibration::EngineCalibration;
use crate::demand::{ClusterMachines, IoDemand, OperationDemand, target_rate};
use crate::prepared::PreparedTask;

impl OperationDemand {
    /// The load of one node at `rate` operations a second of the cluster, in whole requests and bytes: it is written to files
    /// that people read.
    pub fn asks(&self, rate: f64) -> NodeDemand {
        let rates = |io: IoDemand, syncs: f64| IoRates {
            reads: (io.reads * rate).ceil(),
            read_bytes: (io.read_bytes * rate).ceil(),
            writes: (io.writes * rate).ceil(),
            write_bytes: (io.write_bytes * rate).ceil(),
            flushes: (syncs * rate).ceil(),
        };
        NodeDemand {
            data: rates(self.data, 0.0),
            log: rates(self.log, self.syncs),
            stored: Some(self.stored),
            cores: Some((self.cpu * rate * 100.0).ceil() / 100.0),
        }
    }
}

/// The load of one storage node of the deployment's first storage group at the task's target, growth included; nothing if no
/// node holds data.
///
/// # Errors
/// When the catalogue lacks the group's instance type.
pub fn asks(
    calibration: &EngineCalibration,
    task: &Task,
    deployment: &Deployment,
    view: &CatalogView,
) -> Result<NodeDemand, CatalogError> {
    let Some((_, group)) = deployment.storage().next() else { return Ok(NodeDemand::default()) };
    let instance = view.instance(&group.instance)?;
    let demand = PreparedTask::new(calibration, task).demand(&cluster(deployment, instance), &deployment.settings);
    Ok(demand.asks(target_rate(task)))
}

/// The storage nodes of a deployment, all taken to be on one instance type.
pub(crate) fn cluster(deployment: &Deployment, instance: &InstanceType) -> ClusterMachines {
    ClusterMachines {
        nodes: deployment.storage_nodes(),
        vcpu: instance.vcpu,
        memory: instance.memory,
        zones: deployment.zones,
    }
}
