//! Time that only goes forward, as a number that fits an atomic.

use std::sync::LazyLock;
use std::time::{Duration, Instant};

static BEGIN: LazyLock<Instant> = LazyLock::new(Instant::now);

/// Nanoseconds of CLOCK_MONOTONIC since some moment of this process; never 0.
pub(crate) fn now() -> u64 {
    1 + nanos(BEGIN.elapsed())
}

/// A duration in nanoseconds; 584 years are the most.
pub(crate) fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// Seconds since a moment that [`now`] gave.
pub(crate) fn seconds_since(then: u64) -> f64 {
    now().saturating_sub(then) as f64 / 1e9
}
