//! What the threads of a node share.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, AtomicUsize, Ordering};
use std::thread::JoinHandle;

use crossbeam_channel::Sender;
use parking_lot::{Mutex, RwLock};
use proto::metapb::Region;
use proto::raft_serverpb::DiskUsage;

use crate::apply::ToApply;
use crate::lanes::Lanes;
use crate::pools::ToPools;
use crate::replica::Replica;
use crate::shard::ToShard;
use crate::writer::ToWriter;
use crate::{OnlineRaftSettings, RaftSettings, RaftstoreError, Refusal, refusals};

/// Why the node has stepped down for good, once it has.
#[derive(Default)]
pub(crate) struct Broken {
    is: AtomicBool,
    why: Mutex<Option<String>>,
}

impl Broken {
    /// From now on. The first reason stays, and goes to stderr.
    pub(crate) fn set(&self, why: &str) {
        let mut stored = self.why.lock();
        if stored.is_none() {
            textfile::log_line(format_args!("{why}: stepping down"));
            *stored = Some(why.to_owned());
        }
        drop(stored);
        self.is.store(true, Ordering::SeqCst);
    }

    /// Whether it has.
    pub(crate) fn is(&self) -> bool {
        self.is.load(Ordering::SeqCst)
    }

    /// Why it has.
    pub(crate) fn why(&self) -> Option<String> {
        self.why.lock().clone()
    }
}

/// How full the disks of this node are, and those of other nodes as they say.
pub(crate) struct Disks {
    told: AtomicI32,
    /// A write failed for lack of room, and has not been done yet.
    refused: AtomicBool,
    /// Threads with a write of the state for which there is no room.
    waiting: AtomicUsize,
    reason: RwLock<String>,
    others: HashMap<u64, AtomicI32>,
}

impl Disks {
    /// All have room, as far as is known.
    pub(crate) fn new<'a>(regions: impl Iterator<Item = &'a Region>) -> Self {
        let stores = regions.flat_map(|region| region.peers.iter().map(|peer| peer.store_id));
        Self {
            told: AtomicI32::new(0),
            refused: AtomicBool::new(false),
            waiting: AtomicUsize::new(0),
            reason: RwLock::default(),
            others: stores.map(|store| (store, AtomicI32::new(0))).collect(),
        }
    }

    /// What whoever watches the disks says.
    pub(crate) fn set(&self, usage: DiskUsage, reason: String) {
        *self.reason.write() = reason;
        self.told.store(usage as i32, Ordering::Relaxed);
    }

    /// A write failed for lack of room; it is tried again.
    pub(crate) fn refuse(&self, reason: String) {
        if !self.refused.swap(true, Ordering::Relaxed) {
            textfile::log_line(format_args!("{reason}: writes are refused until there is room"));
            *self.reason.write() = reason;
        }
    }

    /// The write that failed is done.
    pub(crate) fn accept(&self) {
        self.refused.store(false, Ordering::Relaxed);
    }

    /// A thread waits for room for a write of the state, until what it gets is dropped.
    pub(crate) fn wait_for_room(&self) -> Waiting<'_> {
        self.waiting.fetch_add(1, Ordering::SeqCst);
        Waiting(&self.waiting)
    }

    /// Whether the state has no room for what is to be written to it.
    pub(crate) fn state_waits(&self) -> bool {
        self.waiting.load(Ordering::SeqCst) > 0
    }

    /// What other nodes are told.
    pub(crate) fn usage(&self) -> i32 {
        match self.refused.load(Ordering::Relaxed) {
            true => DiskUsage::AlreadyFull as i32,
            false => self.told.load(Ordering::Relaxed),
        }
    }

    /// Whether this node has no room for writes.
    pub(crate) fn full(&self) -> bool {
        self.usage() == DiskUsage::AlreadyFull as i32
    }

    /// What another node says.
    pub(crate) fn hear(&self, store: u64, usage: i32) {
        if let Some(known) = self.others.get(&store) {
            known.store(usage, Ordering::Relaxed);
        }
    }
}

/// A thread that waits for room.
pub(crate) struct Waiting<'a>(&'a AtomicUsize);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A node.
pub(crate) struct Node {
    pub(crate) store_id: u64,
    pub(crate) settings: RaftSettings,
    /// As they are now.
    pub(crate) online: RwLock<OnlineRaftSettings>,
    pub(crate) snapshot_dir: PathBuf,
    pub(crate) replicas: HashMap<u64, Arc<Replica>>,
    /// To the threads that run raft.
    pub(crate) shards: Lanes<ToShard>,
    /// To the threads that write the log, if raft's do not.
    pub(crate) writers: Lanes<ToWriter>,
    /// To the threads that apply.
    pub(crate) appliers: Lanes<ToApply>,
    /// To the thread that gives these pools their sizes.
    pub(crate) pools: Sender<ToPools>,
    pub(crate) disks: Disks,
    pub(crate) broken: Arc<Broken>,
    /// Ranges that began to be replaced by a snapshot.
    pub(crate) wipes: AtomicU64,
    /// The node is stopping: nothing is tried again.
    pub(crate) stopping: AtomicBool,
}

impl Node {
    /// A disk failed, or what should never happen did: the node gives up everything it leads, and answers nobody.
    pub(crate) fn break_down(&self, why: &str) {
        self.broken.set(why);
        self.shards.send_all(|| ToShard::Broken);
    }

    /// What everybody is told once it is broken.
    pub(crate) fn broken_refusal(&self) -> Option<Refusal> {
        self.broken.is().then(|| refusals::busy(&self.broken.why().unwrap_or_default()))
    }

    /// Whether to end.
    pub(crate) fn stopping(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }

    /// Why writes to a region are refused for lack of room: this node has none, or most of its replicas' nodes.
    pub(crate) fn full_refusal(&self, region: &Region) -> Option<Refusal> {
        if self.disks.full() {
            return Some(refusals::disk_full(vec![self.store_id], &self.disks.reason.read()));
        }
        let stores = self.full_stores(region);
        (stores.len() > region.peers.len() / 2)
            .then(|| refusals::disk_full(stores, "the disks of most replicas of the region are full"))
    }

    /// Whether this node may leave a region's new entries to the others: it has no room, and most of them have. Where most
    /// have none, the leader takes no writes; what still comes, such as a new leader's first entry, is what the reserve is
    /// for, and without it nobody could lead, nor read.
    pub(crate) fn leaves_entries_to_others(&self, region: &Region) -> bool {
        self.disks.full() && self.full_stores(region).len() < region.peers.len() / 2
    }

    /// The other nodes of a region that say that they have no room.
    fn full_stores(&self, region: &Region) -> Vec<u64> {
        let full = |store: &u64| {
            self.disks
                .others
                .get(store)
                .is_some_and(|usage| usage.load(Ordering::Relaxed) == DiskUsage::AlreadyFull as i32)
        };
        let others = region.peers.iter().map(|peer| peer.store_id).filter(|store| *store != self.store_id);
        others.filter(full).collect()
    }
}

/// Starts a thread; a panic in it breaks the node, and leaves the process to say so.
///
/// # Errors
/// When the system refuses it.
pub(crate) fn spawn<K: Send + 'static>(
    node: &Arc<Node>,
    name: &str,
    run: impl FnOnce() -> K + Send + 'static,
) -> Result<JoinHandle<Option<K>>, RaftstoreError> {
    let (node, of) = (Arc::clone(node), name.to_owned());
    let guarded = move || {
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run));
        outcome.map_err(|_| node.break_down(&format!("internal error in {of}, see above"))).ok()
    };
    let spawned = std::thread::Builder::new().name(name.to_owned()).spawn(guarded);
    spawned.map_err(|why| RaftstoreError::System { what: format!("the thread {name}"), why })
}
