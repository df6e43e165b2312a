//! The threads that run raft on a node.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;

use crossbeam_channel::Sender;
use proto::metapb::Region;

use crate::crew::join;
use crate::messages::{ToGc, ToPools};
use crate::node::Node;
use crate::pools::Pools;
use crate::{OnlineRaftSettings, RaftRouter, RaftSettings, RaftTransport, RegionStatus, StateStore};

/// What a node's raft needs.
pub struct RaftSetup {
    /// This node.
    pub store_id: u64,
    /// Of raft.
    pub settings: RaftSettings,
    /// Of raft, too, as they are at the start.
    pub online: OnlineRaftSettings,
    /// A folder, on the data disk, for snapshots that come in.
    pub snapshot_dir: PathBuf,
    /// What entries change.
    pub state: Arc<dyn StateStore>,
    /// To other nodes.
    pub transport: Arc<dyn RaftTransport>,
    /// Regions with a replica on this node. They stay as they are, and `start_key` and `end_key` are as clients know them:
    /// `key_prefix` comes before them in the state.
    pub regions: Vec<Region>,
    /// What stands before every key in the state: TiKV's `z`.
    pub key_prefix: u8,
    /// Called when a replica learns of another leader; must not block.
    pub on_leader_change: Box<dyn Fn(RegionStatus) + Send + Sync>,
}

/// Raft on a node; stops when told, or when dropped.
pub struct Raftstore {
    pub(crate) node: Arc<Node>,
    /// Has the pools, and gives them their sizes.
    pub(crate) pools: Option<JoinHandle<Option<Pools>>>,
    pub(crate) to_gc: Sender<ToGc>,
    /// Of the log's collector, and of snapshots.
    pub(crate) others: Vec<JoinHandle<Option<()>>>,
}

impl Raftstore {
    /// The door to the replicas.
    pub fn router(&self) -> RaftRouter {
        RaftRouter::new(Arc::clone(&self.node))
    }

    /// Stops the threads; requests on the way are answered.
    pub fn stop(self) {}
}

impl Drop for Raftstore {
    fn drop(&mut self) {
        self.node.stopping.store(true, Ordering::Relaxed);
        let _ = self.node.pools.send(ToPools::Stop);
        // Its threads end with a pool, and those that send snapshots when nobody is left who could ask for one.
        drop(join(&self.node, self.pools.take().into_iter().collect()));
        let _ = self.to_gc.send(ToGc::Stop);
        join(&self.node, std::mem::take(&mut self.others));
    }
}
