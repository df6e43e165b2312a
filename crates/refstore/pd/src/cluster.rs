//! The cluster as the placement driver knows it. Time comes in as an argument, since the epoch; what must be kept is
//! marked as such, and whoever calls writes it down before anybody is answered.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use proto::metapb;
use proto::pdpb::{RegionHeartbeatRequest, StoreStats};

use crate::operators::{Dispatch, Kind, Operator, Operators};
use crate::place::{self, Spot};
use crate::record::{Record, RegionRecord, StoreRecord};
use crate::regions::Regions;
use crate::schedule::{self, BALANCE_BATCH, Seat};
use crate::stores::{Live, Slow};
use crate::tso::Tso;

/// How the key space is cut when all nodes are there.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    /// Nodes to wait for.
    pub(crate) stores: usize,
    /// Voters of each region; not more than `stores`.
    pub(crate) replicas: usize,
    /// Where regions begin, but for the first; rising.
    pub(crate) split_keys: Vec<Vec<u8>>,
}

/// All that is known.
#[derive(Debug)]
pub(crate) struct Cluster {
    pub(crate) record: Record,
    pub(crate) regions: Regions,
    pub(crate) operators: Operators,
    pub(crate) slow: Slow,
    /// Whether the record changed since it was last written.
    pub(crate) unsaved: bool,
    layout: Layout,
    live: BTreeMap<u64, Live>,
    tso: Tso,
    paused: BTreeMap<String, Duration>,
}

impl Cluster {
    /// With what was kept of it.
    pub(crate) fn new(record: Record, layout: Layout) -> Self {
        Self {
            regions: Regions::of(&record.regions),
            operators: Operators::default(),
            slow: Slow::default(),
            unsaved: true,
            layout,
            live: BTreeMap::new(),
            tso: Tso::after(record.tso_until),
            paused: BTreeMap::new(),
            record,
        }
    }

    /// An id that nobody has.
    pub(crate) fn alloc_id(&mut self) -> u64 {
        let id = self.record.next_id;
        self.record.next_id += 1;
        self.unsaved = true;
        id
    }

    /// The last of `count` new timestamps.
    pub(crate) fn timestamps(&mut self, count: u32, now: Duration) -> (u64, u64) {
        let before = self.record.tso_until;
        let last = self.tso.take(now.as_millis() as u64, count, &mut self.record.tso_until);
        self.unsaved |= before != self.record.tso_until;
        last
    }

    /// Takes a node in, or what changed about it. With the last expected one the regions are cut.
    pub(crate) fn put_store(&mut self, store: metapb::Store, now: Duration) -> Result<(), String> {
        let store = StoreRecord::of(store);
        if store.id == 0 || store.address.is_empty() {
            return Err(format!("invalid put store: id {}, address {:?}", store.id, store.address));
        }
        let twin = self.record.stores.values().find(|other| other.address == store.address && other.id != store.id);
        if let Some(twin) = twin {
            let (own, other) = (&store.address, twin.id);
            return Err(format!(
                "duplicated store address: {own} of store {}, already registered by {other}",
                store.id
            ));
        }
        self.record.next_id = self.record.next_id.max(store.id + 1);
        self.record.stores.insert(store.id, store);
        self.unsaved = true;
        if self.record.bootstrapped.is_none() && self.record.stores.len() >= self.layout.stores {
            self.bootstrap(now);
        }
        Ok(())
    }

    fn bootstrap(&mut self, now: Duration) {
        let spot = |store: &StoreRecord| Spot { store: store.id, zone: store.label("zone").to_owned() };
        let spots: Vec<_> = self.record.stores.values().map(spot).collect();
        let mut starts = vec![Vec::new()];
        starts.append(&mut self.layout.split_keys.clone());
        let placed = place::spread(&spots, starts.len(), self.layout.replicas);
        for (i, stores) in placed.iter().enumerate() {
            let id = self.alloc_id();
            let peers = stores.iter().map(|&store| (self.alloc_id(), store)).collect();
            let end = starts.get(i + 1).cloned().unwrap_or_default();
            self.record.regions.push(RegionRecord { id, start: starts[i].clone().into(), end: end.into(), peers });
        }
        self.record.settings.replication.max_replicas = self.layout.replicas as u64;
        self.record.bootstrapped = Some(now.as_nanos() as u64);
        self.regions = Regions::of(&self.record.regions);
    }

    /// Whether the regions are cut.
    pub(crate) fn is_bootstrapped(&self) -> bool {
        self.record.bootstrapped.is_some()
    }

    /// What a node said last.
    pub(crate) fn live(&self, store: u64) -> Live {
        self.live.get(&store).cloned().unwrap_or_default()
    }

    /// Takes in what a node says of itself.
    pub(crate) fn hear_store(&mut self, stats: StoreStats, now: Duration) -> Result<(), String> {
        if !self.record.stores.contains_key(&stats.store_id) {
            return Err(format!("store {} not found", stats.store_id));
        }
        self.live.insert(stats.store_id, Live { stats: Some(stats), heard: Some(now) });
        Ok(())
    }

    /// Takes in what a leader says of its region.
    pub(crate) fn hear_region(&mut self, said: RegionHeartbeatRequest, now: Duration) -> Result<(), String> {
        self.regions.hear(said, now).map(drop)
    }

    /// Regions that a store leads.
    pub(crate) fn leader_count(&self, store: u64) -> usize {
        self.regions.all().iter().filter(|region| region.leads() == Some(store)).count()
    }

    /// Whether a store may get leaders now.
    pub(crate) fn takes_leaders(&self, store: u64, now: Duration) -> bool {
        let live = self.live.get(&store);
        live.is_some_and(|live| live.is_connected(now) && !live.is_slow())
            && !self.record.evicted.contains(&store)
            && self.slow.store() != Some(store)
    }

    /// Whether a scheduler is there and not paused.
    pub(crate) fn runs(&self, scheduler: &str, now: Duration) -> bool {
        self.record.schedulers.iter().any(|name| name == scheduler) && !self.is_paused(scheduler, now)
    }

    /// Whether a scheduler is paused.
    pub(crate) fn is_paused(&self, scheduler: &str, now: Duration) -> bool {
        self.paused.get(scheduler).is_some_and(|&until| now < until)
    }

    /// Pauses a scheduler until then.
    pub(crate) fn pause(&mut self, scheduler: &str, until: Duration) {
        self.paused.insert(scheduler.to_owned(), until);
    }

    /// One round of the schedulers; answers what leaders shall be told.
    pub(crate) fn tick(&mut self, now: Duration) -> Vec<Dispatch> {
        if !self.is_bootstrapped() {
            return Vec::new();
        }
        // Ends what is over first, for that makes room.
        let mut orders = self.operators.progress(&self.regions, now);
        let watch = self.runs("evict-slow-store-scheduler", now);
        self.slow.look(self.live.iter().map(|(&store, live)| (store, live)), watch, now);
        if !self.record.settings.halted() {
            self.schedule(now);
            orders.append(&mut self.operators.progress(&self.regions, now));
        }
        orders
    }

    fn schedule(&mut self, now: Duration) {
        let stores = self.record.stores.keys();
        let seats: Vec<_> = stores.map(|&store| Seat { store, takes: self.takes_leaders(store, now) }).collect();
        let limit = self.record.settings.schedule.leader_schedule_limit as usize;
        let slow: BTreeSet<u64> = self.slow.store().into_iter().collect();
        let none = BTreeSet::new();
        let evicting = !self.is_paused("evict-leader-scheduler", now);
        let evicted = if evicting { &self.record.evicted } else { &none };
        let batch = self.record.evict_batch as usize;
        for (from, kind) in [(evicted, Kind::Evict), (&slow, Kind::Slow)] {
            let room = limit.saturating_sub(self.operators.running().len()).min(batch);
            let made = schedule::evict(&self.regions, &seats, &self.operators, (from, kind), room, now);
            made.into_iter().for_each(|operator| self.operators.add(operator));
        }
        if self.runs("balance-leader-scheduler", now) {
            let room = limit.saturating_sub(self.operators.running().len()).min(BALANCE_BATCH);
            let most = (room, self.record.settings.tolerated_leaders());
            let made = schedule::balance(&self.regions, &seats, &self.operators, most, now);
            made.into_iter().for_each(|operator| self.operators.add(operator));
        }
    }

    /// Transfers a leader by hand. The text of an error is PD's where PD has one.
    pub(crate) fn transfer_leader(&mut self, region: u64, to: u64, now: Duration) -> Result<(), String> {
        let Some(watched) = self.regions.by_id(region) else {
            return Err(format!("region {region} not found"));
        };
        let Some(peer) = watched.peer_on(to) else {
            return Err(format!("region has no voter in store {to}"));
        };
        if !self.takes_leaders(to, now) {
            return Err(format!("store {to} takes no leaders now: it is silent, slow, or leaders are evicted from it"));
        }
        let operator = Operator::new(watched, peer, Kind::Admin, now);
        self.operators.add(operator);
        Ok(())
    }
}
