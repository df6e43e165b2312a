//! A file of events held against what is run: how the load changes, and what is done to the cluster when. What cannot be done is
//! refused before anything is started.

use bench::{BenchError, LoadCourse, LoadTurn, LoopKind, RunLimits};
use deployment::Deployment;
use disk::{DiskFault, RequestedRate};
use events::{DeploymentNames, EventKind, EventScript, OnlineSetting};
use serde_json::{Map, Value, json};
use units::{Bytes, Nanos};
use workload::operations::OperationRecipe;

use crate::deed::{Done, ScheduledAction};
use crate::{StoreDatabase, StoreRunSpec, TrialError};

impl StoreRunSpec {
    /// The same order with events, whose instants count from the start of the warm-up, as the simulation's do from its start. Steady
    /// state is not waited for: a run warms up for the least time that it was to, and is measured for the most.
    ///
    /// # Errors
    /// When an event cannot be made to happen here; at its line and key, with what to do.
    pub fn following(mut self, script: &EventScript) -> Result<Self, TrialError> {
        let limits = self.plan.limits;
        self.plan.limits = RunLimits { warm_most: limits.warm_least, measure_least: limits.measure_most, ..limits };
        let ends = limits.warm_least + limits.measure_most;
        let recipe = OperationRecipe::new(&self.workload, self.scale)?;
        let given = Given { order: &self, recipe: &recipe };
        let mut deeds = Vec::new();
        let mut loads = Vec::new();
        for (number, event) in script.events().iter().enumerate() {
            if event.at >= ends {
                return Err(script.too_late(number, ends, "measure for longer with --most").into());
            }
            let error = |why: String| script.error(number, why);
            match &event.what {
                EventKind::Load(factor) => loads.push((event.at, Some(*factor), None)),
                EventKind::Mix(factors) => loads.push((event.at, None, Some(given.mix(*factors).map_err(error)?))),
                what => deeds.extend(given.deeds(event.at, what).map_err(error)?),
            }
        }
        deeds.sort_by_key(|deed| deed.at);
        // What is done to a cluster so that it fails is no failure of the run.
        self.plan.may_fail = units::Ratio(1.0);
        self.plan.course = course(loads)?;
        self.deeds = deeds;
        self.plan.notes.extend(script.text().map(|events| ("events".to_owned(), events.content().to_owned())));
        Ok(self)
    }
}

/// What is so from each event of the load on.
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

/// What events are held against.
struct Given<'o> {
    order: &'o StoreRunSpec,
    recipe: &'o OperationRecipe,
}

impl Given<'_> {
    fn mix(&self, factors: [f64; 3]) -> Result<Vec<f64>, String> {
        let weights = self.recipe.mixed(factors)?;
        let all: f64 = weights.iter().sum();
        let closed = matches!(self.order.plan.load, LoopKind::Closed { .. });
        if closed && (all - 1.0).abs() > 1e-3 {
            return Err(format!(
                "it makes {all:.3} operations of one, and clients who wait for their answers send what they are answered: let the \
                 factors leave the sum of the operations as it is, or send at a rate with --rate"
            ));
        }
        Ok(weights)
    }

    /// What is started for the run, and may be hurt.
    fn started(&self) -> Result<(&Deployment, &cluster::ClusterOptions, f64), String> {
        match &self.order.database {
            StoreDatabase::Reference { deployment, options, share, .. } => {
                Ok((deployment.as_ref(), options.as_ref(), *share))
            }
            StoreDatabase::Existing(url) => Err(format!(
                "only the load of {url} can change, which was not started for this run: take `load` and `mix`, or start a \
                 deployment with --on"
            )),
        }
    }

    fn deeds(&self, at: Nanos, what: &EventKind) -> Result<Vec<ScheduledAction>, String> {
        let (deployment, options, share) = self.started()?;
        let names = DeploymentNames::of(deployment);
        let deed = |at: Nanos, done: Done| ScheduledAction { at, said: what.to_string(), what: done };
        let away = |nodes: Vec<usize>, lasts: Nanos| -> Vec<ScheduledAction> {
            let until = at.0.checked_add(lasts.0).map(Nanos);
            let pair = |node| [Some(deed(at, Done::Pause(node))), until.map(|until| deed(until, Done::Resume(node)))];
            nodes.into_iter().flat_map(pair).flatten().collect()
        };
        Ok(match what {
            EventKind::Load(_) | EventKind::Mix(_) => Vec::new(),
            EventKind::Fault { node, disk, wish } => {
                possible(*wish, share)?;
                let place = |(node, number): (usize, usize)| {
                    let (disk, _) = names.groups()[node].disks().nth(number).expect("a disk that is there");
                    deed(at, Done::Wish { node, disk, wish: *wish })
                };
                names.places(node, disk)?.into_iter().map(place).collect()
            }
            EventKind::Setting(setting) => {
                can_be_set(setting, deployment, options)?;
                vec![deed(at, Done::Set(Map::from_iter([(setting.name().to_owned(), value(setting))])))]
            }
            EventKind::ZoneDown { zone, lasts } => away(names.zone(zone)?, *lasts),
            EventKind::NodeDown { node, lasts } => away(names.nodes(node)?, *lasts),
            EventKind::Modify { .. } => return Err(format!("disks are not modified here; {SIMULATED}")),
            EventKind::EvictLeaders { .. } => return Err(format!("leaders are not evicted here; {SIMULATED}")),
        })
    }
}

const SIMULATED: &str = "leave it out, or run the file with `diskwright simulate`";

/// Whether a wish leaves a node that can be measured.
fn possible(wish: RequestedRate, share: f64) -> Result<(), String> {
    match wish {
        RequestedRate::Inject(DiskFault::Detach | DiskFault::PowerCut, _) | RequestedRate::Attach => {
            Err("a store ends with its disk, and the run with the store: take `stall`, or `node-down`".to_owned())
        }
        RequestedRate::Heal if share < 1.0 => {
            Err("`heal` would give the disks what --disk-share takes: say how long a fault lasts".to_owned())
        }
        _ => Ok(()),
    }
}

/// What a node says only when it is asked to is said before.
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
        OnlineSetting::RateLimit(rate) => json!(Bytes(rate.0.round() as u64).to_string()),
        OnlineSetting::BackgroundJobs(jobs) => json!(jobs),
        OnlineSetting::FlowControl(on) => json!(on),
        OnlineSetting::BlockCache(size) => json!(size.to_string()),
    }
}

#[cfg(test)]
#[path = "events_tests.rs"]
mod tests;
