//! What the threads of a node share.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;

use crossbeam_channel::Sender;
use parking_lot::RwLock;
use proto::metapb::Region;
use proto::raft_serverpb::DiskUsage;

use crate::health::{Broken, Disks};
use crate::lanes::Lanes;
use crate::messages::{ToApply, ToPools, ToShard, ToWriter};
use crate::replica::Replica;
use crate::{OnlineRaftSettings, RaftSettings, RaftstoreError, Refusal, refusals};

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
