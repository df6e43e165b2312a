//! What traffic between zones costs a month, before and after what saves it.

use catalog::CatalogView;
use deployment::{Deployment, EngineSettings};
use engine::{ClusterMachines, EngineCalibration, PreparedTask};
use units::Usd;
use workload::Task;

use crate::RenderError;

/// Seconds of a month of 730 hours, as clouds charge it.
const MONTH: f64 = 730.0 * 3600.0;

/// A month's traffic between zones under some of the settings that save it.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct TrafficVariant {
    /// Whether reads go to the nearest copy.
    pub follower_read: bool,
    /// Whether nodes compress what they send.
    pub grpc_compression: bool,
    /// Decimal GB a month.
    pub gb: f64,
    /// Its price; `None` where the cloud's is not known.
    pub usd: Option<f64>,
    /// Whether the deployment is set so.
    pub chosen: bool,
}

/// A month's traffic between zones at the workload's target, in four ways.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct TrafficEstimate {
    /// Neither, follower read, compression, both.
    pub variants: Vec<TrafficVariant>,
}

/// Timestamps that a transaction takes from PD: when it begins and when it commits.
const TIMESTAMPS: f64 = 2.0;

/// Timestamps a second that a workload at its target takes from PD.
pub fn timestamps(task: &Task) -> f64 {
    task.targets.throughput / task.profile.unit.per_operation * TIMESTAMPS
}

/// The traffic of a workload on a deployment, without growth.
///
/// # Errors
/// When the catalogue lacks the region or the instance type.
pub fn traffic(
    calibration: &EngineCalibration,
    task: &Task,
    deployment: &Deployment,
    view: &CatalogView,
) -> Result<TrafficEstimate, RenderError> {
    let Some((_, group)) = deployment.storage().next() else { return Ok(TrafficEstimate { variants: Vec::new() }) };
    let instance = view.instance(&group.instance)?;
    let cluster = ClusterMachines {
        nodes: deployment.storage_nodes(),
        vcpu: instance.vcpu,
        memory: instance.memory,
        zones: deployment.zones,
    };
    let price = view.transfer(view.region(&deployment.region)?).ok().map(|price| price.per_gb);
    let prepared = PreparedTask::new(calibration, task);
    let rate = task.targets.throughput / task.profile.unit.per_operation;
    let set = &deployment.settings;
    let variants =
        [(false, false), (true, false), (false, true), (true, true)].map(|(follower_read, grpc_compression)| {
            let settings =
                EngineSettings { follower_read: Some(follower_read), grpc_compression: Some(grpc_compression), ..*set };
            let gb = prepared.demand(&cluster, &settings).cross_zone * rate * MONTH / 1e9;
            let chosen = set.follower_read.unwrap_or(false) == follower_read
                && set.grpc_compression.unwrap_or(false) == grpc_compression;
            TrafficVariant { follower_read, grpc_compression, gb, usd: price.map(|per_gb: Usd| per_gb.0 * gb), chosen }
        });
    Ok(TrafficEstimate { variants: variants.to_vec() })
}
