//! A run from time zero to its end.

use catalog::CatalogView;
use deployment::{Deployment, NodeDemand, check};
use limits::BindingLimit;
use timeline::TimelineInfo;
use units::{Bytes, Nanos};
use workload::{Engine, Task};

use crate::judge::Judge;
use crate::load::{Data, reserved};
use crate::options::MOST_NODES;
use crate::record::Recorder;
use crate::sent::Seen;
use crate::steps::Steps;
use crate::world::World;
use crate::{SimulateError, SimulationOptions, SimulationRun};

/// The longest run.
const LONGEST: Nanos = Nanos::secs(100 * 366 * 86_400);

/// Simulates a task on a deployment.
///
/// # Errors
/// When the deployment cannot start, or the task cannot be sent.
pub fn simulate(
    deployment: &Deployment,
    task: &Task,
    view: &CatalogView,
    options: &SimulationOptions,
) -> Result<SimulationRun, SimulateError> {
    simulate_watched(deployment, task, view, options, &mut |_| true)
}

/// The same; `watch` hears how far it is, before time zero as well, at least once a virtual second and once a million events, and
/// ends the run early by answering `false`.
///
/// # Errors
/// As [`simulate`], and when it was ended before time zero.
pub fn simulate_watched(
    deployment: &Deployment,
    task: &Task,
    view: &CatalogView,
    options: &SimulationOptions,
    watch: &mut dyn FnMut(Nanos) -> bool,
) -> Result<SimulationRun, SimulateError> {
    let task = &*deployment.settings.laid_out(task);
    refuse(deployment, task, view, options)?;
    (EventModel::of(deployment.engine).simulate)(deployment, task, view, options, watch)
}

/// The event form of an engine. A further engine is a folder that has one, and an arm of [`EventModel::of`].
pub(crate) struct EventModel {
    /// Refuses before time zero what cannot start.
    pub(crate) refuse: fn(&Deployment, &Task, &CatalogView, &SimulationOptions) -> Result<(), SimulateError>,
    /// Simulates what was not refused.
    pub(crate) simulate: Simulate,
}

/// Simulates a task on a deployment; the last argument hears how far it is.
type Simulate = fn(
    &Deployment,
    &Task,
    &CatalogView,
    &SimulationOptions,
    &mut dyn FnMut(Nanos) -> bool,
) -> Result<SimulationRun, SimulateError>;

impl EventModel {
    fn of(engine: Engine) -> Self {
        match engine {
            Engine::TiKv => Self { refuse: refuse_tikv, simulate: simulate_tikv },
            Engine::InnoDb => Self { refuse: crate::innodb::refuse, simulate: crate::innodb::simulate },
        }
    }
}

fn simulate_tikv(
    deployment: &Deployment,
    task: &Task,
    view: &CatalogView,
    options: &SimulationOptions,
    watch: &mut dyn FnMut(Nanos) -> bool,
) -> Result<SimulationRun, SimulateError> {
    let mut world = World::new(deployment, task, view, options, watch)?;
    let steps = Steps::of(options, deployment.storage_nodes());
    let mut recorder = Recorder::new(&world, steps.step, options.span);
    let mut judge = Judge::new(&world, steps.step);
    let mut full = None;
    steps.run(&mut world, watch, |world, number| {
        let now = world.now;
        let seen = std::mem::replace(&mut world.seen, Seen::new());
        let mut samples = Vec::with_capacity(world.nodes.len());
        for node in &mut world.nodes {
            node.flow.tick(now, steps.step.as_secs_f64());
            samples.push(node.disks.sample());
            if node.disks.size() > node.size {
                node.size = node.disks.size();
            }
        }
        recorder.add(world, &samples, &seen);
        recorder.held_up(&judge.add(world, &samples, &seen, now, number > steps.warm));
        full = world.nodes.iter().position(|node| node.stored() + node.reserved > node.size).map(|node| (node, now));
        full.is_none()
    });
    let notes = steps.notes(deployment, options, world.now);
    let timeline = recorder.finish(TimelineInfo { title: deployment.name.clone(), start: None, notes });
    Ok(SimulationRun { timeline, summary: judge.finish(&world, task.profile.unit, full) })
}

/// Refuses before time zero what cannot start.
fn refuse(
    deployment: &Deployment,
    task: &Task,
    view: &CatalogView,
    options: &SimulationOptions,
) -> Result<(), SimulateError> {
    if task.engine != deployment.engine {
        let (workload, deployment) = (task.engine.facts().name, deployment.engine.facts().name);
        return Err(SimulateError::OtherEngine { workload, deployment });
    }
    // A server of one's own may have its redo log on a disk of its own, which RDS, whose rules the deployment's are, has not.
    let mut ruled = deployment.clone();
    if !deployment.engine.facts().has_log_disk {
        ruled.nodes.iter_mut().for_each(|group| group.log = None);
    }
    ruled.validate(view)?;
    if task.measured.is_some() {
        return Err(SimulateError::Measured);
    }
    let step = options.actual_step(deployment.storage_nodes());
    if options.span < step || options.span > LONGEST {
        return Err(SimulateError::Span { span: options.span, least: step });
    }
    (EventModel::of(deployment.engine).refuse)(deployment, task, view, options)
}

/// Refuses a TiKV that cannot start.
fn refuse_tikv(
    deployment: &Deployment,
    task: &Task,
    view: &CatalogView,
    options: &SimulationOptions,
) -> Result<(), SimulateError> {
    if deployment.storage_nodes() > MOST_NODES {
        return Err(SimulateError::TooManyNodes { nodes: deployment.storage_nodes(), most: MOST_NODES });
    }
    let c = &options.constants;
    let shares = (f64::from(deployment.storage_nodes()), f64::from(deployment.replicas()));
    for (place, group) in deployment.storage() {
        let memory = options.memory(view.instance(&group.instance)?.memory);
        let data = Data::new(task, &deployment.settings, shares, memory, c);
        let stored = data.stored.iter().sum::<f64>() + data.blobs + reserved(group.log.is_some(), c);
        let asks = NodeDemand { stored: Some(Bytes(stored as u64)), ..NodeDemand::default() };
        let alone = Deployment { nodes: vec![group.clone()], zones: 1, ..deployment.clone() };
        let alone =
            Deployment { settings: deployment::EngineSettings { replicas: Some(1), ..alone.settings }, ..alone };
        let report = check(&alone, view, &asks)?;
        if let Some(line) = report.violations().find(|line| line.limit == BindingLimit::Capacity) {
            let size = Bytes((line.delivered * Bytes::gib(1).as_f64()) as u64);
            return Err(SimulateError::TooMuchData { group: place, stored: Bytes(stored as u64), size });
        }
        if let Some(log) = &group.log {
            let size = log.limits(view, Some(view.instance(&group.instance)?))?.size;
            if size.as_f64() < c.log_space {
                return Err(SimulateError::LogDiskTooSmall { group: place, needs: Bytes(c.log_space as u64), size });
            }
        }
    }
    Ok(())
}
