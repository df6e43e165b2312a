//! A sample at an instant between two others, for boundaries at which none was taken.

use units::{Bytes, Nanos};

use crate::{CacheCounters, CreditGauge, DiskSample, LimitTimes, NodeSample, RequestCounters};

/// The sample at an instant from `before` to `after`: counters grow evenly in between, rounded to whole numbers, so that
/// the growth on either side still adds up. What is no counter is as it was before.
pub(crate) fn between(before: &NodeSample, after: &NodeSample, at: Nanos) -> NodeSample {
    let way = (at - before.at).as_secs_f64() / (after.at - before.at).as_secs_f64().max(f64::MIN_POSITIVE);
    let way = Way(way.clamp(0.0, 1.0));
    let disks = before.disks.iter().filter_map(|disk| Some(way.disk(disk, after.disk(&disk.name)?))).collect();
    NodeSample {
        at,
        instance: before.instance.clone(),
        instance_ios: way.credit(before.instance_ios, after.instance_ios),
        instance_bytes: way.credit(before.instance_bytes, after.instance_bytes),
        disks,
    }
}

/// How far between two samples, 0 to 1.
#[derive(Clone, Copy)]
struct Way(f64);

impl Way {
    fn disk(self, a: &DiskSample, b: &DiskSample) -> DiskSample {
        DiskSample {
            read: self.done(a.read, b.read),
            write: self.done(a.write, b.write),
            flush: self.done(a.flush, b.flush),
            counted: a.counted + (b.counted - a.counted) * self.0,
            errors: self.count(a.errors, b.errors),
            busy: self.time(a.busy, b.busy),
            queued: self.time(a.queued, b.queued),
            bound: LimitTimes {
                volume_iops: self.time(a.bound.volume_iops, b.bound.volume_iops),
                volume_throughput: self.time(a.bound.volume_throughput, b.bound.volume_throughput),
                instance_iops: self.time(a.bound.instance_iops, b.bound.instance_iops),
                instance_throughput: self.time(a.bound.instance_throughput, b.bound.instance_throughput),
                fault: self.time(a.bound.fault, b.bound.fault),
            },
            ios: self.credit(a.ios, b.ios),
            bytes: self.credit(a.bytes, b.bytes),
            cache: a.cache.zip(b.cache).map(|(a, b)| self.cache(a, b)),
            late: self.time(a.late, b.late),
            ..a.clone()
        }
    }

    fn done(self, a: RequestCounters, b: RequestCounters) -> RequestCounters {
        RequestCounters {
            count: self.count(a.count, b.count),
            bytes: Bytes(self.count(a.bytes.0, b.bytes.0)),
            time: self.time(a.time, b.time),
        }
    }

    fn cache(self, a: CacheCounters, b: CacheCounters) -> CacheCounters {
        CacheCounters {
            hits: self.count(a.hits, b.hits),
            misses: self.count(a.misses, b.misses),
            hit_bytes: Bytes(self.count(a.hit_bytes.0, b.hit_bytes.0)),
            hit_time: self.time(a.hit_time, b.hit_time),
        }
    }

    fn credit(self, a: Option<CreditGauge>, b: Option<CreditGauge>) -> Option<CreditGauge> {
        a.zip(b).map(|(a, b)| CreditGauge { now: a.now + (b.now - a.now) * self.0, ..a })
    }

    fn time(self, a: Nanos, b: Nanos) -> Nanos {
        Nanos(self.count(a.0, b.0))
    }

    fn count(self, a: u64, b: u64) -> u64 {
        let grown = b.saturating_sub(a);
        a + ((grown as f64 * self.0).round() as u64).min(grown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{disk, node};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_sample_in_between_lies_between(reads in 0u64..1 << 50, at in 1u64..1000, queued in 0u64..1 << 60) {
            let mut late = disk("data", "gp3:1000GiB");
            (late.read.count, late.queued, late.counted) = (reads, Nanos(queued), reads as f64);
            let (before, after) = (node(0, vec![disk("data", "gp3:1000GiB")]), node(1000, vec![late.clone()]));
            let middle = &between(&before, &after, Nanos::secs(at)).disks[0];
            prop_assert!(middle.read.count <= reads && middle.queued.0 <= queued);
            prop_assert!((middle.counted - reads as f64 * at as f64 / 1000.0).abs() <= 1e-9 * reads as f64);
            let whole = &between(&before, &after, Nanos::secs(1000)).disks[0];
            prop_assert_eq!(whole.read.count, reads);
        }
    }

    #[test]
    fn a_disk_that_one_sample_lacks_is_not_in_between() {
        let (before, after) = (node(0, vec![disk("data", "gp3:1000GiB")]), node(10, vec![]));
        assert!(between(&before, &after, Nanos::secs(5)).disks.is_empty());
    }
}
