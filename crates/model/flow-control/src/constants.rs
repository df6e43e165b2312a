//! The numbers of TiKV's flow control that are not settings, each with its source. Paths are of `tikv/tikv`, v8.5;
//! `singleton_flow_controller.rs` is in `src/storage/txn/flow_controller`.

use units::Nanos;

/// While level 0 is above its threshold, each event slows down by this factor: `K_INC_SLOWDOWN_RATIO`.
pub(crate) const SLOW_DOWN: f64 = 0.8;
/// Lowest speed of a throttle, bytes per second: `MIN_THROTTLE_SPEED`.
pub const SLOWEST_THROTTLE: f64 = 16.0 * 1024.0;
/// Speed above which there is no throttle, bytes per second: `MAX_THROTTLE_SPEED`.
pub const FASTEST_THROTTLE: f64 = 200.0 * 1024.0 * 1024.0;
/// Part of the old share of refused writes that stays at each event: `EMA_FACTOR`.
pub const KEPT_REFUSED_SHARE: f64 = 0.6;
/// Greatest first share of refused writes: `on_pending_compaction_bytes_change_cf`.
pub const FIRST_REFUSED_SHARE: f64 = 0.01;
/// Bytes per second that one memtable more or less takes or gives: `on_memtable_change`.
pub(crate) const MEMTABLE_STEP: f64 = 1024.0 * 1024.0;
/// Files on level 0 by which another column family must exceed the one that throttles to take over: `on_l0_change`.
pub(crate) const CHANGE_MARGIN: f64 = 4.0;
/// Age at which records are forgotten: `SMOOTHER_STALE_RECORD_THRESHOLD`.
pub(crate) const STALE: Nanos = Nanos::secs(300);
/// Least span of records of pending bytes that has a trend: `SMOOTHER_TIME_RANGE_THRESHOLD`.
pub(crate) const PENDING_SPAN: Nanos = Nanos::secs(60);
/// Difference of the halves' averages above which there is a trend: `Smoother::trend`.
pub(crate) const TREND_TOLERANCE: f64 = 2.0;
/// Records of the flow of writes: `write_flow_recorder`.
pub(crate) const WRITE_FLOWS: usize = 30;
/// Records of memtables and of files on level 0: `CfFlowChecker`.
pub(crate) const COUNTS: usize = 20;
/// Records of the logarithm of pending bytes: `long_term_pending_bytes`.
pub(crate) const PENDINGS: usize = 1024;
/// Bytes that may pass at once after a pause, as time at the throttle's speed: `Limiter::builder(…).refill`.
pub const REFILL_BURST: Nanos = Nanos(1_000_000);
