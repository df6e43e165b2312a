//! The token bucket that delays writes.

use std::time::Duration;

use super::constants::BURST;

/// Bytes that may pass at a speed. Time is an argument.
#[derive(Debug)]
pub(crate) struct Bucket {
    /// Bytes per second; infinite is no limit.
    speed: f64,
    /// What may pass at once; negative while it is owed.
    bytes: f64,
    at: Duration,
}

impl Bucket {
    /// Without a limit.
    pub(crate) fn unlimited() -> Self {
        Self { speed: f64::INFINITY, bytes: 0.0, at: Duration::ZERO }
    }

    /// Changes the speed; what is owed stays owed.
    pub(crate) fn set_speed(&mut self, speed: f64, now: Duration) {
        self.fill(now);
        self.speed = speed;
        if speed.is_infinite() {
            self.bytes = 0.0;
        }
    }

    /// Takes bytes, and answers how long they have to wait.
    pub(crate) fn take(&mut self, bytes: u64, now: Duration) -> Duration {
        if self.speed.is_infinite() {
            return Duration::ZERO;
        }
        self.fill(now);
        self.bytes -= bytes as f64;
        Duration::try_from_secs_f64(-self.bytes / self.speed).unwrap_or(Duration::ZERO)
    }

    /// Gives bytes back that were taken for nothing.
    pub(crate) fn give_back(&mut self, bytes: u64) {
        self.bytes += bytes as f64;
    }

    fn fill(&mut self, now: Duration) {
        if self.speed.is_finite() {
            let came = now.saturating_sub(self.at).as_secs_f64() * self.speed;
            self.bytes = (self.bytes + came).min(BURST.as_secs_f64() * self.speed);
        }
        self.at = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn debt_is_paid_at_the_speed_of_the_day() {
        let mut bucket = Bucket::unlimited();
        assert_eq!(bucket.take(1 << 40, Duration::ZERO), Duration::ZERO);
        bucket.set_speed(1000.0, Duration::ZERO);
        assert_eq!(bucket.take(1000, Duration::ZERO), Duration::from_secs(1));
        bucket.set_speed(500.0, Duration::ZERO);
        assert_eq!(bucket.take(0, Duration::ZERO), Duration::from_secs(2));
        assert_eq!(bucket.take(0, Duration::from_secs(1)), Duration::from_secs(1));
        bucket.give_back(500);
        assert_eq!(bucket.take(0, Duration::from_secs(1)), Duration::ZERO);
        bucket.set_speed(f64::INFINITY, Duration::from_secs(1));
        assert_eq!(bucket.take(1 << 40, Duration::from_secs(1)), Duration::ZERO);
    }

    proptest! {
        #[test]
        fn no_more_passes_than_the_speed_and_one_burst(
            speed in 16_384.0..200e6_f64, takes in prop::collection::vec((0_u64..100_000, 0_u64..10_000), 1..100)
        ) {
            let mut bucket = Bucket::unlimited();
            bucket.set_speed(speed, Duration::ZERO);
            let (mut now, mut total) = (Duration::ZERO, 0);
            for (bytes, micros) in takes {
                now += Duration::from_micros(micros);
                total += bytes;
                now += bucket.take(bytes, now);
                let allowed = (now + BURST).as_secs_f64() * speed;
                prop_assert!(total as f64 <= allowed * (1.0 + 1e-9) + 1.0, "{total} of {allowed}");
            }
        }
    }
}
