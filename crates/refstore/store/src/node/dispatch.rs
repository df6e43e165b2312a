//! Online changes made real, with the trap that TiKV has in its `storage` module.

use std::sync::Arc;

use kvserver::{KvServer, ServerError};
use parking_lot::Mutex;
use raftstore::RaftRouter;

use super::settings::{self, READ_POOL, SCHEDULER_POOL};
use crate::config::{ConfigDispatch, ConfigValues, StoreConfig};
use crate::rocks::RocksState;

/// Applies changes to a node that runs.
pub(super) struct Online {
    pub(super) state: Arc<RocksState>,
    /// The service, until it stops.
    pub(super) server: Arc<Mutex<Option<KvServer>>>,
    pub(super) router: RaftRouter,
}

impl ConfigDispatch for Online {
    fn dispatch(&self, module: &str, changed: &ConfigValues, now: &StoreConfig) -> Result<(), String> {
        match module {
            "storage" => self.storage(changed, now),
            "rocksdb" => self.state.reconfigure(now).map_err(|error| error.to_string()),
            "readpool" => self.serving(|server| server.resize_read_pool(now.count(READ_POOL))),
            "raftstore" => self.router.change(settings::raft_online(now)).map_err(str::to_owned),
            // What follows from a change, such as a memory limit computed from the cache, has nothing to apply.
            _ => Ok(()),
        }
    }
}

impl Online {
    /// TiKV looks for the block cache first, for flow control only if that was not changed in the same request, and for the
    /// scheduler's pool only if neither was (src/storage/config_manager.rs): of two groups in one request only the first takes
    /// effect, though both are recorded, kept, and answered with 200. Tools that work against TiKV must meet the same here.
    fn storage(&self, changed: &ConfigValues, now: &StoreConfig) -> Result<(), String> {
        let group = |prefix: &str| changed.keys().any(|key| key.starts_with(prefix));
        if group("storage.block-cache.") {
            self.state.resize_cache(now.size("storage.block-cache.capacity"));
        } else if group("storage.flow-control.") {
            self.serving(|server| {
                server.flow().set(settings::flow(now));
                Ok(())
            })?;
            // Whether RocksDB stalls, and how many memtables may wait, follow from flow control.
            self.state.reconfigure(now).map_err(|error| error.to_string())?;
        } else if group(SCHEDULER_POOL) {
            self.serving(|server| server.resize_scheduler_pool(now.count(SCHEDULER_POOL)))?;
        }
        Ok(())
    }

    /// Changes something of the service, if it has not stopped.
    fn serving(&self, change: impl FnOnce(&KvServer) -> Result<(), ServerError>) -> Result<(), String> {
        self.server.lock().as_ref().map_or(Ok(()), change).map_err(|error| error.to_string())
    }
}
