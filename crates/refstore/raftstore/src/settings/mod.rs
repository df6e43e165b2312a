//! What can be set of raft on a node. Names, units and defaults are TiKV's (`raftstore.*`, `raft-engine.*`).

mod log;

use std::path::PathBuf;
use std::time::Duration;

pub use log::{LogRecovery, LogSettings};

/// Settings of raft that hold from the start of a node.
#[derive(Debug, Clone, PartialEq)]
pub struct RaftSettings {
    /// Folder of the log, `raft-engine.dir`.
    pub log_dir: PathBuf,
    /// `raft-engine.target-file-size`: 128 MiB.
    pub log_file_size: u64,
    /// `raft-engine.purge-threshold`: 10 GiB.
    pub log_purge_threshold: u64,
    /// `raft-engine.batch-compression-threshold`: 4 KiB with one writer thread; 0 is never.
    pub log_compression_threshold: u64,
    /// `raft-engine.enable-log-recycle`: files are overwritten, not made anew.
    pub log_recycle: bool,
    /// What else of `raft-engine.*` is set.
    pub log: LogSettings,
    /// `raftstore.raft-base-tick-interval`: 1 s.
    pub tick: Duration,
    /// `raftstore.raft-heartbeat-ticks`: 2.
    pub heartbeat_ticks: usize,
    /// `raftstore.raft-election-timeout-ticks`: 10.
    pub election_ticks: usize,
}

/// Settings of raft that can be changed while the node runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OnlineRaftSettings {
    /// `raftstore.store-pool-size`: threads that run raft; 2.
    pub store_pool_size: usize,
    /// `raftstore.store-io-pool-size`: threads that write the log; 1. Zero means that raft's own threads do, and that they do
    /// cannot be changed.
    pub store_io_pool_size: usize,
    /// `raftstore.apply-pool-size`: threads that apply entries; 2.
    pub apply_pool_size: usize,
    /// `raftstore.raft-store-max-leader-lease`: 9 s; less than an election takes.
    pub lease: Duration,
    /// `raftstore.raft-entry-max-size`: 8 MiB.
    pub entry_max_size: u64,
    /// `raftstore.raft-max-size-per-msg`: 1 MiB.
    pub message_max_size: u64,
    /// `raftstore.raft-max-inflight-msgs`: 256.
    pub inflight_messages: usize,
    /// `raftstore.raft-write-size-limit`: 1 MiB; a batch of the log is written when it has so much.
    pub write_size_limit: u64,
    /// `raftstore.raft-log-gc-tick-interval`: 3 s.
    pub gc_interval: Duration,
    /// `raftstore.raft-log-gc-threshold`: 50 entries.
    pub gc_threshold: u64,
    /// `raftstore.raft-log-gc-count-limit`: entries kept for a peer that lags, before it needs a snapshot.
    pub gc_count_limit: u64,
    /// `raftstore.raft-log-gc-size-limit`: bytes kept likewise.
    pub gc_size_limit: u64,
}

impl OnlineRaftSettings {
    /// Whether what is set now can become this.
    ///
    /// # Errors
    /// When who writes the log would change: TiKV's words for it (raftstore's `RaftstoreConfigManager`).
    pub(crate) fn follows(&self, now: &Self) -> Result<(), &'static str> {
        match (now.store_io_pool_size, self.store_io_pool_size) {
            (0, 1..) => Err("SYNC mode, not allowed to resize the size of store-io-pool-size"),
            (1.., 0) => Err("ASYNC mode, not allowed to be set to SYNC mode by resizing store-io-pool-size to 0"),
            _ => Ok(()),
        }
    }
}
