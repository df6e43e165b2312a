//! A run from time zero to its end.

use std::collections::BTreeMap;

use catalog::View;
use deployment::{Asks, Deployment, Limit, check};
use timeline::{About, Timeline};
use units::{Bytes, Nanos};
use workload::{Engine, Task};

use crate::judge::Judge;
use crate::load::Data;
use crate::record::Recorder;
use crate::world::{Event, Seen, World};
use crate::{Constants, Options, SimulateError, Summary};

/// The longest run.
const LONGEST: Nanos = Nanos::secs(100 * 366 * 86_400);
/// Virtual time after which whoever watches hears how far a run is, where its steps are longer.
const LOOK: Nanos = Nanos::secs(1);

/// What a run gives.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// The series that a measured run has too, in virtual time.
    pub timeline: Timeline,
    /// In numbers.
    pub summary: Summary,
}

/// Simulates a task on a deployment.
///
/// # Errors
/// When the deployment cannot start, or the task cannot be sent.
pub fn simulate(deployment: &Deployment, task: &Task, view: &View, options: &Options) -> Result<Run, SimulateError> {
    simulate_watched(deployment, task, view, options, &mut |_| true)
}

/// The same; `watch` hears once a virtual second or oftener how far it is, and ends the run early by answering `false`.
///
/// # Errors
/// As [`simulate`].
pub fn simulate_watched(
    deployment: &Deployment,
    task: &Task,
    view: &View,
    options: &Options,
    watch: &mut dyn FnMut(Nanos) -> bool,
) -> Result<Run, SimulateError> {
    refuse(deployment, task, view, options)?;
    let mut world = World::new(deployment, task, view, options)?;
    let step = options.actual_step();
    let mut recorder = Recorder::new(&world, step, options.span);
    let mut judge = Judge::new(&world, step);
    let mut full = None;
    let steps = options.span.0.div_ceil(step.0);
    // At least the last step is measured.
    let warm = (options.warm_up.0 / step.0).min(steps - 1);
    world.agenda.add(step, Event::Tick);
    if step > LOOK {
        world.agenda.add(LOOK, Event::Look);
    }
    'run: for number in 1..=steps {
        while world.run() == Event::Look {
            if !watch(world.now) {
                break 'run;
            }
            world.agenda.add(world.now + LOOK, Event::Look);
        }
        let now = world.now;
        world.agenda.add(Nanos((number + 1) * step.0), Event::Tick);
        let seen = std::mem::replace(&mut world.seen, Seen::new());
        let mut samples = Vec::with_capacity(world.nodes.len());
        for node in &mut world.nodes {
            node.flow.tick(now, step.as_secs_f64());
            samples.push(node.disks.sample());
            if node.disks.size() > node.size {
                node.size = node.disks.size();
            }
        }
        recorder.add(&world, &samples, &seen);
        recorder.held_up(&judge.add(&world, &samples, &seen, now, number > warm));
        full = world.nodes.iter().position(|node| node.stored() + node.reserved > node.size).map(|node| (node, now));
        if full.is_some() || !watch(now) {
            break;
        }
    }
    let mut notes = BTreeMap::from([
        ("seed".to_owned(), options.seed.to_string()),
        ("deployment".to_owned(), deployment.to_toml()),
        ("measured-from-ns".to_owned(), (warm * step.0).to_string()),
        ("measured-until-ns".to_owned(), world.now.0.to_string()),
    ]);
    notes.extend(options.script.source().map(|events| ("events".to_owned(), events.to_owned())));
    let timeline = recorder.finish(About { title: deployment.name.clone(), start: None, notes });
    Ok(Run { timeline, summary: judge.finish(&world, task.profile.unit, full) })
}

fn name(engine: Engine) -> &'static str {
    match engine {
        Engine::TiKv => "TiKV",
        Engine::InnoDb => "InnoDB",
    }
}

/// Bytes on the data disk of a node beside its files: TiKV's reserve, and the log if it has no disk of its own.
pub(crate) fn reserved(separate_log: bool, c: &Constants) -> f64 {
    c.reserved_space + if separate_log { 0.0 } else { c.log_space }
}

/// What cannot start is refused before time zero.
fn refuse(deployment: &Deployment, task: &Task, view: &View, options: &Options) -> Result<(), SimulateError> {
    if task.engine != deployment.engine {
        let (workload, deployment) = (name(task.engine), name(deployment.engine));
        return Err(SimulateError::OtherEngine { workload, deployment });
    }
    deployment.validate(view)?;
    if deployment.engine != Engine::TiKv {
        return Err(SimulateError::NotYet { engine: name(deployment.engine) });
    }
    if task.measured.is_some() {
        return Err(SimulateError::Measured);
    }
    let step = options.actual_step();
    if options.span < step || options.span > LONGEST {
        return Err(SimulateError::Span { span: options.span, least: step });
    }
    let c = &options.constants;
    let shares = (f64::from(deployment.storage_nodes()), f64::from(deployment.replicas()));
    for (place, group) in deployment.storage() {
        let memory = options.memory(view.instance(&group.instance)?.memory);
        let data = Data::new(task, &deployment.settings, shares, memory, c);
        let stored = data.stored.iter().sum::<f64>() + data.blobs + reserved(group.log.is_some(), c);
        let asks = Asks { stored: Some(Bytes(stored as u64)), ..Asks::default() };
        let alone = Deployment { nodes: vec![group.clone()], zones: 1, ..deployment.clone() };
        let alone = Deployment { settings: deployment::Settings { replicas: Some(1), ..alone.settings }, ..alone };
        let report = check(&alone, view, &asks)?;
        if let Some(line) = report.violations().find(|line| line.limit == Limit::Capacity) {
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
