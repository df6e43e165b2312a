//! Twins of the disk and of the network, for tests of this crate and of those above it.

mod memory;
mod network;

use std::path::Path;
use std::time::Duration;

use proto::metapb::{Peer, Region, RegionEpoch};

pub use memory::MemoryState;
pub use network::MemoryNetwork;

use crate::{LogSettings, OnlineRaftSettings, RaftSettings};

/// Settings with ticks so short that a test does not wait: elections take 100 to 200 ms.
pub fn settings(log_dir: &Path) -> RaftSettings {
    RaftSettings {
        log_dir: log_dir.to_owned(),
        log_file_size: 8 << 20,
        log_purge_threshold: 64 << 20,
        log_compression_threshold: 0,
        log_recycle: true,
        log: LogSettings::default(),
        tick: Duration::from_millis(10),
        heartbeat_ticks: 2,
        election_ticks: 10,
    }
}

/// Settings that go with them.
pub fn online() -> OnlineRaftSettings {
    OnlineRaftSettings {
        store_pool_size: 2,
        store_io_pool_size: 1,
        apply_pool_size: 2,
        lease: Duration::from_millis(80),
        entry_max_size: 8 << 20,
        message_max_size: 1 << 20,
        inflight_messages: 256,
        write_size_limit: 1 << 20,
        gc_interval: Duration::from_millis(100),
        gc_threshold: 50,
        gc_count_limit: 10_000,
        gc_size_limit: 64 << 20,
    }
}

/// A region with a replica on each of the stores; peer ids are 1000 times the region's plus the store's.
pub fn region(id: u64, start_key: &[u8], end_key: &[u8], stores: &[u64]) -> Region {
    Region {
        id,
        start_key: start_key.to_vec().into(),
        end_key: end_key.to_vec().into(),
        region_epoch: Some(RegionEpoch { conf_ver: 1, version: 1 }),
        peers: stores.iter().map(|&store_id| Peer { id: id * 1000 + store_id, store_id, role: 0 }).collect(),
    }
}
