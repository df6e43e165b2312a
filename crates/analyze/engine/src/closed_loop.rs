//! Whether clients that wait for their answers can send what is asked for.

use catalog::CatalogView;
use deployment::Deployment;
use workload::Task;

use crate::asks::cluster;
use crate::calibration::EngineCalibration;
use crate::demand::target_rate;
use crate::latency::latency;
use crate::predict::{DiskCapacity, NodeCapacity, ceiling};
use crate::prepared::PreparedTask;

/// A closed loop that is too small for its target: clients over latency is the most that it sends (Little's law).
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct ClosedLoop {
    /// Clients, each with one operation at a time.
    pub clients: f64,
    /// Mean latency of an operation, in seconds.
    pub latency: f64,
    /// Mean latency with which the clients would reach the target, in seconds; below zero where they think for too long.
    pub latency_needed: f64,
    /// Clients that reach the target with the latency that there is.
    pub clients_needed: f64,
    /// What the clients reach at most, in the workload's unit.
    pub reached: f64,
}

impl ClosedLoop {
    /// What a target of so many operations a second lacks with a mean latency; `None` where nothing is lacking.
    pub fn short(task: &Task, latency: f64) -> Option<Self> {
        let unit = task.profile.unit.per_operation;
        let (clients, target, think) =
            (task.clients?, task.targets.throughput / unit, task.profile.think.as_secs_f64());
        let cycle = think + latency;
        let short = Self {
            clients,
            latency,
            latency_needed: clients / target - think,
            clients_needed: (target * cycle).ceil(),
            reached: clients / cycle * unit,
        };
        (latency > short.latency_needed).then_some(short)
    }
}

/// Share of the rate at which something is full, beyond which latency is a matter of what is full.
const LOADED: f64 = 0.9;

/// What the clients of a task lack on a deployment at the target rate, or at as much of it as the deployment carries; `None` where they
/// suffice, and where the catalogue does not know enough to say.
pub fn closed_loop(
    calibration: &EngineCalibration,
    task: &Task,
    deployment: &Deployment,
    view: &CatalogView,
) -> Option<ClosedLoop> {
    let (_, group) = deployment.storage().next()?;
    let instance = view.instance(&group.instance).ok()?;
    let limits = |disk: &disk::Disk| disk.limits(view, Some(instance)).ok().map(|limits| DiskCapacity::from(&limits));
    let log = match &group.log {
        Some(log) => Some(limits(log)?),
        None => None,
    };
    let capacity = NodeCapacity {
        data: limits(group.data.as_ref()?)?,
        log,
        instance: instance.caps.map(|caps| (caps.iops, caps.throughput)),
        cores: instance.sustained_threads().ok()? * instance.thread_speed(),
    };
    let demand = PreparedTask::new(calibration, task).demand(&cluster(deployment, instance), &deployment.settings);
    let rate = target_rate(task).min(LOADED * ceiling(&demand, &capacity).0);
    ClosedLoop::short(task, latency(&demand, &capacity, rate).mean.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::updates;
    use workload::Engine;

    #[test]
    fn clients_over_latency_is_the_most_that_they_send() {
        let mut task = updates(Engine::TiKv);
        assert_eq!(ClosedLoop::short(&task, 1.0), None, "an open loop waits for nothing");
        task.clients = Some(16.0);
        let short = ClosedLoop::short(&task, 0.004).unwrap();
        assert_eq!((short.reached, short.clients_needed, short.latency_needed), (4000.0, 40.0, 0.0016));
        task.clients = Some(40.0);
        assert_eq!(ClosedLoop::short(&task, 0.004), None);
    }
}
