//! Online changes made real, with the trap that TiKV has in its `storage` module.

use std::sync::Arc;

use kvserver::FlowSettings;

use super::settings;
use crate::config::{Config, Dispatch, Values};
use crate::rocks::RocksState;

/// Applies changes to a node that runs.
pub(super) struct Online {
    pub(super) state: Arc<RocksState>,
    /// Sets flow control anew.
    pub(super) flow: Box<dyn Fn(FlowSettings) + Send + Sync>,
}

impl Dispatch for Online {
    fn dispatch(&self, module: &str, changed: &Values, now: &Config) -> Result<(), String> {
        match module {
            "storage" => self.storage(changed, now),
            "rocksdb" => self.state.reconfigure(now),
            // What follows from a change, such as a memory limit computed from the cache, has nothing to apply.
            _ => Ok(()),
        }
    }
}

impl Online {
    /// TiKV looks for the block cache first and for flow control only if it was not changed in the same request
    /// (src/storage/config_manager.rs): of two groups in one request only the first takes effect, though both are
    /// recorded, kept, and answered with 200. Tools that work against TiKV must meet the same here.
    fn storage(&self, changed: &Values, now: &Config) -> Result<(), String> {
        let group = |prefix: &str| changed.keys().any(|key| key.starts_with(prefix));
        if group("storage.block-cache.") {
            self.state.resize_cache(now.size("storage.block-cache.capacity"));
        } else if group("storage.flow-control.") {
            (self.flow)(settings::flow(now));
            // Whether RocksDB stalls, and how many memtables may wait, follow from flow control.
            self.state.reconfigure(now)?;
        }
        Ok(())
    }
}
