//! Three nodes in one process, which tests stop, cut off and start again.
#![allow(dead_code, reason = "every test file uses its part")]

pub(crate) mod rough;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use crossbeam_channel::bounded;
use proto::kvrpcpb::Context;
use proto::metapb::{Peer, Region};
use raftstore::testing::{self, MemoryNetwork, MemoryState};
use raftstore::{
    ApplyResult, ColumnFamily, OnlineRaftSettings, RaftRouter, RaftSettings, RaftSetup, RaftTransport, Raftstore,
    Refusal, StateChange, StateStore, WriteCommand,
};

/// Long enough for anything on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// Puts something between a store and the network.
pub(crate) type Wrap = dyn Fn(u64, Arc<dyn RaftTransport>) -> Arc<dyn RaftTransport> + Send + Sync;

pub(crate) struct Nodes {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) network: MemoryNetwork,
    pub(crate) states: HashMap<u64, Arc<MemoryState>>,
    pub(crate) running: HashMap<u64, Raftstore>,
    pub(crate) regions: Vec<Region>,
    pub(crate) change: Box<dyn Fn(&mut RaftSettings) + Send + Sync>,
    /// What nodes start with from now on.
    pub(crate) online: OnlineRaftSettings,
    pub(crate) wrap: Box<Wrap>,
}

impl Nodes {
    pub(crate) fn new(regions: Vec<Region>, change: impl Fn(&mut RaftSettings) + Send + Sync + 'static) -> Self {
        let folder = match std::fs::metadata("/dev/shm") {
            Ok(_) => tempfile::tempdir_in("/dev/shm"),
            Err(_) => tempfile::tempdir(),
        };
        let states = (1..=3).map(|id| (id, Arc::new(MemoryState::new()))).collect();
        Self {
            folder: folder.unwrap(),
            network: MemoryNetwork::new(),
            states,
            running: HashMap::new(),
            regions,
            change: Box::new(change),
            online: testing::online(),
            wrap: Box::new(|_, transport| transport),
        }
    }

    pub(crate) fn started(regions: Vec<Region>) -> Self {
        let mut nodes = Self::new(regions, |_| {});
        (1..=3).for_each(|id| nodes.start(id));
        nodes
    }

    pub(crate) fn start(&mut self, id: u64) {
        let folder = self.folder.path().join(id.to_string());
        let mut settings = testing::settings(&folder.join("raft"));
        (self.change)(&mut settings);
        let state: Arc<dyn StateStore> = self.states[&id].clone();
        let regions = self.regions.iter().filter(|region| region.peers.iter().any(|peer| peer.store_id == id));
        let store = Raftstore::start(RaftSetup {
            store_id: id,
            settings,
            online: self.online,
            snapshot_dir: folder.join("snap"),
            state,
            transport: (self.wrap)(id, self.network.transport(id)),
            regions: regions.cloned().collect(),
            key_prefix: b'z',
            on_leader_change: Box::new(|_| {}),
        });
        let store = store.unwrap();
        self.network.join(id, store.router());
        self.running.insert(id, store);
    }

    pub(crate) fn stop(&mut self, id: u64) {
        self.network.leave(id);
        if let Some(store) = self.running.remove(&id) {
            store.stop();
        }
    }

    pub(crate) fn router(&self, id: u64) -> RaftRouter {
        self.running[&id].router()
    }

    /// A context for a replica on a store.
    pub(crate) fn context(&self, region: u64, store: u64) -> Context {
        let region = self.regions.iter().find(|known| known.id == region).unwrap();
        Context {
            region_id: region.id,
            region_epoch: region.region_epoch,
            peer: region.peers.iter().find(|peer| peer.store_id == store).cloned(),
            ..Context::default()
        }
    }

    /// The store that leads a region, once there is one that can read.
    pub(crate) fn leader(&self, region: u64) -> u64 {
        self.leader_but(region, 0)
    }

    /// Likewise, but not this one.
    pub(crate) fn leader_but(&self, region: u64, not: u64) -> u64 {
        eventually("a leader", || {
            let mut ids = self.running.keys().copied().filter(|&id| id != not);
            ids.find(|&id| {
                let status = self.router(id).statuses().into_iter().find(|status| status.region.id == region);
                status.is_some_and(|status| status.leads) && read(&self.router(id), &self.context(region, id)).is_ok()
            })
        })
    }

    pub(crate) fn peer(&self, region: u64, store: u64) -> Peer {
        self.context(region, store).peer.unwrap()
    }

    pub(crate) fn put(&self, region: u64, store: u64, key: &str, value: &str) -> Result<ApplyResult, Refusal> {
        put(&self.router(store), &self.context(region, store), key, value)
    }

    /// Puts, and waits only a moment for the outcome; a refusal without one is none.
    pub(crate) fn put_now(&self, region: u64, store: u64, key: &str, value: &str) -> Result<(), Refusal> {
        let (done, outcome) = bounded(1);
        let done = Box::new(move |outcome| drop(done.send(outcome)));
        self.router(store).write(&self.context(region, store), put_command(key, value), done);
        match outcome.recv_timeout(Duration::from_millis(100)) {
            Ok(outcome) => outcome.map(drop),
            Err(_) => Ok(()),
        }
    }

    /// Puts, whoever leads, until it is done.
    pub(crate) fn put_somewhere(&self, region: u64, key: &str, value: &str) {
        eventually("a put", || {
            let leader = self.leader(region);
            self.put(region, leader, key, value).ok()
        });
    }

    pub(crate) fn value(&self, store: u64, key: &str) -> Option<String> {
        let value = self.states[&store].get(ColumnFamily::Default, format!("z{key}").as_bytes()).unwrap();
        value.map(|value| String::from_utf8(value.to_vec()).unwrap())
    }
}

impl Drop for Nodes {
    fn drop(&mut self) {
        for id in 1..=3 {
            self.stop(id);
        }
    }
}

/// One region of all keys, on all stores.
pub(crate) fn one_region() -> Vec<Region> {
    vec![testing::region(1, b"", b"", &[1, 2, 3])]
}

pub(crate) fn put_command(key: &str, value: &str) -> WriteCommand {
    let (key, value) = (Bytes::from(format!("z{key}")), Bytes::from(value.to_owned()));
    WriteCommand::Write(vec![StateChange::Put(ColumnFamily::Default, key, value)])
}

pub(crate) fn put(router: &RaftRouter, context: &Context, key: &str, value: &str) -> Result<ApplyResult, Refusal> {
    write(router, context, put_command(key, value))
}

pub(crate) fn write(router: &RaftRouter, context: &Context, command: WriteCommand) -> Result<ApplyResult, Refusal> {
    let (done, outcome) = bounded(1);
    router.write(context, command, Box::new(move |outcome| drop(done.send(outcome))));
    outcome.recv_timeout(PATIENCE).expect("every write is answered")
}

/// Leave to read the local state.
pub(crate) fn read(router: &RaftRouter, context: &Context) -> Result<(), Refusal> {
    if router.read_now(context)? { Ok(()) } else { read_later(router, context) }
}

pub(crate) fn read_later(router: &RaftRouter, context: &Context) -> Result<(), Refusal> {
    let (done, outcome) = bounded(1);
    router.read_later(context, Box::new(move |outcome| drop(done.send(outcome))));
    outcome.recv_timeout(PATIENCE).expect("every read is answered")
}

pub(crate) fn eventually<T>(what: &str, mut check: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = check() {
            return found;
        }
        assert!(begun.elapsed() < PATIENCE, "{what}: not within {PATIENCE:?}");
        std::thread::sleep(Duration::from_millis(5));
    }
}
