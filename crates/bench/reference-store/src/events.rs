//! A file of events applied to a run: how the load changes, and what is done to the cluster when. What cannot be done is refused
//! before anything is launched.

use bench::{BenchError, DatabaseSource, LoadCourse, LoadTurn, LoopKind, RunLimits};
use deployment::Deployment;
use disk::{DiskFault, RequestedRate};
use events::{DeploymentNames, EventKind, EventScript, OnlineSetting};
use serde_json::{Map, Value, json};
use units::{Bytes, Nanos};
use workload::operations::OperationRecipe;

use crate::action::{ClusterChange, ScheduledAction};
use crate::{LaunchedStore, ReferenceStoreError, StoreSpec};

/// The same run with events, whose instants count from the start of the warm-up, as the simulation's do from its start; those of
/// another file are forgotten. Steady state is not waited for: the run warms up for the least time of its plan, and is measured for
/// the most.
///
/// # Errors
/// When an event cannot be made to happen here; at its line and key, with what to do.
pub fn with_events(mut spec: StoreSpec, script: &EventScript) -> Result<StoreSpec, ReferenceStoreError> {
    let limits = spec.plan.limits;
    spec.plan.limits = RunLimits { warm_most: limits.warm_least, measure_least: limits.measure_most, ..limits };
    let ends = limits.warm_least + limits.measure_most;
    let recipe = OperationRecipe::new(&spec.settings.workload, spec.settings.scale)?;
    let target = EventTarget { spec: &spec, recipe: &recipe };
    let mut actions = Vec::new();
    let mut loads = Vec::new();
    for (number, event) in script.events().iter().enumerate() {
        if event.at >= ends {
            return Err(script.too_late(number, ends, "measure for longer with --most").into());
        }
        let error = |why: String| script.error(number, why);
        match &event.what {
            EventKind::Load(factor) => loads.push((event.at, Some(*factor), None)),
            EventKind::Mix(factors) => loads.push((event.at, None, Some(target.mix(*factors).map_err(error)?))),
            what => actions.extend(target.actions(event.at, what).map_err(error)?),
        }
    }
    actions.sort_by_key(|action| action.at);
    // What is done to a cluster so that it fails is no failure of the run.
    spec.plan.may_fail = units::Ratio(1.0);
    spec.plan.course = course(loads)?;
    spec.settings.actions = actions;
    spec.plan.notes.extend(script.text().map(|events| ("events".to_owned(), events.content().to_owned())));
    Ok(spec)
}

/// The load from each event of it on.
fn course(mut loads: Vec<(Nanos, Option<f64>, Option<Vec<f64>>)>) -> Result<LoadCourse, BenchError> {
    // Those of one instant stay in the order of the file.
    loads.sort_by_key(|(at, ..)| *at);
    let (mut load, mut weights) = (1.0, Vec::new());
    let turn = |(at, factor, mix): (Nanos, Option<f64>, Option<Vec<f64>>)| {
        load = factor.unwrap_or(load);
        weights = mix.unwrap_or(std::mem::take(&mut weights));
        // Twice the scans beside as many reads are more operations, as they are in the simulation.
        let more: f64 = if weights.is_empty() { 1.0 } else { weights.iter().sum() };
        LoadTurn { at, load: load * more, weights: weights.clone() }
    };
    LoadCourse::new(loads.into_iter().map(turn).collect())
}

/// A run that events are applied to.
struct EventTarget<'o> {
    spec: &'o StoreSpec,
    recipe: &'o OperationRecipe,
}

impl EventTarget<'_> {
    fn mix(&self, factors: [f64; 3]) -> Result<Vec<f64>, String> {
        let weights = self.recipe.mixed(factors)?;
        let all: f64 = weights.iter().sum();
        let closed = matches!(self.spec.plan.load, LoopKind::Closed { .. });
        if closed && (all - 1.0).abs() > 1e-3 {
            return Err(format!(
                "it makes {all:.3} operations of one, and clients who wait for their answers send what they are answered: let the \
                 factors leave the sum of the operations as it is, or send at a rate with --rate"
            ));
        }
        Ok(weights)
    }

    /// The cluster that is launched for the run, and may be hurt.
    fn launched(&self) -> Result<&LaunchedStore, String> {
        match &self.spec.settings.source {
            DatabaseSource::Launched(launched) => Ok(launched),
            DatabaseSource::Existing(url) => Err(format!(
                "only the load of {url} can change, which was not started for this run: take `load` and `mix`, or start a \
                 deployment with --on"
            )),
        }
    }

    fn actions(&self, at: Nanos, what: &EventKind) -> Result<Vec<ScheduledAction>, String> {
        let LaunchedStore { deployment, options, share, .. } = self.launched()?;
        let names = DeploymentNames::of(deployment);
        let action = |at: Nanos, change: ClusterChange| ScheduledAction { at, text: what.to_string(), change };
        let away = |nodes: Vec<usize>, lasts: Nanos| -> Vec<ScheduledAction> {
            let until = at.0.checked_add(lasts.0).map(Nanos);
            let pair = |node| {
                [
                    Some(action(at, ClusterChange::Pause(node))),
                    until.map(|until| action(until, ClusterChange::Resume(node))),
                ]
            };
            nodes.into_iter().flat_map(pair).flatten().collect()
        };
        Ok(match what {
            EventKind::Load(_) | EventKind::Mix(_) => Vec::new(),
            EventKind::Fault { node, disk, wish } => {
                possible(*wish, *share)?;
                let place = |(node, number): (usize, usize)| {
                    let (disk, _) = names.groups()[node].disks().nth(number).expect("a disk that is there");
                    action(at, ClusterChange::Disk { node, disk, rate: *wish })
                };
                names.places(node, disk)?.into_iter().map(place).collect()
            }
            EventKind::Setting(setting) => {
                can_be_set(setting, deployment, options)?;
                vec![action(at, ClusterChange::Set(Map::from_iter([(setting.name().to_owned(), value(setting))])))]
            }
            EventKind::ZoneDown { zone, lasts } => away(names.zone(zone)?, *lasts),
            EventKind::NodeDown { node, lasts } => away(names.nodes(node)?, *lasts),
            EventKind::Modify { .. } => return Err(format!("disks are not modified here; {SIMULATED}")),
            EventKind::EvictLeaders { .. } => return Err(format!("leaders are not evicted here; {SIMULATED}")),
        })
    }
}

const SIMULATED: &str = "leave it out, or run the file with `diskwright simulate`";

/// Whether a requested rate leaves a node that can be measured.
fn possible(rate: RequestedRate, share: f64) -> Result<(), String> {
    match rate {
        RequestedRate::Inject(DiskFault::Detach | DiskFault::PowerCut, _) | RequestedRate::Attach => {
            Err("a store ends with its disk, and the run with the store: take `stall`, or `node-down`".to_owned())
        }
        RequestedRate::Heal if share < 1.0 => {
            Err("`heal` would give the disks what --disk-share takes: say how long a fault lasts".to_owned())
        }
        _ => Ok(()),
    }
}

/// Refuses beforehand what a node would refuse when it is asked.
fn can_be_set(
    setting: &OnlineSetting,
    deployment: &Deployment,
    options: &cluster::ClusterOptions,
) -> Result<(), String> {
    let OnlineSetting::RateLimit(_) = setting else { return Ok(()) };
    let tuned = options.keys.get("rocksdb").and_then(|keys| keys.get("rate-limiter-auto-tuned"));
    let fixed = tuned.map_or(deployment.settings.rate_limit.is_some(), |tuned| tuned.as_bool() == Some(false));
    if fixed {
        return Ok(());
    }
    Err("a limiter that tunes itself keeps its ceiling in the reference store: give the deployment a `rate-limit`, or \
         --set rocksdb.rate-limiter-auto-tuned=false"
        .to_owned())
}

/// As TiKV's `/config` takes it.
fn value(setting: &OnlineSetting) -> Value {
    match *setting {
        OnlineSetting::RateLimit(rate) => json!(Bytes(rate.0.round() as u64).binary().to_string()),
        OnlineSetting::BackgroundJobs(jobs) => json!(jobs),
        OnlineSetting::FlowControl(on) => json!(on),
        OnlineSetting::BlockCache(size) => json!(size.binary().to_string()),
    }
}

#[cfg(test)]
#[path = "events_tests.rs"]
mod tests;
