//! The time that a request spends outside the model: in the kernel on its way here and back.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

use units::Nanos;

/// What is taken off each request's time; nothing before it was measured.
#[derive(Debug, Default)]
pub(crate) struct Overhead {
    /// Of a request of 4 KiB.
    fixed: AtomicU64,
    /// Picoseconds for each byte beyond.
    per_byte: AtomicU64,
    /// The part of a small request's that the block layer does not see: the system call, and waking up its caller.
    outside: AtomicU64,
    /// Whether it was amended since it was measured.
    amended: AtomicBool,
}

/// An idle machine has 20 to 80 µs; more than this is not the way but a crowd on it.
const MOST: Nanos = Nanos::micros(150);

/// The same of what lies outside the block layer: a system call and a wake-up.
const MOST_OUTSIDE: Nanos = Nanos::micros(30);

/// The size of a request that pays only the fixed part.
pub(crate) const SMALL: u64 = 4096;

impl Overhead {
    pub(crate) fn of(&self, bytes: u64) -> Nanos {
        let beyond = bytes.saturating_sub(SMALL).saturating_mul(self.per_byte.load(Relaxed)) / 1000;
        Nanos(self.fixed.load(Relaxed) + beyond)
    }

    pub(crate) fn fixed(&self) -> Nanos {
        Nanos(self.fixed.load(Relaxed))
    }

    /// Sets what a small request takes.
    pub(crate) fn set_fixed(&self, small: Nanos) {
        self.fixed.store(small.min(MOST).0, Relaxed);
    }

    /// Sets what of it lies outside the block layer.
    pub(crate) fn set_outside(&self, outside: Nanos) {
        self.outside.store(outside.min(MOST_OUTSIDE).0, Relaxed);
    }

    /// Corrects it by what requests took longer in the block layer than we told: at first wholly, for hundreds of real
    /// requests tell more than the few of the measurement; then by half, so that one second of a crowd does not rule the
    /// next.
    pub(crate) fn amend(&self, excess: f64) {
        let beyond = excess + self.outside.load(Relaxed) as f64;
        let share = if self.amended.swap(true, Relaxed) { 0.5 } else { 1.0 };
        let fixed = self.fixed.load(Relaxed) as f64 + beyond * share;
        self.set_fixed(Nanos(fixed.max(0.0) as u64));
    }

    /// Sets what a request of `bytes` takes beyond a small one.
    pub(crate) fn set_transfer(&self, bytes: u64, beyond: Nanos) {
        self.per_byte.store(beyond.0.saturating_mul(1000) / (bytes - SMALL).max(1), Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amendments_come_to_rest_where_the_way_is_what_is_taken_off() {
        let overhead = Overhead::default();
        overhead.set_outside(Nanos::micros(10));
        // Of 40 µs on the way the block layer sees 30; we tell the model's time and what is taken off.
        (0..20).for_each(|_| overhead.amend(30_000.0 - overhead.fixed().0 as f64));
        assert!(overhead.fixed().0.abs_diff(40_000) < 100, "{}", overhead.fixed());
        overhead.amend(1e9);
        assert_eq!(overhead.fixed(), MOST);
        overhead.amend(-1e9);
        assert_eq!(overhead.fixed(), Nanos(0));
    }

    #[test]
    fn a_large_request_takes_what_was_measured() {
        let overhead = Overhead::default();
        assert_eq!(overhead.of(1 << 20), Nanos(0));
        overhead.set_fixed(Nanos(70_000));
        overhead.set_transfer(1 << 20, Nanos(200_000));
        assert_eq!((overhead.of(512), overhead.of(4096)), (Nanos(70_000), Nanos(70_000)));
        assert!(overhead.of(1 << 20).0.abs_diff(270_000) < 2_000);
    }
}
