//! For how long a full bucket carries more than the sustained rate.

use catalog::BurstBucket;
use disk::DiskLimits;
use units::{Bytes, BytesPerSec};

/// How long a bucket of `bucket` carries `asked`, when it lets `burst` a second through and refills at `sustained`;
/// `None` if it cannot, or need not.
fn seconds(asked: f64, sustained: f64, burst: f64, bucket: f64) -> Option<f64> {
    (sustained < asked && asked <= burst).then(|| bucket / (asked - sustained))
}

/// How long a burst that a full bucket carries for `full` seconds at its full rate carries `asked`.
pub(crate) fn timed(asked: f64, sustained: f64, burst: f64, full: f64) -> Option<f64> {
    seconds(asked, sustained, burst, full * (burst - sustained)).filter(|seconds| *seconds > 0.0)
}

/// How long the credits of a disk of `stripe` equal volumes carry `asked` I/Os a second.
pub(crate) fn volume_iops(limits: &DiskLimits, stripe: u32, asked: f64) -> Option<f64> {
    let stripe = f64::from(stripe);
    let (asked, sustained) = (asked / stripe, limits.iops.0 / stripe);
    match limits.burst? {
        BurstBucket::IoCredits { iops, capacity } => seconds(asked, sustained, iops.0, capacity),
        BurstBucket::ByteCredits { .. } => None,
        BurstBucket::Timed { iops, full_burst, .. } => timed(asked, sustained, iops.0, full_burst.as_secs_f64()),
    }
}

/// Bytes a second that a disk delivers for good when they are moved by `ops` I/Os a second.
pub(crate) fn sustained_throughput(limits: &DiskLimits, ops: f64) -> BytesPerSec {
    match limits.burst {
        // Small gp2 volumes move more bytes while they have I/O credits, and only I/Os beyond the baseline take those.
        Some(BurstBucket::IoCredits { .. }) if ops <= limits.iops.0 => limits.burst_throughput,
        _ => limits.throughput,
    }
}

/// How long the credits of a disk of `stripe` equal volumes carry `asked` bytes a second, moved by `ops` I/Os a second.
pub(crate) fn volume_throughput(limits: &DiskLimits, stripe: u32, asked: f64, ops: f64) -> Option<f64> {
    let n = f64::from(stripe);
    let (asked_of_each, sustained) = (asked / n, sustained_throughput(limits, ops).0 / n);
    match limits.burst? {
        BurstBucket::IoCredits { .. } => {
            let carried = asked_of_each > sustained && asked <= limits.burst_throughput.0;
            volume_iops(limits, stripe, ops).filter(|_| carried)
        }
        BurstBucket::ByteCredits { per_tib, max, capacity_per_tib } => {
            let tib = limits.size.as_f64() / n / Bytes::gib(1024).as_f64();
            let BytesPerSec(burst) = (per_tib * tib).min(max);
            seconds(asked_of_each, sustained, burst, capacity_per_tib.as_f64() * tib)
        }
        BurstBucket::Timed { throughput, full_burst, .. } => {
            timed(asked_of_each, sustained, throughput.0, full_burst.as_secs_f64())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_burst_lasts_as_long_as_published() {
        // 30 minutes at full rate: m5.2xlarge, 12,000 to 18,750 IOPS.
        assert_eq!(timed(18_750.0, 12_000.0, 18_750.0, 1800.0), Some(1800.0));
    }

    #[test]
    fn half_the_excess_lasts_twice_as_long() {
        let full = timed(20.0, 10.0, 20.0, 1800.0).unwrap();
        assert_eq!(timed(15.0, 10.0, 20.0, 1800.0), Some(2.0 * full));
    }

    #[test]
    fn nothing_carries_more_than_the_burst_rate() {
        assert_eq!(seconds(3001.0, 1200.0, 3000.0, 5.4e6), None);
    }

    #[test]
    fn no_burst_is_needed_for_what_is_sustained() {
        assert_eq!(seconds(1200.0, 1200.0, 3000.0, 5.4e6), None);
    }

    #[test]
    fn gp2_credits_of_400_gib_carry_its_full_burst_for_50_minutes() {
        // 5.4 million credits, spent at 3,000 and earned at 1,200 a second.
        assert_eq!(seconds(3000.0, 1200.0, 3000.0, 5.4e6), Some(3000.0));
    }

    #[test]
    fn an_instance_without_burst_carries_nothing() {
        assert_eq!(timed(11.0, 10.0, 10.0, 0.0), None);
        assert_eq!(timed(11.0, 10.0, 12.0, 0.0), None);
    }
}
