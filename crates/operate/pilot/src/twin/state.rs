//! What the cluster in memory is made of, and how its time passes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use serde_json::{Value, json};
use units::Nanos;

use super::faults::{PilotRequest, RequestFault};
use crate::{ClockReading, ClusterHealth, ClusterWorld, StepSubject, StoreHealth, WallClock, WorldError};

/// Leaderships that PD moves in a second: its transfers take milliseconds each (pd-transcript: 10 within 2 s).
const MOVED_PER_SECOND: u64 = 5;
/// Stores may differ by so many leaders before PD's balance moves one: twice its tolerance of 5 (tikv/pd
/// pkg/schedule/schedulers/utils.go). A store that was cleared for a short time therefore does not lead as many as before.
const TOLERATED: u64 = 10;

/// All of it. Tests set what they need.
#[derive(Debug, Clone, PartialEq)]
pub struct TwinState {
    /// PD's number of the cluster.
    pub cluster: String,
    /// How it is; leaders are counted here.
    pub health: ClusterHealth,
    /// What each subject is read as, but for evictions.
    pub values: BTreeMap<StepSubject, Value>,
    /// Stores that leaders are kept off.
    pub evicting: BTreeSet<u64>,
    /// Events that are over.
    pub over: BTreeSet<String>,
    /// Holder of PD's maintenance lock, and why it holds it.
    pub lock: Option<(String, String)>,
}

/// A cluster in memory; its copies are one.
#[derive(Debug, Clone)]
pub struct ClusterTwin(Arc<Mutex<Inner>>);

#[derive(Debug)]
pub(super) struct Inner {
    pub(super) state: TwinState,
    /// What each TiKV's file says, which a restart brings back.
    files: BTreeMap<StepSubject, Value>,
    late: Vec<(Nanos, StepSubject, Value)>,
    plan: BTreeMap<u64, RequestFault>,
    cuts: BTreeSet<u64>,
    ops: Vec<PilotRequest>,
    lines: u64,
    dead: bool,
    now: Nanos,
    wall: i64,
    /// Seconds that each request takes.
    takes: u64,
}

/// A healthy cluster of so many stores, with ten leaders each.
pub fn well(stores: u64) -> ClusterHealth {
    let store = |id: u64| StoreHealth {
        state: "Up".to_owned(),
        address: format!("127.0.0.1:{}", 20160 + id),
        status_address: format!("127.0.0.1:{}", 20180 + id),
        version: "8.5.6".to_owned(),
        leaders: 10,
        regions: 10 * stores,
        evicting: false,
    };
    let members = ["pd1", "pd2", "pd3"].map(|name| (name.to_owned(), true));
    ClusterHealth {
        stores: (1..=stores).map(|id| (id, store(id))).collect(),
        members: members.into(),
        ..ClusterHealth::default()
    }
}

impl ClusterTwin {
    /// A healthy cluster of so many stores, with these settings in each TiKV.
    pub fn new(stores: u64, settings: &[(&str, Value)]) -> Self {
        let mut values = BTreeMap::from([(StepSubject::PdLeader, json!("pd1"))]);
        for (store, (key, value)) in (1..=stores).flat_map(|store| settings.iter().map(move |one| (store, one))) {
            values.insert(StepSubject::TikvConfig { store, key: (*key).to_owned() }, value.clone());
        }
        let files = values.clone();
        values.insert(StepSubject::PdConfig { key: "schedule.leader-schedule-limit".to_owned() }, json!(4));
        let state = TwinState {
            cluster: "7001".to_owned(),
            health: well(stores),
            values,
            evicting: BTreeSet::new(),
            over: BTreeSet::new(),
            lock: None,
        };
        let (late, plan, cuts, ops) = (Vec::new(), BTreeMap::new(), BTreeSet::new(), Vec::new());
        let wall = 1_800_000_000;
        let (lines, dead, now, takes) = (0, false, Nanos(0), 0);
        Self(Arc::new(Mutex::new(Inner { state, files, late, plan, cuts, ops, lines, dead, now, wall, takes })))
    }

    pub(super) fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at it, or changes it, as nobody's request.
    pub fn with<T>(&self, what: impl FnOnce(&mut TwinState) -> T) -> T {
        what(&mut self.inner().state)
    }

    /// As it is.
    pub fn state(&self) -> TwinState {
        self.with(|state| state.clone())
    }

    /// All of it as the pilot reaches it.
    pub fn world(&self) -> ClusterWorld {
        ClusterWorld {
            tikv: Some(Box::new(self.clone())),
            pd: Some(Box::new(self.clone())),
            kubernetes: Some(Box::new(self.clone())),
            volumes: Some(Box::new(self.clone())),
            tidb: Some(Box::new(self.clone())),
            events: Some(Box::new(self.clone())),
            read_only: false,
        }
    }

    /// What goes wrong with the request of a number, counted from the twin's beginning.
    pub fn fault(&self, number: u64, fault: RequestFault) {
        self.inner().plan.insert(number, fault);
    }

    /// Kills the pilot while it writes the journal's line of a number, counted from the twin's beginning.
    pub fn cut_line(&self, number: u64) {
        self.inner().cuts.insert(number);
    }

    /// All requests until now.
    pub fn ops(&self) -> Vec<PilotRequest> {
        self.inner().ops.clone()
    }

    /// Lines of the journal written until now.
    pub fn lines(&self) -> u64 {
        self.inner().lines
    }

    /// Whether the pilot was killed.
    pub fn is_dead(&self) -> bool {
        self.inner().dead
    }

    /// Lets another pilot begin.
    pub fn revive(&self) {
        self.inner().dead = false;
    }

    /// What time it is.
    pub fn now(&self) -> ClockReading {
        let inner = self.inner();
        ClockReading { wall: Timestamp::from_second(inner.wall).unwrap_or_default(), mono: inner.now }
    }

    /// Lets each request take whole seconds from now on.
    pub fn takes(&self, seconds: u64) {
        self.inner().takes = seconds;
    }

    /// Lets the clock on the wall jump.
    pub fn jump(&self, seconds: i64) {
        self.inner().wall += seconds;
    }

    /// Lets whole seconds pass: leaders move, and what was late is carried out.
    pub fn pass(&self, seconds: u64) {
        let mut inner = self.inner();
        inner.wall += seconds as i64;
        inner.now += Nanos::secs(seconds);
        let now = inner.now;
        let (due, later) = inner.late.drain(..).partition(|(at, ..)| *at <= now);
        inner.late = later;
        for (_, subject, value) in due {
            inner.set(&subject, value);
        }
        inner.move_leaders(seconds * MOVED_PER_SECOND);
    }

    pub(super) fn writes_line(&self) -> bool {
        let mut inner = self.inner();
        inner.lines += 1;
        let line = inner.lines - 1;
        inner.dead |= inner.cuts.contains(&line);
        inner.dead
    }

    /// Answers a read.
    pub(super) fn ask<T>(
        &self,
        peer: &str,
        what: &str,
        answer: impl FnOnce(&TwinState) -> Result<T, WorldError>,
    ) -> Result<T, WorldError> {
        let mut inner = self.inner();
        match inner.begin(peer, what, false)? {
            RequestFault::Silent | RequestFault::SilentDone | RequestFault::Late(_) => Err(silent(peer)),
            RequestFault::Error | RequestFault::ErrorDone | RequestFault::ErrorHalf => {
                Err(WorldError::Silent { peer: peer.to_owned(), why: "500".to_owned() })
            }
            RequestFault::Kill | RequestFault::KillDone => {
                inner.dead = true;
                Err(silent(peer))
            }
            RequestFault::None | RequestFault::Half | RequestFault::Restart => answer(&inner.state),
        }
    }

    /// Carries out a write.
    pub(super) fn tell(&self, peer: &str, subject: &StepSubject, value: Value) -> Result<(), WorldError> {
        let mut inner = self.inner();
        let refused = || Err(WorldError::Refused { peer: peer.to_owned(), why: "500: no".to_owned() });
        let half = match (&value, inner.state.values.get(subject)) {
            (Value::String(_) | Value::Number(_), _) if matches!(subject, StepSubject::TikvConfig { .. }) => {
                json!("7MiB")
            }
            // Nothing lies between.
            _ => value.clone(),
        };
        match inner.begin(peer, &subject.to_string(), true)? {
            RequestFault::None | RequestFault::Restart => inner.set(subject, value),
            RequestFault::Silent => return Err(silent(peer)),
            RequestFault::SilentDone => {
                inner.set(subject, value);
                return Err(silent(peer));
            }
            RequestFault::Late(by) => {
                let at = inner.now + by;
                inner.late.push((at, subject.clone(), value));
                return Err(silent(peer));
            }
            RequestFault::Error => return refused(),
            RequestFault::ErrorDone => {
                inner.set(subject, value);
                return refused();
            }
            RequestFault::Half => inner.set(subject, half),
            RequestFault::ErrorHalf => {
                inner.set(subject, half);
                return refused();
            }
            RequestFault::Kill => {
                inner.dead = true;
                return Err(silent(peer));
            }
            RequestFault::KillDone => {
                inner.set(subject, value);
                inner.dead = true;
                return Err(silent(peer));
            }
        }
        Ok(())
    }
}

impl WallClock for ClusterTwin {
    fn now(&self) -> ClockReading {
        Self::now(self)
    }
}

fn silent(peer: &str) -> WorldError {
    WorldError::Silent { peer: peer.to_owned(), why: "timed out".to_owned() }
}

impl Inner {
    fn begin(&mut self, peer: &str, what: &str, writes: bool) -> Result<RequestFault, WorldError> {
        if self.dead {
            return Err(silent(peer));
        }
        self.wall += self.takes as i64;
        self.now += Nanos::secs(self.takes);
        let number = self.ops.len() as u64;
        self.ops.push(PilotRequest { number, writes, what: what.to_owned() });
        let fault = self.plan.get(&number).copied().unwrap_or(RequestFault::None);
        if fault == RequestFault::Restart {
            let files = self.files.clone();
            self.state.values.extend(files.into_iter().filter(|(of, _)| matches!(of, StepSubject::TikvConfig { .. })));
        }
        Ok(fault)
    }

    fn set(&mut self, subject: &StepSubject, value: Value) {
        match subject {
            StepSubject::Leaders { store } if value == json!(true) => drop(self.state.evicting.insert(*store)),
            StepSubject::Leaders { store } => drop(self.state.evicting.remove(store)),
            // What is written is who shall go.
            StepSubject::PdLeader => {
                let others = self.state.health.members.keys().find(|name| value != json!(name));
                let next = others.map_or(value.clone(), |name| json!(name));
                self.state.values.insert(subject.clone(), next);
            }
            StepSubject::Pod { .. } => drop(self.state.values.insert(subject.clone(), Value::Null)),
            _ => drop(self.state.values.insert(subject.clone(), value)),
        }
    }

    /// Leaders leave stores that are evicted, and spread again over the others.
    fn move_leaders(&mut self, most: u64) {
        for _ in 0..most {
            let evicting = &self.state.evicting;
            let stores = &mut self.state.health.stores;
            let from = stores.iter().filter(|(_, store)| store.leaders > 0);
            let from = from.max_by_key(|(id, store)| (evicting.contains(id), store.leaders)).map(|(id, _)| *id);
            let to = stores.iter().filter(|(id, _)| !evicting.contains(id));
            let to = to.min_by_key(|(_, store)| store.leaders).map(|(id, _)| *id);
            let (Some(from), Some(to)) = (from, to) else { return };
            if !evicting.contains(&from) && stores[&from].leaders <= stores[&to].leaders + TOLERATED {
                return;
            }
            stores.entry(from).and_modify(|store| store.leaders -= 1);
            stores.entry(to).and_modify(|store| store.leaders += 1);
        }
    }
}
