//! What a disk or an instance may do in an interval: more than it sustains while burst credits are left.

use catalog::{BurstBucket, InstanceCaps};
use disk::DiskLimits;

use crate::rules::thresholds;

/// The limits of a disk that delivers only a share of them; its service times stay.
pub(super) fn share_of(limits: DiskLimits, share: f64) -> DiskLimits {
    DiskLimits {
        iops: limits.iops * share,
        throughput: limits.throughput * share,
        burst_throughput: limits.burst_throughput * share,
        ..limits
    }
}

/// What is allowed for good, and while credits last.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Ceiling {
    pub(super) sustained: f64,
    pub(super) burst: f64,
}

impl Ceiling {
    /// The I/O rate of a disk of `stripe` volumes.
    pub(super) fn iops(limits: &DiskLimits, stripe: u32) -> Self {
        let sustained = limits.iops.0;
        let burst = match limits.burst {
            Some(BurstBucket::IoCredits { iops, .. } | BurstBucket::Timed { iops, .. }) => iops.0 * f64::from(stripe),
            _ => sustained,
        };
        Self { sustained, burst: burst.max(sustained) }
    }

    /// Its throughput.
    pub(super) fn throughput(limits: &DiskLimits, stripe: u32) -> Self {
        let sustained = limits.throughput.0;
        let tib = limits.size.as_gib() / 1024.0;
        let burst = match limits.burst {
            Some(BurstBucket::ByteCredits { per_tib, max, .. }) => (per_tib.0 * tib).min(max.0 * f64::from(stripe)),
            Some(BurstBucket::Timed { throughput, .. }) => throughput.0 * f64::from(stripe),
            _ => limits.burst_throughput.0,
        };
        Self { sustained, burst: burst.max(sustained) }
    }

    /// Those of an instance: I/Os and bytes a second.
    pub(super) fn instance(caps: &InstanceCaps) -> (Self, Self) {
        let ceiling = |sustained: f64, burst: f64| Self { sustained, burst: burst.max(sustained) };
        (ceiling(caps.iops.0, caps.burst_iops.0), ceiling(caps.throughput.0, caps.burst_throughput.0))
    }

    /// Whether there is a burst at all.
    pub(super) fn bursts(self) -> bool {
        self.burst > self.sustained
    }

    /// What is allowed with so much of the bucket left; the burst where that is not known.
    pub(super) fn now(self, left: Option<f64>) -> f64 {
        if left.is_some_and(|left| left <= thresholds().empty) { self.sustained } else { self.burst }
    }

    /// What is left where nothing tells: all of it without a burst; none if requests wait at just the sustained rate.
    pub(super) fn left(self, rate: Option<f64>, waits: Option<bool>) -> Option<f64> {
        if !self.bursts() {
            return Some(1.0);
        }
        let at = rate? / self.sustained;
        let t = thresholds();
        (waits? && (t.full..=2.0 - t.full).contains(&at)).then_some(0.0)
    }
}
