//! The threads that run raft on a node.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crossbeam_channel::Sender;
use wire::metapb::Region;

use crate::apply::ToApply;
use crate::gc::ToGc;
use crate::node::Node;
use crate::shard::ToShard;
use crate::writer::ToWriter;
use crate::{RegionStatus, Router, Settings, State, Transport, start};

/// What a node's raft needs.
pub struct Setup {
    /// This node.
    pub store_id: u64,
    /// Of raft.
    pub settings: Settings,
    /// A folder, on the data disk, for snapshots that come in.
    pub snapshot_dir: PathBuf,
    /// What entries change.
    pub state: Arc<dyn State>,
    /// To other nodes.
    pub transport: Arc<dyn Transport>,
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

/// A thread, and how to end it.
pub(crate) struct Worker {
    pub(crate) end: Box<dyn Fn() + Send>,
    pub(crate) thread: JoinHandle<()>,
}

impl Worker {
    pub(crate) fn shard(thread: JoinHandle<()>, to: Sender<ToShard>) -> Self {
        Self { thread, end: Box::new(move || drop(to.send(ToShard::Stop))) }
    }

    pub(crate) fn writer(thread: JoinHandle<()>, to: Sender<ToWriter>) -> Self {
        Self { thread, end: Box::new(move || drop(to.send(ToWriter::Stop))) }
    }

    pub(crate) fn applier(thread: JoinHandle<()>, to: Sender<ToApply>) -> Self {
        Self { thread, end: Box::new(move || drop(to.send(ToApply::Stop))) }
    }

    pub(crate) fn gc(thread: JoinHandle<()>, to: Sender<ToGc>) -> Self {
        Self { thread, end: Box::new(move || drop(to.send(ToGc::Stop))) }
    }

    /// Ends when those are gone that could ask something of it.
    pub(crate) fn sender(thread: JoinHandle<()>) -> Self {
        Self { thread, end: Box::new(|| ()) }
    }
}

/// Raft on a node; stops when told, or when dropped.
pub struct Raftstore {
    pub(crate) node: Arc<Node>,
    /// In the order in which they have to end.
    pub(crate) workers: Vec<Worker>,
}

impl Raftstore {
    /// Opens the log, brings every region to where it was, and starts the threads.
    ///
    /// # Errors
    /// When the log or the state cannot be read, or does not fit the regions.
    pub fn start(setup: Setup) -> Result<Self, RaftstoreError> {
        start::start(setup)
    }

    /// The door to the replicas.
    pub fn router(&self) -> Router {
        Router::new(Arc::clone(&self.node))
    }

    /// Stops the threads; requests on the way are answered.
    pub fn stop(self) {}
}

/// A thread that waits for a broken disk is left behind after this long.
const PATIENCE: Duration = Duration::from_secs(2);

impl Drop for Raftstore {
    fn drop(&mut self) {
        self.node.stopping.store(true, Ordering::Relaxed);
        let begun = Instant::now();
        for Worker { end, thread } in self.workers.drain(..) {
            end();
            drop(end);
            while self.node.broken.is() && !thread.is_finished() && begun.elapsed() < PATIENCE {
                std::thread::sleep(Duration::from_millis(1));
            }
            if !self.node.broken.is() || thread.is_finished() {
                let _ = thread.join();
            }
        }
    }
}
