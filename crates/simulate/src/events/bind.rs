//! Events held against a deployment: names become numbers, and what no cloud or TiKV would do is refused before time zero.

use catalog::View;
use deployment::{Deployment, NodeGroup};
use disk::{Device, Disk, Limits, ModificationRules, Wish};
use input::{InputError, Text};
use units::{Bytes, Nanos};
use workload::Task;

use super::{Event, Knob, Script, Setting, What};
use crate::Options;
use crate::load::{Caches, Data};
use crate::network::zone_name;
use crate::record::node_name;

/// What the world does at an instant.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Action {
    /// So many times the load of the beginning.
    Load(f64),
    /// An operation has so many times the reads, scans and writes of the beginning.
    Mix([f64; 3]),
    /// A fault of a disk, or its end.
    Fault { node: usize, disk: usize, wish: Wish },
    /// A disk becomes another: each volume of these limits, all together of those.
    Modify { node: usize, disk: usize, to: Disk, each: Box<Limits>, whole: Box<Limits>, rules: ModificationRules },
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

/// The end of a span that begins at an instant; `None` if there is none.
fn end(at: Nanos, lasts: Nanos) -> Option<Nanos> {
    at.0.checked_add(lasts.0).map(Nanos)
}

/// What names are looked up in.
struct Names<'a> {
    deployment: &'a Deployment,
    view: &'a View,
    options: &'a Options,
    /// Of each node, its group.
    groups: Vec<&'a NodeGroup>,
}

impl Script {
    /// The actions with their instants, in order of time.
    ///
    /// # Errors
    /// When an event names what is not there, asks for what is refused, or never comes; at its line and key.
    pub(crate) fn bind(
        &self,
        deployment: &Deployment,
        task: &Task,
        view: &View,
        options: &Options,
    ) -> Result<Vec<(Nanos, Action)>, InputError> {
        let Some(text) = &self.text else { return Ok(Vec::new()) };
        let groups = deployment.storage().flat_map(|(_, group)| std::iter::repeat_n(group, group.count as usize));
        let names = Names { deployment, view, options, groups: groups.collect() };
        let mut actions = Vec::new();
        for (number, event) in self.events.iter().enumerate() {
            let error = |why: String| {
                let key = format!("events.{number}.{}", event.what.key());
                text.error_at_key(&key, format!("`{key}`: {why}"))
            };
            if event.at >= options.span {
                let key = format!("events.{number}.at");
                let why = format!("`{key}`: the run ends at {}, so this never happens", options.span);
                return Err(text.error_at_key(&key, why).help("let it last longer with --for"));
            }
            actions.extend(names.actions(event, task).map_err(error)?);
        }
        // Those of one instant stay in the order of the file.
        actions.sort_by_key(|(at, _)| *at);
        self.try_modifications(text, &names)?;
        Ok(actions)
    }

    /// Modifications have waits between them: all are tried once on fresh disks.
    fn try_modifications(&self, text: &Text, names: &Names<'_>) -> Result<(), InputError> {
        let mut order: Vec<(usize, &Event)> = self.events.iter().enumerate().collect();
        order.sort_by_key(|(_, event)| event.at);
        let mut devices: std::collections::BTreeMap<(usize, usize), Device> = std::collections::BTreeMap::new();
        for (number, event) in order {
            let key = format!("events.{number}.modify");
            let error = |why: String| text.error_at_key(&key, format!("`{key}`: {why}"));
            for action in names.modifications(event).map_err(error)? {
                let Action::Modify { node, disk, each, rules, .. } = action else { continue };
                let (_, had) = names.groups[node].disks().nth(disk).expect("bound to a disk that is there");
                let instance = names.view.instance(&names.groups[node].instance).ok();
                let spec = had.spec(names.view, instance).map_err(|why| error(why.to_string()))?;
                let device = devices.entry((node, disk)).or_insert_with(|| Device::new(spec, 0));
                device.modify(event.at, &each, &rules).map_err(|why| error(why.to_string()))?;
            }
        }
        Ok(())
    }
}

impl What {
    /// The key that it is written under.
    fn key(&self) -> &'static str {
        match self {
            Self::Load(_) => "load",
            Self::Mix(_) => "mix",
            Self::Fault { .. } => "fault",
            Self::Modify { .. } => "modify",
            Self::Setting(_) => "setting",
            Self::ZoneDown { .. } => "zone-down",
            Self::NodeDown { .. } => "node-down",
            Self::EvictLeaders { .. } => "evict-leaders",
        }
    }
}

impl Names<'_> {
    fn actions(&self, event: &Event, task: &Task) -> Result<Vec<(Nanos, Action)>, String> {
        let at = event.at;
        let span = |nodes: Vec<usize>, lasts: Nanos, first: fn(usize) -> Action, last: fn(usize) -> Action| {
            let ends = end(at, lasts).into_iter().flat_map({
                let nodes = nodes.clone();
                move |until| nodes.clone().into_iter().map(move |node| (until, last(node)))
            });
            nodes.into_iter().map(|node| (at, first(node))).chain(ends).collect()
        };
        Ok(match &event.what {
            What::Load(factor) => vec![(at, Action::Load(*factor))],
            What::Mix(factors) => vec![(at, Action::Mix(*factors))],
            What::Fault { node, disk, wish } => {
                let places = self.places(node, disk)?;
                places.into_iter().map(|(node, disk)| (at, Action::Fault { node, disk, wish: *wish })).collect()
            }
            What::Modify { .. } => self.modifications(event)?.into_iter().map(|action| (at, action)).collect(),
            What::Setting(setting) => vec![(at, Action::Set(self.knob(setting, task)?))],
            What::ZoneDown { zone, lasts } => span(self.zone(zone)?, *lasts, Action::Down, Action::Up),
            What::NodeDown { node, lasts } => span(self.nodes(node)?, *lasts, Action::Down, Action::Up),
            What::EvictLeaders { node, lasts } => {
                let nodes = self.nodes(node)?;
                if nodes.len() == self.groups.len() {
                    return Err(format!("`{node}` is every node, and some node has to lead"));
                }
                span(nodes, *lasts, Action::Evict, Action::Lead)
            }
        })
    }

    fn modifications(&self, event: &Event) -> Result<Vec<Action>, String> {
        let What::Modify { node, disk, to } = &event.what else { return Ok(Vec::new()) };
        let one = |(node, disk): (usize, usize)| {
            let group = self.groups[node];
            let (_, from) = group.disks().nth(disk).expect("places are of disks that are there");
            let instance = self.view.instance(&group.instance).map_err(|error| error.to_string())?;
            let rules = from.modification(to, self.view).map_err(|error| error.to_string())?;
            let each = to.spec(self.view, Some(instance)).map_err(|error| error.to_string())?.volume;
            let whole = to.limits(self.view, Some(instance)).map_err(|error| error.to_string())?;
            Ok(Action::Modify { node, disk, to: to.clone(), each: Box::new(each), whole: Box::new(whole), rules })
        };
        self.places(node, disk)?.into_iter().map(one).collect()
    }

    /// The nodes of a name: `n2`, or `all`.
    fn nodes(&self, name: &str) -> Result<Vec<usize>, String> {
        let all = self.groups.len();
        if name == "all" {
            return Ok((0..all).collect());
        }
        let node = (0..all).find(|node| node_name(*node) == name);
        node.map(|node| vec![node]).ok_or_else(|| {
            format!(
                "no node is called `{name}`; the storage nodes are {} to {}, or `all`",
                node_name(0),
                node_name(all - 1)
            )
        })
    }

    /// The nodes of a zone.
    fn zone(&self, name: &str) -> Result<Vec<usize>, String> {
        let zones = self.deployment.zones.max(1) as usize;
        let zone = (0..zones).find(|zone| zone_name(*zone) == name).ok_or_else(|| {
            format!("no zone is called `{name}`; the deployment's are {} to {}", zone_name(0), zone_name(zones - 1))
        })?;
        Ok((0..self.groups.len()).filter(|node| node % zones == zone).collect())
    }

    /// Nodes, and the number of the disk on each.
    fn places(&self, node: &str, disk: &str) -> Result<Vec<(usize, usize)>, String> {
        let place = |node: usize| {
            let found = self.groups[node].disks().position(|(name, _)| name == disk);
            found.map(|disk| (node, disk)).ok_or_else(|| self.no_disk(&node_name(node), disk))
        };
        self.nodes(node)?.into_iter().map(place).collect()
    }

    fn no_disk(&self, node: &str, disk: &str) -> String {
        let shared = if disk == "log" {
            "; its raft log is on `data`"
        } else {
            "; a node has `data`, and `log` where the raft log has its own"
        };
        format!("{node} has no disk `{disk}`{shared}")
    }

    fn knob(&self, setting: &Setting, task: &Task) -> Result<Knob, String> {
        Ok(match *setting {
            Setting::RateLimit(rate) => Knob::RateLimit(rate.0),
            Setting::BackgroundJobs(jobs) => Knob::BackgroundJobs(jobs),
            Setting::FlowControl(on) => Knob::FlowControl(on),
            Setting::BlockCache(size) => {
                Knob::Caches(self.groups.iter().map(|group| self.caches(group, size, task)).collect::<Result<_, _>>()?)
            }
        })
    }

    /// How reads fare with a block cache of another size.
    fn caches(&self, group: &NodeGroup, size: Bytes, task: &Task) -> Result<Caches, String> {
        let memory = self.view.instance(&group.instance).map_err(|error| error.to_string())?.memory;
        if size > memory {
            return Err(format!("a block cache of {size} is more than the {memory:.1} of {}", group.instance));
        }
        let settings = deployment::Settings { block_cache: Some(size), ..self.deployment.settings };
        let shares = (f64::from(self.deployment.storage_nodes()), f64::from(self.deployment.replicas()));
        let memory = self.options.memory(memory);
        Ok(Data::new(task, &settings, shares, memory, &self.options.constants).caches)
    }
}
