//! From a deployment and a task to the world at time zero.

use catalog::CatalogView;
use deployment::{Deployment, NodeGroup};
use rand::{RngExt, SeedableRng};
use rand_distr::Exp1;
use rand_xoshiro::Xoshiro256PlusPlus;
use slab::Slab;
use units::Nanos;
use workload::Task;

use super::batches::Batches;
use super::cached::Cached;
use super::event::{Event, MOST_FOLLOWERS, NONE};
use super::journal::Journal;
use super::machine::Shared;
use super::node::{Counts, Node, Slots, Writer, threads};
use super::outage::Outage;
use super::own_log::OwnLog;
use super::regions::Regions;
use super::writeback::Writeback;
use super::{SqlNode, World};
use crate::agenda::EventAgenda;
use crate::blobs::Blobs;
use crate::cpu::{Cpu, Pool};
use crate::flow::Flow;
use crate::limiter::{Limiter, Pilot};
use crate::load::{Data, Load, reserved};
use crate::network::Network;
use crate::sent::{Seen, Sent};
use crate::steps::PAUSE;
use crate::tree::{Shape, Tree};
use crate::{SimulateError, SimulationOptions, WriteRateTuner};

/// rocksdb.rate-bytes-per-sec: 10 GB.
const RATE_LIMIT: f64 = 10.0 * 1024.0 * 1024.0 * 1024.0;
/// Sets of followers that one node's ranges have at most.
const MOST_SETS: usize = 8;
/// Seconds over which the clients of a closed loop begin, so that they do not march in step.
pub(super) const RAMP: f64 = 1.0;

impl World {
    /// The world at time zero. The deployment has been checked. `watch` hears of each node that is made.
    pub(crate) fn new(
        deployment: &Deployment,
        task: &Task,
        view: &CatalogView,
        options: &SimulationOptions,
        watch: &mut dyn FnMut(Nanos) -> bool,
    ) -> Result<Self, SimulateError> {
        let script = crate::events::bind(&options.script, deployment, task, view, options)?;
        let c = &options.constants;
        let settings = &deployment.settings;
        // Raw keys do not pass through SQL, and the one machine of the reference store has no such layer.
        let speaks = task.profile.transactional && options.machine.is_none();
        let sql = if speaks { SqlNode::all(deployment, view)? } else { Vec::new() };
        let mut load = Load::new(task, settings, c);
        if !sql.is_empty() {
            load.speaks_sql(c);
        }
        let sent = Sent::of(task, options)?;
        let mut random = Xoshiro256PlusPlus::seed_from_u64(options.seed);
        let mut nodes = Vec::new();
        for (_, group) in deployment.storage() {
            for _ in 0..group.count {
                if !watch(Nanos(0)) {
                    return Err(SimulateError::Ended);
                }
                let zone = nodes.len() % deployment.zones as usize;
                nodes.push(node(deployment, group, task, view, options, zone, &mut random)?);
            }
        }
        let zones: Vec<usize> = nodes.iter().map(|node: &Node| node.zone).collect();
        let replicas = deployment.replicas() as usize;
        let regions = options.machine.map_or(0, |machine| machine.regions).div_ceil(nodes.len().max(1) as u32);
        let followers: Vec<_> = (0..nodes.len()).map(|leader| follower_sets(leader, &zones, replicas)).collect();
        for (node, sets) in nodes.iter_mut().zip(&followers) {
            node.gathering = vec![NONE; sets.len()];
            node.regions = Regions::led(regions);
        }
        let zipped = settings.grpc_compression == Some(true);
        let network = Network::new(deployment.zones, settings, c);
        let trip = network.between(0, usize::from(deployment.zones > 1));
        let data = Data::new(task, settings, (nodes.len() as f64, replicas as f64), 0.0, c);
        let mut world = Self {
            c: *c,
            shared: options.machine.map(|machine| Shared::new(&machine, c)),
            options: options.clone(),
            sent,
            began_with: sent,
            leaving: 0,
            script,
            now: Nanos(0),
            agenda: EventAgenda::new(),
            network,
            sql,
            connections: 0,
            zones: (0..deployment.zones as usize)
                .map(|zone| (0..zones.len()).filter(|node| zones[*node] == zone).map(|node| node as u16).collect())
                .collect(),
            followers,
            leaders: (0..nodes.len() as u16).collect(),
            any_away: false,
            quorum: (replicas / 2 + 1) as u8,
            ops: Slab::new(),
            reqs: Slab::new(),
            groups: Slab::new(),
            batches: Batches::default(),
            outbox: vec![NONE; nodes.len()],
            works: Slab::new(),
            parts: Slab::new(),
            spread: vec![0; nodes.len()],
            follower_read: settings.follower_read == Some(true),
            index_trip: trip + trip,
            apply_delay: Nanos::from_secs_f64(c.apply),
            wire: if zipped { (task.profile.compressed, c.cpu_gzip_byte) } else { (1.0, 0.0) },
            separated: data.separated,
            seen: Seen::new(),
            events: 0,
            pause: PAUSE,
            to_apply: Vec::new(),
            posted: Vec::new(),
            durable: Default::default(),
            shares: true,
            draining: false,
            nodes,
            load,
            random,
        };
        world.first_events();
        Ok(world)
    }

    fn first_events(&mut self) {
        // Before all else: an event at time zero is there from the first operation on.
        for (number, (at, _)) in self.script.iter().enumerate() {
            self.agenda.add(*at, Event::Scripted(number as u32));
        }
        match self.sent {
            Sent::Open(rate) => {
                let gap: f64 = self.random.sample(Exp1);
                self.agenda.add(Nanos::from_secs_f64(gap / rate), Event::Arrive);
            }
            Sent::Closed(clients) => {
                for _ in 0..clients {
                    let op = self.new_op(true);
                    let at: f64 = self.random.random();
                    self.agenda.add(Nanos::from_secs_f64(at * RAMP), Event::Begin(op));
                }
            }
        }
        for node in 0..self.nodes.len() {
            self.schedule(node);
            self.collect_next(node as u16);
        }
        if self.nodes.iter().any(|node| node.pilot.is_some()) {
            self.agenda.add(self.options.pilot.look(), Event::Pilot);
        }
    }
}

fn node(
    deployment: &Deployment,
    group: &NodeGroup,
    task: &Task,
    view: &CatalogView,
    options: &SimulationOptions,
    zone: usize,
    random: &mut Xoshiro256PlusPlus,
) -> Result<Node, SimulateError> {
    let c = &options.constants;
    let settings = &deployment.settings;
    let instance = view.instance(&group.instance)?;
    let shares = (f64::from(deployment.storage_nodes()), f64::from(deployment.replicas()));
    let data = Data::new(task, settings, shares, options.memory(instance.memory), c);
    let seed = random.random();
    let disks = options.disks(group, instance, view, (seed, deployment.storage_nodes()))?;
    let disks = disks.served(Nanos::from_secs_f64(c.writeback_latency), c.request_most as u32);
    let shape = |family: usize| Shape {
        memtable: c.memtable,
        level_base: c.level_base,
        multiplier: c.level_multiplier,
        l0_trigger: c.l0_trigger,
        file_size: c.file_size,
        overlap: c.overlap,
        ratios: data.ratios,
        overwrites: data.overwrites.clone(),
        in_tree: if family == 0 { data.in_tree } else { 1.0 },
    };
    let mut trees: Vec<Tree> =
        data.stored.iter().enumerate().map(|(family, bytes)| Tree::holding(shape(family), *bytes)).collect();
    trees.iter_mut().for_each(|tree| tree.prefill(random.random()));
    let limits = group.data.as_ref().map(|disk| disk.limits(view, Some(instance))).transpose()?;
    let (vcpu, hardware, speed) = match options.machine {
        Some(machine) => (machine.vcpu(), machine.processors, 1.0),
        None => (instance.vcpu, instance.sustained_threads()?, instance.thread_speed()),
    };
    let limit = settings.rate_limit.map_or(RATE_LIMIT, |rate| rate.0);
    let pool = |pool: Pool| threads(pool, vcpu, c.grpc_threads as u32) * if pool.serves() { options.pools } else { 1 };
    Ok(Node {
        zone,
        cpu: Cpu::new(hardware, speed, pool).with_slice(c.wakeup_slice),
        disks,
        caches: data.caches,
        cached: Cached::default(),
        // A machine cut to measure may hold all files in its page cache; one as people have it holds what was just written.
        read_miss: c.compaction_read_miss * options.machine.map_or(1.0, |_| 1.0 - data.in_page_cache),
        page_cache: data.page_cache,
        flow: Flow::new(trees.len()),
        writeback: Writeback::default(),
        own_log: OwnLog::default(),
        journal: Journal::default(),
        trees,
        blobs: if c.blob_cutoff > 0.0 {
            Blobs::loaded(data.blobs, c.blob_load_flush * c.memtable * data.separated.0, c.l0_trigger, c.blob_cutoff)
        } else {
            Blobs::titan(data.blobs)
        },
        limiter: Limiter::new(limit, options.tuner()),
        pilot: (options.tuner() == WriteRateTuner::Pilot).then(|| Box::new(Pilot::new(limit, options.pilot, c))),
        gathering: Vec::new(),
        regions: Regions::default(),
        inbox: Vec::new(),
        rounds: vec![Vec::new(); pool(Pool::Store) as usize],
        idle: (0..pool(Pool::Store) as u8).rev().collect(),
        writer: Writer::default(),
        slots: Slots::of(vcpu),
        outage: Outage::default(),
        flushing: 0,
        compacting: 0,
        offset: 1 << 42,
        delayed: Nanos(0),
        held: Vec::new(),
        stopped: Nanos(0),
        counts: Counts::default(),
        reserved: reserved(group.log.is_some(), c),
        size: limits.map_or(0.0, |limits| limits.size.as_f64()),
    })
}

/// The sets of followers of a leader's ranges: one in each other zone first, as PD's labels spread them.
fn follower_sets(leader: usize, zones: &[usize], replicas: usize) -> Vec<Vec<u16>> {
    let nodes = zones.len();
    let wanted = (replicas - 1).min(MOST_FOLLOWERS);
    if wanted == 0 {
        return vec![Vec::new()];
    }
    let mut sets: Vec<Vec<u16>> = Vec::new();
    let mut in_zone = vec![0_u32; zones.iter().max().map_or(0, |zone| zone + 1)];
    for turn in 1..nodes.min(MOST_SETS + 1) {
        in_zone.fill(0);
        in_zone[zones[leader]] += 1;
        let mut set: Vec<usize> = Vec::new();
        while set.len() < wanted {
            let mut others = (0..nodes - 1)
                .map(|i| (leader + 1 + (turn - 1 + i) % (nodes - 1)) % nodes)
                .filter(|node| !set.contains(node));
            // Most often the first few nodes are of all zones; only where a zone has no node left are all looked at.
            let fewest = *in_zone.iter().min().expect("the leader has a zone");
            let mut least = others.next().expect("nodes ≥ replicas");
            if in_zone[zones[least]] > fewest {
                for other in others {
                    if in_zone[zones[other]] < in_zone[zones[least]] {
                        least = other;
                        if in_zone[zones[least]] == fewest {
                            break;
                        }
                    }
                }
            }
            in_zone[zones[least]] += 1;
            set.push(least);
        }
        set.sort_unstable();
        let set: Vec<u16> = set.into_iter().map(|node| node as u16).collect();
        if !sets.contains(&set) {
            sets.push(set);
        }
    }
    sets
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same, by looking at all nodes each time.
    fn follower_sets_of_all(leader: usize, zones: &[usize], replicas: usize) -> Vec<Vec<u16>> {
        let nodes = zones.len();
        let mut sets: Vec<Vec<u16>> = Vec::new();
        for turn in 1..nodes.min(MOST_SETS + 1) {
            let mut others: Vec<usize> =
                (0..nodes - 1).map(|i| (leader + 1 + (turn - 1 + i) % (nodes - 1)) % nodes).collect();
            let mut set: Vec<usize> = Vec::new();
            while set.len() < replicas - 1 {
                let in_zone = |at: &usize| {
                    let zone = zones[others[*at]];
                    set.iter().chain([&leader]).filter(|node| zones[**node] == zone).count()
                };
                let least = (0..others.len()).min_by_key(in_zone).unwrap();
                set.push(others.remove(least));
            }
            set.sort_unstable();
            let set: Vec<u16> = set.into_iter().map(|node| node as u16).collect();
            if !sets.contains(&set) {
                sets.push(set);
            }
        }
        sets
    }

    #[test]
    fn followers_are_those_that_looking_at_all_nodes_finds() {
        for (nodes, zones, replicas) in
            [(3, 3, 3), (7, 3, 3), (20, 3, 5), (9, 2, 5), (10, 1, 3), (12, 5, 7), (6, 6, 3), (5, 4, 5)]
        {
            let zones: Vec<usize> = (0..nodes).map(|node| node % zones).collect();
            for leader in 0..nodes {
                let (found, all) =
                    (follower_sets(leader, &zones, replicas), follower_sets_of_all(leader, &zones, replicas));
                assert_eq!(found, all, "{leader} of {zones:?}");
            }
        }
    }

    #[test]
    fn followers_are_in_other_zones_where_there_are_any() {
        let zones = [0, 1, 2, 0, 1, 2];
        for leader in 0..6 {
            for set in follower_sets(leader, &zones, 3) {
                let mut in_zones: Vec<_> =
                    set.iter().map(|node| zones[*node as usize]).chain([zones[leader]]).collect();
                in_zones.sort_unstable();
                assert_eq!(in_zones, [0, 1, 2], "leader {leader}, {set:?}");
            }
        }
        assert_eq!(follower_sets(0, &[0], 1), [Vec::<u16>::new()]);
        assert_eq!(follower_sets(0, &[0, 0, 0], 3), [[1, 2]]);
    }
}
