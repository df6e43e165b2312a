//! The token bucket that delays writes.

use units::Nanos;

use crate::REFILL_BURST;

/// Bytes that may pass at a speed.
#[derive(Debug, Clone)]
pub struct WriteBucket {
    /// Bytes per second; infinite is no limit.
    speed: f64,
    /// Bytes that may pass at once; negative while they are owed.
    bytes: f64,
    filled: Nanos,
}

impl WriteBucket {
    /// A bucket without a limit.
    pub fn unlimited() -> Self {
        Self { speed: f64::INFINITY, bytes: 0.0, filled: Nanos(0) }
    }

    /// Changes the speed; what is owed stays owed.
    pub fn set_speed(&mut self, speed: f64, now: Nanos) {
        self.fill(now);
        self.speed = speed;
        if speed.is_infinite() {
            self.bytes = 0.0;
        }
    }

    /// Takes bytes. Returns how long they have to wait.
    pub fn take(&mut self, bytes: f64, now: Nanos) -> Nanos {
        if self.speed.is_infinite() {
            return Nanos(0);
        }
        self.fill(now);
        self.bytes -= bytes;
        Nanos::from_secs_f64(-self.bytes / self.speed)
    }

    /// Gives bytes back that did not pass.
    pub fn give_back(&mut self, bytes: f64) {
        self.bytes += bytes;
    }

    fn fill(&mut self, now: Nanos) {
        if self.speed.is_finite() {
            let came = (now - self.filled).as_secs_f64() * self.speed;
            self.bytes = (self.bytes + came).min(REFILL_BURST.as_secs_f64() * self.speed);
        }
        self.filled = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const LARGE: f64 = (1_u64 << 40) as f64;

    #[test]
    fn debt_is_paid_at_the_speed_of_the_day() {
        let mut bucket = WriteBucket::unlimited();
        assert_eq!(bucket.take(LARGE, Nanos(0)), Nanos(0));
        bucket.set_speed(1000.0, Nanos(0));
        assert_eq!(bucket.take(1000.0, Nanos(0)), Nanos::secs(1));
        bucket.set_speed(500.0, Nanos(0));
        assert_eq!(bucket.take(0.0, Nanos(0)), Nanos::secs(2));
        assert_eq!(bucket.take(0.0, Nanos::secs(1)), Nanos::secs(1));
        bucket.give_back(500.0);
        assert_eq!(bucket.take(0.0, Nanos::secs(1)), Nanos(0));
        bucket.set_speed(f64::INFINITY, Nanos::secs(1));
        assert_eq!(bucket.take(LARGE, Nanos::secs(1)), Nanos(0));
    }

    proptest! {
        #[test]
        fn no_more_passes_than_the_speed_and_one_burst(
            speed in 16_384.0..200e6_f64, takes in prop::collection::vec((0_u32..100_000, 0_u64..10_000), 1..100)
        ) {
            let mut bucket = WriteBucket::unlimited();
            bucket.set_speed(speed, Nanos(0));
            let (mut now, mut total) = (Nanos(0), 0.0);
            for (bytes, micros) in takes {
                now += Nanos(micros * 1000);
                total += f64::from(bytes);
                now += bucket.take(f64::from(bytes), now);
                let allowed = (now + REFILL_BURST).as_secs_f64() * speed;
                prop_assert!(total <= allowed * (1.0 + 1e-9) + 1.0, "{total} of {allowed}");
            }
        }
    }
}
