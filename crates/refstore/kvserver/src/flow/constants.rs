//! The numbers of TiKV's flow control that are not settings, each with its source. Paths are of `tikv/tikv`, v8.5;
//! `singleton_flow_controller.rs` is in `src/storage/txn/flow_controller`.

use std::time::Duration;

/// The flow of writes is recorded this often: `TICK_DURATION`.
pub(crate) const TICK: Duration = Duration::from_secs(1);
/// The engine is asked this often. TiKV listens to RocksDB's events; a flush or a compaction of level 0 takes longer than this,
/// and asking takes RocksDB's lock.
pub(crate) const SAMPLE: Duration = Duration::from_millis(250);
/// Shares and logarithms are shown as integers of this scale: `RATIO_SCALE_FACTOR`.
pub(crate) const SCALE: f64 = 1e7;
/// While level 0 is above its threshold, each event slows down by this factor: `K_INC_SLOWDOWN_RATIO`.
pub(crate) const SLOW_DOWN: f64 = 0.8;
/// Nothing is slowed down below this, bytes per second: `MIN_THROTTLE_SPEED`.
pub(crate) const SLOWEST: f64 = 16.0 * 1024.0;
/// Above this there is no limit, bytes per second: `MAX_THROTTLE_SPEED`.
pub(crate) const FASTEST: f64 = 200.0 * 1024.0 * 1024.0;
/// How much of the old share of refused writes stays at each event: `EMA_FACTOR`.
pub(crate) const KEPT_SHARE: f64 = 0.6;
/// The first share of refused writes is at most this: `on_pending_compaction_bytes_change_cf`.
pub(crate) const FIRST_SHARE: f64 = 0.01;
/// A memtable more or less is this many bytes per second: `on_memtable_change`.
pub(crate) const MEMTABLE_STEP: f64 = 1024.0 * 1024.0;
/// The column family that slows down changes when another has this many more files on level 0: `on_l0_change`.
pub(crate) const CHANGE_MARGIN: f64 = 4.0;
/// Older records are forgotten: `SMOOTHER_STALE_RECORD_THRESHOLD`.
pub(crate) const STALE: Duration = Duration::from_secs(300);
/// There is no trend of pending bytes within less: `SMOOTHER_TIME_RANGE_THRESHOLD`.
pub(crate) const PENDING_SPAN: Duration = Duration::from_secs(60);
/// A trend is a difference of the halves' averages of more than this: `Smoother::trend`.
pub(crate) const TREND_TOLERANCE: f64 = 2.0;
/// Records of the flow of writes: `write_flow_recorder`.
pub(crate) const WRITE_FLOWS: usize = 30;
/// Records of memtables and of files on level 0: `CfFlowChecker`.
pub(crate) const COUNTS: usize = 20;
/// Records of the logarithm of pending bytes: `long_term_pending_bytes`.
pub(crate) const PENDINGS: usize = 1024;
/// Records of the flow into level 0: `short_term_l0_production_flow`.
pub(crate) const FLUSH_FLOWS: usize = 10;
/// Records of the flow out of level 0: `short_term_l0_consumption_flow`.
pub(crate) const L0_FLOWS: usize = 3;
/// Flows of level 0 are averages over at least this: `collect_l0_production_stats`.
pub(crate) const FLOW_SPAN: Duration = Duration::from_secs(5);
/// What may pass at once after a pause, as time at the limit: `Limiter::builder(…).refill`.
pub(crate) const BURST: Duration = Duration::from_millis(1);
