//! Burst credits: earned at the sustained rate, spent by every I/O or byte.

use units::Nanos;

/// A balance of credits. What it holds is never negative and never over its capacity.
#[derive(Debug, Clone)]
pub(crate) struct CreditBucket {
    balance: f64,
    capacity: f64,
    /// Credits for each nanosecond.
    accrual: f64,
    /// When `balance` was right.
    at: f64,
}

impl CreditBucket {
    /// A full bucket that earns `rate` a second.
    pub(crate) fn full(capacity: f64, rate: f64) -> Self {
        Self { balance: capacity, capacity, accrual: rate / 1e9, at: 0.0 }
    }

    pub(crate) fn with_balance(self, balance: f64, at: f64) -> Self {
        Self { balance: balance.min(self.capacity), at, ..self }
    }

    /// The balance at an instant not before the last spending.
    pub(crate) fn balance(&self, at: f64) -> f64 {
        (self.balance + self.accrual * (at - self.at).max(0.0)).min(self.capacity)
    }

    /// When there are credits for `work`, at or after `from`.
    pub(crate) fn earliest(&self, from: f64, work: f64) -> f64 {
        let lacking = work.min(self.capacity) - self.balance(from);
        if lacking <= 0.0 { from } else { from + lacking / self.accrual }
    }

    pub(crate) fn take(&mut self, at: f64, work: f64) {
        // Rounding may leave the balance a hair short of the work for which it was waited.
        self.balance = (self.balance(at) - work).max(0.0);
        self.at = self.at.max(at);
    }

    /// Sets the balance to a share of the full bucket.
    pub(crate) fn set(&mut self, at: f64, share: f64) {
        self.balance = share.clamp(0.0, 1.0) * self.capacity;
        self.at = self.at.max(at);
    }

    /// The instant of the last spending.
    pub(crate) fn last(&self) -> f64 {
        self.at
    }

    /// Takes back what was earned while waiting for time that is not to come.
    pub(crate) fn pull_in(&mut self, by: f64) {
        self.balance = (self.balance - self.accrual * by).max(0.0);
        self.at -= by;
    }

    pub(crate) fn report(&self, at: f64) -> CreditBalance {
        CreditBalance { now: self.balance(at), capacity: self.capacity, accrual: self.accrual * 1e9 }
    }
}

/// Burst credits at an instant; `None` where the disk has no such burst. Of a stripe, the volume that has least.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct BurstCredits {
    /// In I/Os.
    pub ios: Option<CreditBalance>,
    /// In bytes.
    pub bytes: Option<CreditBalance>,
}

/// One kind of credits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CreditBalance {
    /// Credits left.
    pub now: f64,
    /// Credits of a full bucket.
    pub capacity: f64,
    /// Earned each second: the sustained rate.
    pub accrual: f64,
}

impl CreditBalance {
    /// The share that is left, 0 to 1, as CloudWatch's BurstBalance (there in percent).
    pub fn share(&self) -> f64 {
        self.now / self.capacity
    }

    /// How long the credits last at `rate` a second; `None` if for ever.
    pub fn time_to_exhaustion(&self, rate: f64) -> Option<Nanos> {
        (rate > self.accrual).then(|| Nanos::from_secs_f64(self.now / (rate - self.accrual)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_full_gp2_bucket_lasts_as_long_as_documented() {
        // EC2 user guide, general-purpose.md: 100 GiB 2,000 s; 334 GiB 2,703 s; 750 GiB 7,200 s at 3,000 IOPS.
        for (gib, seconds) in [(100.0, 2000.0), (334.0, 2703.0), (750.0, 7200.0)] {
            let full = CreditBucket::full(5.4e6, 3.0 * gib).report(0.0);
            let lasts = full.time_to_exhaustion(3000.0).unwrap().as_secs_f64();
            assert!((lasts - seconds).abs() < 1.0, "{gib} GiB: {lasts}");
        }
    }

    #[test]
    fn at_the_sustained_rate_credits_last_for_ever() {
        assert_eq!(CreditBucket::full(5.4e6, 300.0).report(0.0).time_to_exhaustion(300.0), None);
    }

    proptest! {
        #[test]
        fn credits_conserve(
            capacity in 100.0..1e6f64,
            rate in 1.0..1e5f64,
            jobs in prop::collection::vec((0.0..1e9f64, 0.1..100.0f64), 1..100),
        ) {
            let mut bucket = CreditBucket::full(capacity, rate);
            // The book kept beside it: what is earned beyond a full bucket is lost.
            let (mut clock, mut book, mut booked_at) = (0.0, capacity, 0.0);
            for (gap, work) in jobs {
                let start = bucket.earliest(clock + gap, work);
                prop_assert!(start >= clock + gap);
                bucket.take(start, work);
                book = (book + (start - booked_at) * rate / 1e9).min(capacity) - work;
                (clock, booked_at) = (start, start);
                prop_assert!((bucket.balance(start) - book).abs() < 1e-6 * capacity);
                prop_assert!((0.0..=capacity).contains(&bucket.balance(start)));
            }
        }
    }
}
