//! The numbers by which flow control watches an engine, each with its source. Paths are of `tikv/tikv`, v8.5. Those by which it
//! decides are `flow_control`'s.

use std::time::Duration;

/// The flow of writes is recorded this often: `TICK_DURATION`.
pub(crate) const TICK: Duration = Duration::from_secs(1);
/// The engine is asked this often. TiKV listens to RocksDB's events; a flush or a compaction of level 0 takes longer than this,
/// and asking takes RocksDB's lock.
pub(crate) const SAMPLE: Duration = Duration::from_millis(250);
/// Shares and logarithms are shown as integers of this scale: `RATIO_SCALE_FACTOR`.
pub(crate) const SCALE: f64 = 1e7;
/// Records of the flow into level 0: `short_term_l0_production_flow`.
pub(crate) const FLUSH_FLOWS: usize = 10;
/// Records of the flow out of level 0: `short_term_l0_consumption_flow`.
pub(crate) const L0_FLOWS: usize = 3;
/// Flows of level 0 are averages over at least this: `collect_l0_production_stats`.
pub(crate) const FLOW_SPAN: Duration = Duration::from_secs(5);
