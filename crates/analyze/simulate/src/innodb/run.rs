//! A run of InnoDB from time zero to its end.

use catalog::CatalogView;
use deployment::{Deployment, NodeDemand, NodeGroup, check};
use limits::BindingLimit;
use timeline::TimelineInfo;
use units::{Bytes, Nanos};
use workload::Task;

use super::build::{pool_size, trees};
use super::record::Recorder;
use super::world::World;
use crate::sent::Seen;
use crate::steps::Steps;
use crate::{DiskFull, SimulateError, SimulationOptions, SimulationRun};

/// Simulates a task on the first storage node of a deployment, which takes all load; others are standbys.
pub(crate) fn simulate(
    deployment: &Deployment,
    task: &Task,
    view: &CatalogView,
    options: &SimulationOptions,
    watch: &mut dyn FnMut(Nanos) -> bool,
) -> Result<SimulationRun, SimulateError> {
    let Some((_, group)) = deployment.storage().next() else {
        return Err(SimulateError::NotInnodb { what: "a deployment without a storage node" });
    };
    let mut world = World::new(deployment, group, task, view, options)?;
    let size = world.disks.size();
    let log_here = if group.log.is_some() { 0.0 } else { world.server.log_size };
    let steps = Steps::of(options, 1);
    let mut recorder = Recorder::new(&world, steps.step, options.span, steps.warm);
    let mut full = None;
    steps.run(&mut world, watch, |world, _| {
        world.waits();
        let seen = std::mem::replace(&mut world.seen, Seen::new());
        let sample = world.disks.sample();
        recorder.add(world, sample, &seen);
        if world.pool.pages() * world.c.page + log_here > size {
            full = Some(DiskFull { node: events::node_name(0), at: world.now });
        }
        full.is_none() && world.finished.is_none()
    });
    let notes = steps.notes(deployment, options, world.now);
    let summary = recorder.summary(&world, task.profile.unit, full);
    let timeline = recorder.finish(TimelineInfo { title: deployment.name.clone(), start: None, notes });
    Ok(SimulationRun { timeline, summary })
}

/// What cannot start is refused before time zero.
pub(crate) fn refuse(
    deployment: &Deployment,
    task: &Task,
    view: &CatalogView,
    options: &SimulationOptions,
) -> Result<(), SimulateError> {
    let profile = &task.profile;
    if profile.inserts <= 0.0 || profile.point_reads + profile.scans + profile.updates > 0.0 {
        return Err(SimulateError::OnlyInserts);
    }
    if options.script != crate::EventScript::default() {
        return Err(SimulateError::NotInnodb { what: "events that happen while it runs" });
    }
    let c = &options.innodb;
    for (place, group) in deployment.storage() {
        let instance = view.instance(&group.instance)?;
        let memory = options.memory(instance.memory);
        let pool = pool_size(deployment, memory, c);
        if pool > memory {
            return Err(SimulateError::PoolTooLarge { pool: Bytes(pool as u64), memory: Bytes(memory as u64) });
        }
        let log_size = options.server.log_size;
        if let Some(log) = &group.log {
            let size = log.limits(view, Some(instance))?.size;
            if size.as_f64() < log_size {
                return Err(SimulateError::RedoDiskTooSmall { group: place, needs: Bytes(log_size as u64), size });
            }
        }
        let pages: f64 = trees(task, 0, c).iter().map(|trees| f64::from(trees.pages)).sum();
        let stored = pages * c.page + if group.log.is_some() { 0.0 } else { log_size };
        let asks = NodeDemand { stored: Some(Bytes(stored as u64)), ..NodeDemand::default() };
        let settings = deployment::EngineSettings { replicas: Some(1), ..deployment.settings };
        let alone = Deployment {
            nodes: vec![NodeGroup { log: None, ..group.clone() }],
            zones: 1,
            settings,
            ..deployment.clone()
        };
        let report = check(&alone, view, &asks)?;
        if let Some(line) = report.violations().find(|line| line.limit == BindingLimit::Capacity) {
            let size = Bytes((line.delivered * Bytes::gib(1).as_f64()) as u64);
            return Err(SimulateError::TooMuchData { group: place, stored: Bytes(stored as u64), size });
        }
    }
    Ok(())
}
