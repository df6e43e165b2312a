//! The limit as RocksDB tunes it by itself: five percent up or down by how often it ran dry. After `util/rate_limiter.cc` of
//! TiKV's RocksDB 8.10, `GenericRateLimiter::TuneLocked`.

/// Refills between two tunings.
const REFILLS: f64 = 100.0;
/// The least rate is this part of the most.
const RANGE: f64 = 20.0;
/// Below and above these shares of dry refills the rate falls and rises.
const LOW: f64 = 0.5;
const HIGH: f64 = 0.9;
/// By so much.
const STEP: f64 = 1.05;

/// The tuning of a node's limiter.
#[derive(Debug, Clone, Default)]
pub(super) struct Tuning {
    tuned: f64,
    /// Refills that ran dry since then, and the last that did.
    dry: f64,
    last: f64,
}

impl Tuning {
    /// A request has to wait: the refill that `now` is in has run dry.
    pub(super) fn waits(&mut self, now: f64, period: f64) {
        let refill = (now / period).floor();
        if refill > self.last {
            self.dry += 1.0;
            self.last = refill;
        }
    }

    /// The rate from now on, if it is time for another.
    pub(super) fn tune(&mut self, now: f64, rate: f64, most: f64, period: f64) -> Option<f64> {
        let refills = (now - self.tuned) / period;
        if refills < REFILLS {
            return None;
        }
        let dry = self.dry / refills;
        (self.tuned, self.dry) = (now, 0.0);
        let least = most / RANGE;
        Some(if dry <= 0.0 {
            least
        } else if dry < LOW {
            (rate / STEP).max(least)
        } else if dry > HIGH {
            (rate * STEP).min(most)
        } else {
            rate
        })
    }
}
