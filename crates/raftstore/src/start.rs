//! How a node's raft begins: from what its disks have to running threads.

use std::collections::HashMap;
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::thread::JoinHandle;

use crossbeam_channel::unbounded;

use crate::applied::{self, Progress};
use crate::apply::Applier;
use crate::log::{Engine, LogStore};
use crate::node::{Broken, Disks, Node, guarded};
use crate::out::{Mail, Out};
use crate::peer::Peer;
use crate::raftstore::Worker;
use crate::replica::Replica;
use crate::shard::{Shard, Writing};
use crate::writer::Writer;
use crate::{Raftstore, RaftstoreError, Setup, State, gc, log, metrics, snapshot};

/// Snapshots that are sent at once.
const SENDERS: usize = 2;

pub(crate) fn start(setup: Setup) -> Result<Raftstore, RaftstoreError> {
    metrics::register();
    let folder = |path: &std::path::Path| {
        let made = fs::create_dir_all(path);
        made.map_err(|why| RaftstoreError::System { what: format!("the folder {}", path.display()), why })
    };
    folder(&setup.settings.log_dir)?;
    folder(&setup.snapshot_dir)?;
    let broken = Arc::new(Broken::default());
    let engine = Arc::new(log::open(&setup.settings, &broken)?);
    let Setup { store_id, settings, snapshot_dir, state, transport, regions, key_prefix, on_leader_change } = setup;

    let (to_shards, shards): (Vec<_>, Vec<_>) = (0..settings.store_pool_size.max(1)).map(|_| unbounded()).unzip();
    let disks = Disks::new(regions.iter());
    let mut replicas = HashMap::new();
    for (place, region) in regions.into_iter().enumerate() {
        let id = region.id;
        let peer = region.peers.iter().find(|peer| peer.store_id == store_id).cloned();
        let missing = || RaftstoreError::Input(format!("region {id} has no replica on store {store_id}"));
        let replica = Replica {
            peer: peer.ok_or_else(missing)?,
            range: applied::range(&region, key_prefix),
            region: Arc::new(region),
            shard: place % to_shards.len(),
            slot: place / to_shards.len(),
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
            return Err(RaftstoreError::Input(format!("region {id} is named twice")));
        }
    }
    let node = Arc::new(Node {
        store_id,
        write_size_limit: AtomicU64::new(settings.write_size_limit),
        settings,
        snapshot_dir,
        replicas,
        shards: to_shards,
        disks,
        broken,
        wipes: AtomicU64::new(0),
        stopping: AtomicBool::new(false),
    });

    let progress = recover(&node, &engine, &*state)?;
    let mut peers = peers(&node, &engine, &progress)?;
    let mut threads = Threads { node: Arc::clone(&node), workers: Vec::new() };
    let (to_gc, gc_work) = unbounded();
    let (to_senders, sender_work) = unbounded();

    let mut to_appliers = Vec::new();
    let mut appliers = Vec::new();
    for number in 0..node.settings.apply_pool_size.max(1) {
        let (to_applier, work) = unbounded();
        let applier = Applier::new(Arc::clone(&node), Arc::clone(&state), progress.clone());
        let thread = threads.spawn(format!("apply-{number}"), move || applier.run(&work))?;
        to_appliers.push(to_applier.clone());
        appliers.push(Worker::applier(thread, to_applier));
    }
    let mut to_writers = Vec::new();
    let mut writers = Vec::new();
    for number in 0..node.settings.store_io_pool_size {
        let (to_writer, work) = unbounded();
        let writer = Writer::new(Arc::clone(&node), Arc::clone(&engine), Arc::clone(&transport));
        let thread = threads.spawn(format!("store-writer-{number}"), move || writer.run(&work))?;
        to_writers.push(to_writer.clone());
        writers.push(Worker::writer(thread, to_writer));
    }
    let on_leader_change = Arc::from(on_leader_change);
    for (number, work) in shards.into_iter().enumerate() {
        let peers = std::mem::take(&mut peers[number]);
        let writing = match to_writers.is_empty() {
            true => {
                Writing::Here(Box::new(Writer::new(Arc::clone(&node), Arc::clone(&engine), Arc::clone(&transport))))
            }
            // A region's writes have to stay in order.
            false => Writing::Thread(to_writers[number % to_writers.len()].clone()),
        };
        let shard = Shard {
            is_touched: vec![false; peers.len()],
            peers,
            out: Out {
                node: Arc::clone(&node),
                mail: Mail::default(),
                tasks: Vec::new(),
                apply: to_appliers.iter().map(|to| (to.clone(), Vec::new())).collect(),
                snapshots: to_senders.clone(),
                changed: Vec::new(),
            },
            writing,
            transport: Arc::clone(&transport),
            gc: to_gc.clone(),
            on_leader_change: Arc::clone(&on_leader_change),
            touched: Vec::new(),
            handed_over: false,
        };
        let thread = threads.spawn(format!("raftstore-{number}"), move || shard.run(&work))?;
        threads.workers.push(Worker::shard(thread, node.shards[number].clone()));
    }
    drop(to_senders);
    threads.workers.extend(writers);
    threads.workers.extend(appliers);
    for number in 0..SENDERS {
        let (node, state, transport) = (Arc::clone(&node), Arc::clone(&state), Arc::clone(&transport));
        let work = sender_work.clone();
        let run = move || snapshot::run_sender(&node, &*state, &*transport, &work);
        let thread = threads.spawn(format!("snap-sender-{number}"), run)?;
        threads.workers.push(Worker::sender(thread));
    }
    let thread = {
        let node = Arc::clone(&node);
        threads.spawn("raftlog-gc".to_owned(), move || gc::run(&node, &engine, &*state, &gc_work))?
    };
    threads.workers.push(Worker::gc(thread, to_gc));
    Ok(Raftstore { node, workers: threads.workers })
}

struct Threads {
    node: Arc<Node>,
    workers: Vec<Worker>,
}

impl Threads {
    fn spawn(&self, name: String, run: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>, RaftstoreError> {
        let node = Arc::clone(&self.node);
        let thread = std::thread::Builder::new().name(name.clone());
        let spawned = thread.spawn({
            let name = name.clone();
            move || guarded(&node, &name, run)
        });
        spawned.map_err(|why| RaftstoreError::System { what: format!("the thread {name}"), why })
    }
}

/// How far every region is; snapshots that a crash interrupted are installed, and other files of snapshots removed.
fn recover(node: &Node, engine: &Engine, state: &dyn State) -> Result<HashMap<u64, Progress>, RaftstoreError> {
    let mut all = HashMap::new();
    for (&id, replica) in &node.replicas {
        let mut progress = Progress::load(state, id)?.unwrap_or(Progress::NEW);
        if let Some(restart) = log::restart(engine, id)
            && progress.applied.index < restart.at.index
        {
            progress = snapshot::install(node, state, replica, &restart).map_err(RaftstoreError::Input)?;
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

/// The replicas of each shard, in the order of their slots.
fn peers(
    node: &Node,
    engine: &Arc<Engine>,
    progress: &HashMap<u64, Progress>,
) -> Result<Vec<Vec<Peer>>, RaftstoreError> {
    // Raft tells its steps to people who mend raft; what users need to know, the node says itself.
    let logger = slog::Logger::root(slog::Discard, slog::o!());
    let mut replicas: Vec<&Arc<Replica>> = node.replicas.values().collect();
    replicas.sort_unstable_by_key(|replica| replica.slot);
    let mut peers: Vec<Vec<Peer>> = node.shards.iter().map(|_| Vec::new()).collect();
    for replica in replicas {
        let region = &replica.region;
        let voters = region.peers.iter().map(|peer| peer.id).collect();
        let progress = progress.get(&region.id).copied().unwrap_or(Progress::NEW);
        let log = LogStore::open(engine, region.id, voters, progress)?;
        peers[replica.shard].push(Peer::new(&node.settings, Arc::clone(replica), log, &logger)?);
    }
    Ok(peers)
}
