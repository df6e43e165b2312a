//! How a node's raft begins: from what its disks have to running threads.

use std::collections::HashMap;
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};

use crossbeam_channel::unbounded;
use parking_lot::RwLock;
use proto::metapb::Region;

use crate::applied::{self, Progress};
use crate::health::{Broken, Disks};
use crate::lanes::Lanes;
use crate::log::{Engine, LogStore};
use crate::node::{Node, spawn};
use crate::peer::Peer;
use crate::pools::Pools;
use crate::replica::Replica;
use crate::supplies::Supplies;
use crate::{RaftSetup, Raftstore, RaftstoreError, StateStore, gc, log, metrics, snapshot};

/// Snapshots that are sent at once.
const SENDERS: usize = 2;

impl Raftstore {
    /// Opens the log, brings every region to where it was, and starts the threads.
    ///
    /// # Errors
    /// When the log or the state cannot be read, or does not fit the regions.
    pub fn start(setup: RaftSetup) -> Result<Self, RaftstoreError> {
        metrics::register();
        let folder = |path: &std::path::Path| {
            let made = fs::create_dir_all(path);
            made.map_err(|why| RaftstoreError::System { what: format!("the folder {}", path.display()), why })
        };
        folder(&setup.settings.log_dir)?;
        folder(&setup.snapshot_dir)?;
        let broken = Arc::new(Broken::default());
        let engine = Arc::new(log::open(&setup.settings, &broken)?);
        let replicas = replicas(setup.store_id, &setup.regions, setup.key_prefix)?;
        let (to_pools, pools_told) = unbounded();
        let (to_gc, gc_work) = unbounded();
        let (to_senders, sender_work) = unbounded();
        let node = Arc::new(Node {
            store_id: setup.store_id,
            settings: setup.settings,
            online: RwLock::new(setup.online),
            snapshot_dir: setup.snapshot_dir,
            replicas,
            shards: Lanes::default(),
            writers: Lanes::default(),
            appliers: Lanes::default(),
            pools: to_pools,
            disks: Disks::new(setup.regions.iter()),
            broken,
            wipes: AtomicU64::new(0),
            stopping: AtomicBool::new(false),
        });

        let (state, transport) = (setup.state, setup.transport);
        let progress = recover(&node, &engine, &*state)?;
        let peers = peers(&node, &engine, &progress)?;
        let supplies = Supplies {
            node: Arc::clone(&node),
            engine: Arc::clone(&engine),
            state: Arc::clone(&state),
            transport: Arc::clone(&transport),
            gc: to_gc.clone(),
            snapshots: to_senders,
            on_leader_change: Arc::from(setup.on_leader_change),
        };
        let pools = Pools::start(supplies, peers, progress)?;
        // From here on what was started ends with it.
        let mut raftstore = Raftstore { node: Arc::clone(&node), pools: None, to_gc, others: Vec::new() };
        raftstore.pools = Some(spawn(&node, "refresh-config", move || pools.follow(&pools_told))?);
        for number in 0..SENDERS {
            let (of, state, transport) = (Arc::clone(&node), Arc::clone(&state), Arc::clone(&transport));
            let work = sender_work.clone();
            let run = move || snapshot::run_sender(&of, &*state, &*transport, &work);
            raftstore.others.push(spawn(&node, &format!("snap-sender-{number}"), run)?);
        }
        let of = Arc::clone(&node);
        raftstore.others.push(spawn(&node, "raftlog-gc", move || gc::run(&of, &engine, &*state, &gc_work))?);
        Ok(raftstore)
    }
}

/// The replicas of a store, by region.
fn replicas(store_id: u64, regions: &[Region], key_prefix: u8) -> Result<HashMap<u64, Arc<Replica>>, RaftstoreError> {
    let mut replicas = HashMap::new();
    for (place, region) in regions.iter().enumerate() {
        let id = region.id;
        let peer = region.peers.iter().find(|peer| peer.store_id == store_id).cloned();
        let missing = || RaftstoreError::NoReplica { region: id, store: store_id };
        let replica = Replica {
            peer: peer.ok_or_else(missing)?,
            range: applied::range(region, key_prefix),
            region: Arc::new(region.clone()),
            place,
            leader: AtomicU64::new(0),
            leads: AtomicBool::new(false),
            term: AtomicU64::new(0),
            applied: AtomicU64::new(0),
            shown: AtomicU64::new(0),
            lease_until: AtomicU64::new(0),
            pending: Default::default(),
            bytes_written: AtomicU64::new(0),
            keys_written: AtomicU64::new(0),
        };
        if replicas.insert(id, Arc::new(replica)).is_some() {
            return Err(RaftstoreError::RegionTwice { region: id });
        }
    }
    Ok(replicas)
}

/// How far every region is; snapshots that a crash interrupted are installed, and other files of snapshots removed.
fn recover(node: &Node, engine: &Engine, state: &dyn StateStore) -> Result<HashMap<u64, Progress>, RaftstoreError> {
    let mut all = HashMap::new();
    for (&id, replica) in &node.replicas {
        let mut progress = Progress::load(state, id)?.unwrap_or(Progress::NEW);
        if let Some(restart) = log::restart(engine, id)
            && progress.applied.index < restart.at.index
        {
            progress = snapshot::install(node, state, replica, &restart)?;
        }
        all.insert(id, progress);
    }
    for file in fs::read_dir(&node.snapshot_dir).into_iter().flatten().flatten() {
        let name = file.file_name();
        let snapshot = name.to_str().is_some_and(|name| name.ends_with(".snap") || name.ends_with(".snap.part"));
        if snapshot {
            // Nobody will miss it, and it is tried again at the next start.
            let _ = fs::remove_file(file.path());
        }
    }
    Ok(all)
}

/// The raft of each replica, as the disk has it.
fn peers(node: &Node, engine: &Arc<Engine>, progress: &HashMap<u64, Progress>) -> Result<Vec<Peer>, RaftstoreError> {
    // Raft tells its steps to people who mend raft; what users need to know, the node says itself.
    let logger = slog::Logger::root(slog::Discard, slog::o!());
    let peer = |replica: &Arc<Replica>| {
        let region = &replica.region;
        let voters = region.peers.iter().map(|peer| peer.id).collect();
        let progress = progress.get(&region.id).copied().unwrap_or(Progress::NEW);
        let log = LogStore::open(engine, region.id, voters, progress)?;
        Peer::new(node, Arc::clone(replica), log, &logger)
    };
    node.replicas.values().map(peer).collect()
}
