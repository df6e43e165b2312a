//! A rate limit as a schedule: when may the next request start?

use catalog::{BurstBucket, InstanceCaps};
use units::{Bytes, Nanos};

use super::credits::CreditBucket;
use super::{BehaviourConstants, later};
use crate::DiskLimits;

/// The generic cell rate algorithm (ITU-T I.371): work is scheduled at the rate, and may start up to `depth` ahead of its
/// schedule. A window of length w lets through at most rate × (w + depth) and one request more. A request larger than the
/// depth passes at once and delays those behind it.
#[derive(Debug, Clone)]
struct Bucket {
    /// When all work so far would end at exactly the rate.
    scheduled: f64,
    /// In nanoseconds.
    depth: f64,
    /// Nanoseconds for each unit of work.
    pace: f64,
}

/// Below a burst rate and, in the long run, below a sustained one: a bucket for the first, credits for the second.
#[derive(Debug, Clone)]
pub(crate) struct Limiter {
    bucket: Bucket,
    credits: Option<CreditBucket>,
}

impl Limiter {
    /// A limit of `rate` units a second.
    pub(crate) fn steady(rate: f64) -> Self {
        let depth = BehaviourConstants::embedded().bucket_depth.0 as f64;
        Self { bucket: Bucket { scheduled: 0.0, depth, pace: 1e9 / rate }, credits: None }
    }

    /// A limit of `burst` units a second while credits last, `rate` after; just `rate` if that is not less.
    pub(crate) fn bursting(rate: f64, burst: f64, capacity: f64) -> Self {
        if burst <= rate {
            return Self::steady(rate);
        }
        Self { credits: Some(CreditBucket::full(capacity, rate)), ..Self::steady(burst) }
    }

    /// Limiter like [`Limiter::bursting`], with credits that last for `time` at the full burst rate.
    fn timed(rate: f64, burst: f64, time: Nanos) -> Self {
        Self::bursting(rate, burst, (burst - rate) * time.as_secs_f64())
    }

    /// The limits of one volume, on I/Os and on bytes.
    pub(crate) fn of_volume(limits: &DiskLimits) -> (Self, Self) {
        let (iops, bytes) = (limits.iops.0, limits.throughput.0);
        match limits.burst {
            Some(BurstBucket::IoCredits { iops: burst, capacity }) => {
                (Self::bursting(iops, burst.0, capacity), Self::steady(bytes.max(limits.burst_throughput.0)))
            }
            Some(BurstBucket::ByteCredits { per_tib, max, capacity_per_tib }) => {
                let tib = limits.size.as_f64() / Bytes::gib(1024).as_f64();
                let burst = (per_tib.0 * tib).min(max.0);
                (Self::steady(iops), Self::bursting(bytes, burst, capacity_per_tib.as_f64() * tib))
            }
            Some(BurstBucket::Timed { iops: burst_iops, throughput, full_burst }) => {
                (Self::timed(iops, burst_iops.0, full_burst), Self::timed(bytes, throughput.0, full_burst))
            }
            None => (Self::steady(iops), Self::steady(bytes)),
        }
    }

    /// The caps of an instance, on I/Os and on bytes. AWS only says that a full burst is there at least once in 24 hours;
    /// here the unused part of the sustained rate fills the bucket, as Azure documents for its own.
    pub(crate) fn of_instance(caps: &InstanceCaps) -> (Self, Self) {
        (
            Self::timed(caps.iops.0, caps.burst_iops.0, caps.burst_time),
            Self::timed(caps.throughput.0, caps.burst_throughput.0, caps.burst_time),
        )
    }

    /// When work that is ready at `from` may start, in nanoseconds.
    pub(crate) fn earliest(&self, from: f64, work: f64) -> f64 {
        let start = later(from, self.bucket.scheduled - self.bucket.depth);
        match &self.credits {
            Some(credits) => credits.earliest(start, work),
            None => start,
        }
    }

    /// Books work that starts at `at`, no earlier than [`Limiter::earliest`] said, at `1 / slowdown` of the rate.
    pub(crate) fn take(&mut self, at: f64, work: f64, slowdown: f64) {
        self.bucket.scheduled = later(self.bucket.scheduled, at) + work * self.bucket.pace * slowdown;
        if let Some(credits) = &mut self.credits {
            credits.take(at, work);
        }
    }

    /// The rate while credits last, in units a second.
    pub(crate) fn rate(&self) -> f64 {
        1e9 / self.bucket.pace
    }

    /// Nanoseconds for each unit at that rate.
    pub(crate) fn pace(&self) -> f64 {
        self.bucket.pace
    }

    /// Changes that rate; what is scheduled stays.
    pub(crate) fn set_rate(&mut self, rate: f64) {
        self.bucket.pace = 1e9 / rate;
    }

    pub(crate) fn credits(&self) -> Option<&CreditBucket> {
        self.credits.as_ref()
    }

    pub(crate) fn credits_mut(&mut self) -> Option<&mut CreditBucket> {
        self.credits.as_mut()
    }

    /// Moves what is scheduled after `until` ahead by the time from `at` to `until`.
    pub(crate) fn pull_in(&mut self, at: f64, until: f64) {
        if self.bucket.scheduled > until {
            self.bucket.scheduled -= until - at;
        }
        if let Some(credits) = self.credits.as_mut().filter(|c| c.last() >= until) {
            credits.pull_in(until - at);
        }
    }

    /// Takes over another limit's rates and credits, keeping what is scheduled and, where both have credits, the balance.
    pub(crate) fn become_like(&mut self, new: Self, at: f64) {
        self.set_rate(new.rate());
        self.credits = match (self.credits.take(), new.credits) {
            (Some(old), Some(new)) => Some(new.with_balance(old.balance(at), at)),
            (_, new) => new,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_window_lets_more_through_than_rate_times_window_and_bucket(
            rate in 10.0..1e6f64,
            jobs in prop::collection::vec((0.0..50e6f64, 0.1..100.0f64), 1..200),
        ) {
            let mut limiter = Limiter::steady(rate);
            let (mut clock, mut last) = (0.0, 0.0);
            let mut passed: Vec<(f64, f64)> = Vec::new();
            for (gap, work) in jobs {
                clock += gap;
                let start = limiter.earliest(f64::max(clock, last), work);
                prop_assert!(start >= clock);
                limiter.take(start, work, 1.0);
                last = start;
                passed.push((start, work));
            }
            for (i, (from, _)) in passed.iter().enumerate() {
                let mut sum = 0.0;
                for (to, work) in &passed[i..] {
                    let allowed = rate * (to - from + limiter.bucket.depth) / 1e9 + work;
                    sum += work;
                    prop_assert!(sum <= allowed * (1.0 + 1e-9), "{sum} > {allowed}");
                }
            }
        }
    }

    #[test]
    fn an_idle_limit_lets_its_depth_through_at_once_and_then_paces() {
        let mut limiter = Limiter::steady(1000.0);
        let starts: Vec<f64> = (0..40)
            .map(|_| {
                let start = limiter.earliest(0.0, 1.0);
                limiter.take(start, 1.0, 1.0);
                start
            })
            .collect();
        let depth = BehaviourConstants::embedded().bucket_depth.as_millis_f64() as usize;
        assert_eq!(starts.iter().filter(|s| **s == 0.0).count(), depth + 1);
        assert_eq!(starts[39] - starts[38], 1e6);
    }
}
