//! TiKV's flow control of a running engine: slows writes down, or refuses a share of them, before the engine stalls. What it
//! decides by is the law of `flow_control`.

mod checker;
mod constants;
mod control;
mod family;
mod metrics;
mod settings;

pub use control::FlowControl;
pub use settings::FlowSettings;

use std::time::Duration;

use raftstore::ColumnFamily;
use units::Nanos;

/// How far the engine is behind in one column family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CfPressure {
    /// Which.
    pub cf: ColumnFamily,
    /// Files on level 0.
    pub l0_files: u64,
    /// Memtables that wait for their flush.
    pub immutable_memtables: u64,
    /// Estimated bytes that compactions have to rewrite.
    pub pending_compaction_bytes: u64,
    /// Bytes flushed since the process began; stays 0 where that is not known, then a new file on level 0 tells of a flush.
    pub flushed_bytes: u64,
    /// Bytes that compactions took from level 0 since the process began; 0 likewise.
    pub l0_compacted_bytes: u64,
}

/// Tells how far the engine is behind. Asked four times a second.
pub trait EnginePressure: Send + Sync + 'static {
    /// All column families that are watched.
    fn per_cf(&self) -> Vec<CfPressure>;
}

/// Time since the service began, as the law counts it.
fn nanos(at: Duration) -> Nanos {
    Nanos(u64::try_from(at.as_nanos()).unwrap_or(u64::MAX))
}
