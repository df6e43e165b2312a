//! What the planner needs to know of an engine.

use deployment::EngineSettings;
use engine::{
    ClusterMachines, EngineCalibration, EnginePrediction, NodeCapacity, OfferedLoad, OperationDemand, OperationLatency,
};
use workload::Task;

/// An engine as the planner sees it.
///
/// The search is exact for every model that keeps these promises: demand does not depend on disks; latency depends on a disk
/// only through its service time and the share of its throughput in use, never rises with provisioned throughput, nor with a
/// faster service time.
pub trait EngineModel: Sync {
    /// Computes once what depends on the workload alone.
    fn prepare<'a>(&'a self, task: &'a Task) -> Box<dyn DemandModel + 'a>;

    /// Latency at `rate` operations a second of the whole cluster, where no resource is full.
    fn latency(&self, demand: &OperationDemand, capacity: &NodeCapacity, rate: f64) -> OperationLatency;

    /// Latency, throughput and use of resources, for plans that are shown.
    fn predict(&self, demand: &OperationDemand, capacity: &NodeCapacity, load: OfferedLoad) -> EnginePrediction;
}

/// What one operation of a workload asks of one node.
pub trait DemandModel: Sync {
    /// At the target rate with growth.
    fn demand(&self, cluster: &ClusterMachines, settings: &EngineSettings) -> OperationDemand;
}

impl EngineModel for EngineCalibration {
    fn prepare<'a>(&'a self, task: &'a Task) -> Box<dyn DemandModel + 'a> {
        Box::new(engine::PreparedTask::new(self, task))
    }

    fn latency(&self, demand: &OperationDemand, capacity: &NodeCapacity, rate: f64) -> OperationLatency {
        engine::latency(demand, capacity, rate)
    }

    fn predict(&self, demand: &OperationDemand, capacity: &NodeCapacity, load: OfferedLoad) -> EnginePrediction {
        engine::predict(demand, capacity, load)
    }
}

impl DemandModel for engine::PreparedTask<'_> {
    fn demand(&self, cluster: &ClusterMachines, settings: &EngineSettings) -> OperationDemand {
        self.demand(cluster, settings)
    }
}
