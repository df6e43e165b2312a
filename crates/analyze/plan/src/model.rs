//! What the planner needs to know of an engine.

use deployment::Settings;
use engine::{Calibration, Capacity, Cluster, Demand, Latency, Load, Prediction};
use workload::Task;

/// An engine as the planner sees it.
///
/// The search is exact for every model that keeps these promises: demand does not depend on disks; latency depends on a disk
/// only through its service time and the share of its throughput in use, never rises with provisioned throughput, nor with a
/// faster service time.
pub trait Model: Sync {
    /// Computes once what depends on the workload alone.
    fn prepare<'a>(&'a self, task: &'a Task) -> Box<dyn Demands + 'a>;

    /// Latency at `rate` operations a second of the whole cluster, where no resource is full.
    fn latency(&self, demand: &Demand, capacity: &Capacity, rate: f64) -> Latency;

    /// Latency, throughput and use of resources, for plans that are shown.
    fn predict(&self, demand: &Demand, capacity: &Capacity, load: Load) -> Prediction;
}

/// What one operation of a workload asks of one node.
pub trait Demands: Sync {
    /// At the target rate with growth.
    fn demand(&self, cluster: &Cluster, settings: &Settings) -> Demand;
}

impl Model for Calibration {
    fn prepare<'a>(&'a self, task: &'a Task) -> Box<dyn Demands + 'a> {
        Box::new(engine::Prepared::new(self, task))
    }

    fn latency(&self, demand: &Demand, capacity: &Capacity, rate: f64) -> Latency {
        engine::latency(demand, capacity, rate)
    }

    fn predict(&self, demand: &Demand, capacity: &Capacity, load: Load) -> Prediction {
        engine::predict(demand, capacity, load)
    }
}

impl Demands for engine::Prepared<'_> {
    fn demand(&self, cluster: &Cluster, settings: &Settings) -> Demand {
        self.demand(cluster, settings)
    }
}
