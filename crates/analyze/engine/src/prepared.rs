//! A task under the model of its engine.

use std::sync::Arc;

use deployment::EngineSettings;
use workload::{Engine, Task};

use crate::calibration::EngineCalibration;
use crate::demand::{AnalyticModel, ClusterMachines, OperationDemand};
use crate::innodb::InnodbModel;
use crate::measured::MeasuredModel;
use crate::tikv::TikvModel;

/// A task made ready for many questions: what depends on neither machines nor settings is computed once.
#[derive(Debug, Clone)]
pub struct PreparedTask<'a> {
    task: &'a Task,
    model: Arc<dyn AnalyticModel + 'a>,
}

impl<'a> PreparedTask<'a> {
    /// The model of the task's engine, or the measured rates themselves.
    pub fn new(calibration: &'a EngineCalibration, task: &'a Task) -> Self {
        let model: Arc<dyn AnalyticModel + 'a> = match (&task.measured, task.engine) {
            (Some(measured), _) => Arc::new(MeasuredModel { measured, task }),
            (None, Engine::TiKv) => Arc::new(TikvModel::new(&calibration.tikv, task)),
            (None, Engine::InnoDb) => Arc::new(InnodbModel::new(&calibration.innodb, task)),
        };
        Self { task, model }
    }

    /// The task.
    pub fn task(&self) -> &'a Task {
        self.task
    }

    /// What an operation asks of one node of `cluster` under `settings`, at the target rate with growth.
    pub fn demand(&self, cluster: &ClusterMachines, settings: &EngineSettings) -> OperationDemand {
        self.model.demand(cluster, settings)
    }
}
