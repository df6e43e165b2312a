//! Where time comes from.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use units::Nanos;

/// Time since a start that all threads of a run share.
pub trait RunClock: Clone + Send + 'static {
    /// Since the start.
    fn now(&self) -> Nanos;
}

/// The machine's monotonic clock.
#[derive(Debug, Clone, Copy)]
pub struct MonotonicClock(Instant);

impl MonotonicClock {
    /// Starts now.
    pub fn start() -> Self {
        Self(Instant::now())
    }
}

impl RunClock for MonotonicClock {
    fn now(&self) -> Nanos {
        Nanos(self.0.elapsed().as_nanos() as u64)
    }
}

/// Time that passes when it is told to. Clones share it.
#[derive(Debug, Clone, Default)]
pub struct VirtualClock(Arc<AtomicU64>);

impl VirtualClock {
    /// Moves on to `until`; never back.
    pub fn advance(&self, until: Nanos) {
        self.0.fetch_max(until.0, Ordering::Relaxed);
    }
}

impl RunClock for VirtualClock {
    fn now(&self) -> Nanos {
        Nanos(self.0.load(Ordering::Relaxed))
    }
}
