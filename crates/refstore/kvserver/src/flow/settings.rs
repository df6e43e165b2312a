//! What can be set of flow control. Names, units and defaults are TiKV's (`storage.flow-control.*`).

use flow_control::{FASTEST_THROTTLE, FlowThresholds, SLOWEST_THROTTLE};

/// Settings of flow control; all can be changed while it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlowSettings {
    /// `enable`: true. Without it nothing is slowed down here, and RocksDB's own stalls should be on.
    pub enable: bool,
    /// `soft-pending-compaction-bytes-limit`: 192 GiB; above it writes are refused at random.
    pub soft_pending_compaction_bytes_limit: u64,
    /// `hard-pending-compaction-bytes-limit`: 1024 GiB; above it all are.
    pub hard_pending_compaction_bytes_limit: u64,
    /// `memtables-threshold`: 5 memtables that wait for their flush.
    pub memtables_threshold: u64,
    /// `l0-files-threshold`: 20 files on level 0.
    pub l0_files_threshold: u64,
}

impl Default for FlowSettings {
    fn default() -> Self {
        Self {
            enable: true,
            soft_pending_compaction_bytes_limit: 192 << 30,
            hard_pending_compaction_bytes_limit: 1024 << 30,
            memtables_threshold: 5,
            l0_files_threshold: 20,
        }
    }
}

impl FlowSettings {
    /// The thresholds of the law.
    pub(crate) fn thresholds(&self) -> FlowThresholds {
        FlowThresholds {
            l0_files: self.l0_files_threshold as f64,
            memtables: self.memtables_threshold as f64,
            soft_pending: self.soft_pending_compaction_bytes_limit as f64,
            hard_pending: self.hard_pending_compaction_bytes_limit as f64,
            slowest: SLOWEST_THROTTLE,
            fastest: FASTEST_THROTTLE,
        }
    }
}
