//! The threads that run raft on a node.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;

use crossbeam_channel::Sender;
use proto::metapb::Region;

use crate::crew::join;
use crate::gc::ToGc;
use crate::node::Node;
use crate::pools::{Pools, ToPools};
use crate::{OnlineRaftSettings, RaftRouter, RaftSettings, RaftTransport, RegionStatus, StateStore, start};

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

/// Why raft did not start.
#[derive(Debug, thiserror::Error)]
pub enum RaftstoreError {
    /// The log cannot be opened or read.
    #[error("the raft log in {folder}: {why}")]
    Log {
        /// Where it is.
        folder: String,
        /// What is wrong.
        why: String,
    },
    /// The state cannot be read or written.
    #[error(transparent)]
    State(#[from] crate::StateError),
    /// What was asked for makes no sense.
    #[error("{0}")]
    Input(String),
    /// The system refuses a thread or a folder.
    #[error("{what}: {why}")]
    System {
        /// What was tried.
        what: String,
        /// The system's answer.
        why: std::io::Error,
    },
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
    /// Opens the log, brings every region to where it was, and starts the threads.
    ///
    /// # Errors
    /// When the log or the state cannot be read, or does not fit the regions.
    pub fn start(setup: RaftSetup) -> Result<Self, RaftstoreError> {
        start::start(setup)
    }

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
