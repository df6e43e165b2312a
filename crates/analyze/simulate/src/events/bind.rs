//! Events held against a deployment: names become numbers, and what no cloud or TiKV would do is refused before time zero.

use std::collections::BTreeMap;

use catalog::CatalogView;
use deployment::{Deployment, NodeGroup};
use disk::{Device, Disk, DiskLimits, ModificationRules, RequestedRate};
use events::{EventEntry, EventKind, EventScript, OnlineSetting};
use textfile::InputError;
use units::{Bytes, Nanos};
use workload::Task;

use crate::SimulationOptions;
use crate::load::{Caches, Data};
use crate::sent::Sent;

/// What the world does at an instant.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Action {
    /// So many times the load of the beginning.
    Load(f64),
    /// An operation has so many times the reads, scans and writes of the beginning.
    Mix([f64; 3]),
    /// A fault of a disk, or its end.
    Fault { node: usize, disk: usize, wish: RequestedRate },
    /// A disk becomes another: each volume of these limits, all together of those.
    Modify {
        node: usize,
        disk: usize,
        to: Disk,
        each: Box<DiskLimits>,
        whole: Box<DiskLimits>,
        rules: ModificationRules,
    },
    /// A setting.
    Set(Knob),
    /// A node goes away.
    Down(usize),
    /// It is back.
    Up(usize),
    /// A node hands its leaders over.
    Evict(usize),
    /// It may lead again.
    Lead(usize),
}

/// A change of a setting for the world to make.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Knob {
    /// The ceiling of flush and compaction writes, bytes a second.
    RateLimit(f64),
    /// Threads of flushes and compactions together.
    BackgroundJobs(u32),
    /// TiKV's flow control instead of RocksDB's stalls.
    FlowControl(bool),
    /// Of each node, how its reads fare from now on.
    Caches(Vec<Caches>),
}

/// The end of a span that begins at an instant; `None` if there is none.
fn end(at: Nanos, lasts: Nanos) -> Option<Nanos> {
    at.0.checked_add(lasts.0).map(Nanos)
}

/// What events are held against.
struct Given<'a> {
    deployment: &'a Deployment,
    view: &'a CatalogView,
    options: &'a SimulationOptions,
    names: events::DeploymentNames<'a>,
}

/// The actions of a script with their instants, in order of time.
///
/// # Errors
/// When an event names what is not there, asks for what is refused, or never comes; at its line and key.
pub(crate) fn bind(
    script: &EventScript,
    deployment: &Deployment,
    task: &Task,
    view: &CatalogView,
    options: &SimulationOptions,
) -> Result<Vec<(Nanos, Action)>, InputError> {
    let given = Given { deployment, view, options, names: events::DeploymentNames::of(deployment) };
    let mut actions = Vec::new();
    for (number, event) in script.events().iter().enumerate() {
        if event.at >= options.span {
            return Err(script.too_late(number, options.span, "let it last longer with --for"));
        }
        actions.extend(given.actions(event, task).map_err(|why| script.error(number, why))?);
    }
    // Those of one instant stay in the order of the file.
    actions.sort_by_key(|(at, _)| *at);
    given.try_modifications(script)?;
    Ok(actions)
}

impl Given<'_> {
    fn groups(&self) -> &[&NodeGroup] {
        self.names.groups()
    }

    /// Modifications have waits between them: all are tried once on fresh disks.
    fn try_modifications(&self, script: &EventScript) -> Result<(), InputError> {
        let mut order: Vec<(usize, &EventEntry)> = script.events().iter().enumerate().collect();
        order.sort_by_key(|(_, event)| event.at);
        let mut devices: BTreeMap<(usize, usize), Device> = BTreeMap::new();
        for (number, event) in order {
            let error = |why: String| script.error(number, why);
            for action in self.modifications(event).map_err(error)? {
                let Action::Modify { node, disk, each, rules, .. } = action else { continue };
                let group = self.groups()[node];
                let (_, had) = group.disks().nth(disk).expect("bound to a disk that is there");
                let instance = self.view.instance(&group.instance).ok();
                let spec = had.spec(self.view, instance).map_err(|why| error(why.to_string()))?;
                let device = devices.entry((node, disk)).or_insert_with(|| Device::new(spec, 0));
                device.modify(event.at, &each, &rules).map_err(|why| error(why.to_string()))?;
            }
        }
        Ok(())
    }

    fn actions(&self, event: &EventEntry, task: &Task) -> Result<Vec<(Nanos, Action)>, String> {
        let at = event.at;
        let span = |nodes: Vec<usize>, lasts: Nanos, first: fn(usize) -> Action, last: fn(usize) -> Action| {
            let ends = end(at, lasts).into_iter().flat_map({
                let nodes = nodes.clone();
                move |until| nodes.clone().into_iter().map(move |node| (until, last(node)))
            });
            nodes.into_iter().map(|node| (at, first(node))).chain(ends).collect()
        };
        Ok(match &event.what {
            EventKind::Load(factor) => {
                Sent::of(task, self.options).and_then(|sent| sent.times(*factor)).map_err(|error| error.to_string())?;
                vec![(at, Action::Load(*factor))]
            }
            EventKind::Mix(factors) => {
                task.profile.touches(*factors).map_err(|error| error.to_string())?;
                vec![(at, Action::Mix(*factors))]
            }
            EventKind::Fault { node, disk, wish } => {
                let places = self.names.places(node, disk)?;
                places.into_iter().map(|(node, disk)| (at, Action::Fault { node, disk, wish: *wish })).collect()
            }
            EventKind::Modify { .. } => self.modifications(event)?.into_iter().map(|action| (at, action)).collect(),
            EventKind::Setting(setting) => vec![(at, Action::Set(self.knob(setting, task)?))],
            EventKind::ZoneDown { zone, lasts } => span(self.names.zone(zone)?, *lasts, Action::Down, Action::Up),
            EventKind::NodeDown { node, lasts } => span(self.names.nodes(node)?, *lasts, Action::Down, Action::Up),
            EventKind::EvictLeaders { node, lasts } => {
                let nodes = self.names.nodes(node)?;
                if nodes.len() == self.groups().len() {
                    return Err(format!("`{node}` is every node, and some node has to lead"));
                }
                span(nodes, *lasts, Action::Evict, Action::Lead)
            }
        })
    }

    fn modifications(&self, event: &EventEntry) -> Result<Vec<Action>, String> {
        let EventKind::Modify { node, disk, to } = &event.what else { return Ok(Vec::new()) };
        let one = |(node, disk): (usize, usize)| {
            let group = self.groups()[node];
            let (_, from) = group.disks().nth(disk).expect("places are of disks that are there");
            let instance = self.view.instance(&group.instance).map_err(|error| error.to_string())?;
            let rules = from.modification(to, self.view).map_err(|error| error.to_string())?;
            let each = to.spec(self.view, Some(instance)).map_err(|error| error.to_string())?.volume;
            let whole = to.limits(self.view, Some(instance)).map_err(|error| error.to_string())?;
            Ok(Action::Modify { node, disk, to: to.clone(), each: Box::new(each), whole: Box::new(whole), rules })
        };
        self.names.places(node, disk)?.into_iter().map(one).collect()
    }

    fn knob(&self, setting: &OnlineSetting, task: &Task) -> Result<Knob, String> {
        Ok(match *setting {
            OnlineSetting::RateLimit(rate) => Knob::RateLimit(rate.0),
            OnlineSetting::BackgroundJobs(jobs) => Knob::BackgroundJobs(jobs),
            OnlineSetting::FlowControl(on) => Knob::FlowControl(on),
            OnlineSetting::BlockCache(size) => Knob::Caches(
                self.groups().iter().map(|group| self.caches(group, size, task)).collect::<Result<_, _>>()?,
            ),
        })
    }

    /// How reads fare with a block cache of another size.
    fn caches(&self, group: &NodeGroup, size: Bytes, task: &Task) -> Result<Caches, String> {
        let memory = self.view.instance(&group.instance).map_err(|error| error.to_string())?.memory;
        if size > memory {
            return Err(format!("a block cache of {size} is more than the {memory:.1} of {}", group.instance));
        }
        let settings = deployment::EngineSettings { block_cache: Some(size), ..self.deployment.settings };
        let shares = (f64::from(self.deployment.storage_nodes()), f64::from(self.deployment.replicas()));
        let memory = self.options.memory(memory);
        Ok(Data::new(task, &settings, shares, memory, &self.options.constants).caches)
    }
}
