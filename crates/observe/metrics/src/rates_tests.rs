use proptest::prelude::*;
use units::{Bytes, BytesPerSec, Iops, Nanos};

use crate::testing::{disk, done, gp2_credit, node};
use limits::BindingLimit;

use crate::{CacheCounters, CreditGauge, DiskRates, DiskSample, NodeSample, rates};

/// Ten seconds of a disk, at the end of which it is as `change` makes it.
fn ten_seconds(text: &str, change: impl FnOnce(&mut DiskSample)) -> DiskRates {
    let before = disk("data", text);
    let mut after = before.clone();
    change(&mut after);
    rates(&node(50, vec![before]), &node(60, vec![after])).disks.remove(0)
}

fn credits(before: CreditGauge, after: CreditGauge) -> crate::BurstRate {
    let at = |second, credit| NodeSample { instance_ios: Some(credit), ..node(second, Vec::new()) };
    rates(&at(0, before), &at(10, after)).instance_ios.unwrap()
}

#[test]
fn rates_are_growth_over_time_and_latencies_are_means() {
    let rates = ten_seconds("gp3:100GiB", |d| {
        d.read = done(15_000, 16, Nanos::micros(500));
        d.write = done(5000, 4, Nanos::micros(700));
        d.counted = 20_000.0;
        d.queued = Nanos::secs(11);
        d.busy = Nanos::secs(5);
        d.late = Nanos(20_000 * 4000);
    });
    assert_eq!((rates.read.iops, rates.write.iops), (Iops(1500.0), Iops(500.0)));
    assert_eq!(rates.read.throughput, BytesPerSec(1500.0 * 16_384.0));
    assert_eq!((rates.read.latency, rates.write.latency), (Some(Nanos::micros(500)), Some(Nanos::micros(700))));
    assert_eq!((rates.queue_depth, rates.busy, rates.late), (1.1, 0.5, Some(Nanos::micros(4))));
    assert_eq!(rates.iops_utilisation, Some(2000.0 / 3000.0));
    let bytes = 1500.0 * 16_384.0 + 500.0 * 4096.0;
    assert_eq!(rates.throughput_utilisation, Some(bytes / BytesPerSec::mib(125.0).0));
}

#[test]
fn a_disk_that_did_nothing_has_rates_of_zero_and_no_latency() {
    let rates = ten_seconds("gp3:100GiB", |_| {});
    assert_eq!((rates.read.iops, rates.read.latency, rates.late, rates.binds), (Iops(0.0), None, None, None));
    assert_eq!(rates.cache_hit_rate, None);
}

#[test]
fn the_limit_with_the_largest_share_binds() {
    let rates = ten_seconds("gp3:100GiB", |d| {
        d.bound.volume_throughput = Nanos::secs(4);
        d.bound.instance_throughput = Nanos::secs(9);
    });
    assert_eq!(rates.binds, Some(BindingLimit::InstanceThroughput));
    assert_eq!((rates.bound.instance_throughput, rates.bound.volume_throughput), (0.9, 0.4));
}

#[test]
fn a_limit_that_held_requests_up_for_a_hundredth_of_a_second_does_not_bind() {
    assert_eq!(ten_seconds("gp3:100GiB", |d| d.bound.volume_iops = Nanos::millis(10)).binds, None);
}

#[test]
fn a_disk_without_limits_has_no_utilisation() {
    let rates = ten_seconds("nvme:100GiB", |d| (d.iops_limit, d.throughput_limit) = (None, None));
    assert_eq!((rates.iops_utilisation, rates.throughput_utilisation), (None, None));
}

#[test]
fn what_the_cache_answered_is_in_the_rates_but_not_in_the_utilisation() {
    let rates = ten_seconds("gp2:100GiB+cache(nvme:10GiB)", |d| {
        d.read = done(1000, 4, Nanos::micros(100));
        d.cache =
            Some(CacheCounters { hits: 750, misses: 250, hit_bytes: Bytes::kib(3000), hit_time: Nanos::millis(75) });
    });
    assert_eq!((rates.read.iops, rates.cache_hit_rate), (Iops(100.0), Some(0.75)));
    assert_eq!(rates.throughput_utilisation, Some(25.0 * 4096.0 / BytesPerSec::mib(125.0).0));
}

#[test]
fn credits_run_out_at_the_rate_at_which_they_fell() {
    // 100 GiB of gp2 at 3000 IOPS: 300 a second earned, 2700 lost.
    let burst = credits(gp2_credit(2_727_000.0, 300.0), gp2_credit(2_700_000.0, 300.0));
    assert_eq!((burst.spent, burst.share, burst.runs_out), (3000.0, 0.5, Some(Nanos::secs(1000))));
}

#[test]
fn credits_that_rise_or_stay_full_last_for_ever() {
    assert_eq!(credits(gp2_credit(1e6, 300.0), gp2_credit(1.001e6, 300.0)).runs_out, None);
    assert_eq!(credits(gp2_credit(5.4e6, 300.0), gp2_credit(5.4e6, 300.0)).runs_out, None);
    assert_eq!(credits(gp2_credit(0.0, 300.0), gp2_credit(3000.0, 300.0)).runs_out, None, "idle, so it fills");
}

#[test]
fn an_empty_bucket_that_is_drained_as_fast_as_it_fills_has_run_out() {
    assert_eq!(credits(gp2_credit(1.0, 300.0), gp2_credit(2.0, 300.0)).runs_out, Some(Nanos(0)));
}

#[test]
fn a_disk_that_the_earlier_sample_lacks_has_done_nothing_yet() {
    let mut new = disk("raft", "gp3:100GiB");
    new.read = done(1000, 4, Nanos::millis(1));
    let rates = rates(&node(0, Vec::new()), &node(10, vec![new]));
    assert_eq!((rates.disks.len(), rates.disks[0].read.iops), (1, Iops(0.0)));
}

proptest! {
    #[test]
    fn no_two_samples_make_it_panic_or_give_anything_that_is_not_a_number(
        ats in any::<(u64, u64)>(),
        counts in any::<[u64; 6]>(),
        credit in (0.0..1e12f64, 0.0..1e12f64, 0.0..1e12f64),
    ) {
        let at = |at, [count, time, other]: [u64; 3]| {
            let mut disk = disk("data", "gp2:100GiB");
            disk.read = crate::RequestCounters { count, bytes: Bytes(other), time: Nanos(time) };
            (disk.busy, disk.queued, disk.errors) = (Nanos(time), Nanos(other), count);
            disk.bound.fault = Nanos(time);
            disk.ios = Some(CreditGauge { now: credit.0.min(credit.1), capacity: credit.1, accrual: credit.2 });
            NodeSample { at: Nanos(at), ..node(0, vec![disk]) }
        };
        let [a, b, c, d, e, f] = counts;
        let rates = rates(&at(ats.0, [a, b, c]), &at(ats.1, [d, e, f]));
        let disk = &rates.disks[0];
        prop_assert!((0.0..=1.0).contains(&disk.busy) && (0.0..=1.0).contains(&disk.bound.fault));
        prop_assert!(disk.read.iops.0.is_finite() && disk.queue_depth.is_finite());
        prop_assert!(disk.ios.is_some_and(|burst| (0.0..=1.0).contains(&burst.share)));
    }
}
