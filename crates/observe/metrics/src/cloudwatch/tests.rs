use timeline::{MergeRule, Series, SeriesPoints, SeriesUnit, Timeline};
use units::{Bytes, BytesPerSec, Iops, Nanos};

use super::{CloudWatch, cloudwatch};
use crate::testing::{disk, done, gp2_credit, node};
use crate::{CacheCounters, CreditGauge, DiskSample, NodeSample};

/// I/Os a second that the volumes sustain.
const LIMIT: f64 = 100.0;

fn options() -> CloudWatch {
    CloudWatch {
        start: "2026-11-21T06:00:00Z".parse().unwrap(),
        instance_id: "i-1".to_owned(),
        nitro: true,
        detailed: true,
    }
}

fn seen(samples: &[NodeSample]) -> Timeline {
    let seen = cloudwatch(samples, &options());
    seen.validate().unwrap();
    seen
}

/// Two minutes of a disk that has done nothing before, and what `change` makes of it by the end of the second.
fn two_minutes(text: &str, change: impl Fn(&mut DiskSample)) -> [NodeSample; 2] {
    let mut before = disk("data", text);
    before.iops_limit = Some(Iops(LIMIT));
    before.cache = text.contains("cache").then(CacheCounters::default);
    let mut after = before.clone();
    change(&mut after);
    [node(0, vec![before]), node(120, vec![after])]
}

fn series<'a>(timeline: &'a Timeline, name: &str) -> Vec<&'a Series> {
    timeline.series.iter().filter(|series| series.name == name).collect()
}

/// The values of the only series of that name; none if there is no such series.
fn values(timeline: &Timeline, name: &str) -> Vec<f64> {
    match series(timeline, name).as_slice() {
        [] => Vec::new(),
        [one] => match &one.points {
            SeriesPoints::Values(_, points) => points.iter().map(|point| point.value).collect(),
            SeriesPoints::Latencies(_) => panic!("CloudWatch has no histograms"),
        },
        several => panic!("{} series {name}", several.len()),
    }
}

#[test]
fn counts_bytes_and_times_are_sums_of_each_minute() {
    let samples = two_minutes("gp3:100GiB", |d| {
        d.read = done(600, 4, Nanos::millis(2));
        d.busy = Nanos::secs(30);
        d.queued = Nanos::secs(240);
    });
    let seen = seen(&samples);
    assert_eq!(values(&seen, "VolumeReadOps"), [300.0, 300.0]);
    assert_eq!(values(&seen, "VolumeReadBytes"), [300.0 * 4096.0; 2]);
    assert_eq!(values(&seen, "VolumeTotalReadTime"), [0.6, 0.6]);
    assert_eq!(values(&seen, "VolumeIdleTime"), [45.0, 45.0]);
    assert_eq!(values(&seen, "VolumeQueueLength"), [2.0, 2.0]);
    assert_eq!(values(&seen, "VolumeAvgReadLatency"), [2.0, 2.0]);
    let ops = series(&seen, "VolumeReadOps")[0];
    assert_eq!((ops.unit, ops.labels["VolumeId"].as_str()), (SeriesUnit::Count, "vol-data"));
    assert!(matches!(ops.points, SeriesPoints::Values(MergeRule::Sum, _)));
}

#[test]
fn minutes_without_operations_have_no_latency_but_zero_operations() {
    let seen = seen(&two_minutes("gp3:100GiB", |d| d.read = done(10, 4, Nanos::millis(1))));
    assert!(values(&seen, "VolumeAvgWriteLatency").is_empty());
    assert_eq!(values(&seen, "VolumeWriteOps"), [0.0, 0.0]);
}

#[test]
fn burst_balance_is_the_mean_of_what_is_left_of_a_gp2_and_of_nothing_else() {
    let at = |second, left| {
        let mut disk = disk("data", "gp2:100GiB");
        disk.ios = Some(gp2_credit(left, 300.0));
        node(second, vec![disk])
    };
    let seen = seen(&[at(0, 5.4e6), at(30, 2.7e6), at(60, 2.7e6)]);
    assert_eq!(values(&seen, "BurstBalance"), [62.5]);
    let steady = two_minutes("gp2:2000GiB", |_| {});
    assert!(values(&self::seen(&steady), "BurstBalance").is_empty(), "a baseline of 6000 IOPS does not burst");
    let old = CloudWatch { nitro: false, ..options() };
    assert_eq!(values(&cloudwatch(&steady, &old), "BurstBalance"), [100.0, 100.0]);
    let gp3 = two_minutes("gp3:100GiB", |d| d.ios = Some(gp2_credit(0.0, 300.0)));
    assert!(values(&self::seen(&gp3), "BurstBalance").is_empty());
}

#[test]
fn only_provisioned_iops_volumes_report_consumption_and_the_percentage_delivered() {
    let change = |d: &mut DiskSample| {
        d.counted = 6000.0;
        d.write = done(1500, 1024, Nanos::millis(1));
    };
    let io2 = seen(&two_minutes("io2:100GiB,100iops", change));
    assert_eq!(values(&io2, "VolumeConsumedReadWriteOps"), [3000.0, 3000.0]);
    assert_eq!(values(&io2, "VolumeThroughputPercentage"), [50.0, 50.0]);
    assert_eq!(values(&io2, "VolumeWriteOps"), [750.0, 750.0]);
    let gp3 = seen(&two_minutes("gp3:100GiB", change));
    assert!(values(&gp3, "VolumeConsumedReadWriteOps").is_empty());
    assert!(values(&gp3, "VolumeThroughputPercentage").is_empty());
}

#[test]
fn a_stripe_is_several_volumes_with_equal_shares() {
    let seen = seen(&two_minutes("2x(gp3:100GiB)", |d| {
        d.write = done(1200, 4, Nanos::millis(1));
        d.queued = Nanos::secs(480);
    }));
    let ids: Vec<&str> =
        series(&seen, "VolumeWriteOps").iter().map(|series| series.labels["VolumeId"].as_str()).collect();
    assert_eq!(ids, ["vol-data-0", "vol-data-1"]);
    for (name, of_each) in [("VolumeWriteOps", 300.0), ("VolumeQueueLength", 2.0), ("VolumeAvgWriteLatency", 1.0)] {
        for series in series(&seen, name) {
            let SeriesPoints::Values(_, points) = &series.points else { panic!("{name} has values") };
            assert!(points.iter().all(|point| point.value == of_each), "{name}");
        }
    }
}

#[test]
fn what_a_read_cache_answered_reached_no_volume() {
    let seen = seen(&two_minutes("gp2:1000GiB+cache(nvme:50GiB)", |d| {
        d.read = done(200, 4, Nanos::millis(1));
        d.queued = d.read.time;
        d.cache =
            Some(CacheCounters { hits: 100, misses: 100, hit_bytes: Bytes::kib(400), hit_time: Nanos::millis(20) });
    }));
    assert_eq!(values(&seen, "VolumeReadOps"), [50.0, 50.0]);
    assert_eq!(values(&seen, "VolumeReadBytes"), [50.0 * 4096.0; 2]);
    assert_eq!(values(&seen, "VolumeTotalReadTime"), [0.09, 0.09]);
    assert_eq!(values(&seen, "VolumeQueueLength"), [0.0015, 0.0015]);
}

#[test]
fn other_clouds_and_local_flash_are_unknown_to_cloudwatch() {
    for text in ["nvme:100GiB", "pd-ssd:100GiB", "premium-v2:100GiB"] {
        let mut samples = two_minutes(text, |d| d.read = done(100, 4, Nanos::millis(1)));
        samples.iter_mut().for_each(|sample| sample.instance = Some("m5.large".to_owned()));
        assert!(seen(&samples).series.is_empty(), "{text}");
    }
}

#[test]
fn a_limit_is_exceeded_when_it_holds_up_requests_for_most_of_the_minute() {
    let bound = |seconds: u64, counted: f64| {
        let seen = seen(&two_minutes("gp3:100GiB", |d| {
            d.bound.volume_iops = Nanos::secs(seconds);
            d.counted = counted;
        }));
        assert_eq!(values(&seen, "VolumeThroughputExceededCheck"), [0.0, 0.0]);
        values(&seen, "VolumeIOPSExceededCheck")
    };
    assert_eq!(bound(120, 12_000.0), [1.0, 1.0]);
    assert_eq!(bound(59, 6000.0), [0.0, 0.0], "29.5 s of each minute are not most of it");
    assert_eq!(bound(120, 4800.0), [0.0, 0.0], "at 40 % of its limit a volume is degraded");
}

#[test]
fn the_throughput_check_looks_at_bytes_that_reached_the_volume() {
    let seen = seen(&two_minutes("gp3:100GiB", |d| {
        d.throughput_limit = Some(BytesPerSec::mib(125.0));
        d.bound.volume_throughput = Nanos::secs(120);
        d.write.bytes = Bytes::mib(125 * 120);
    }));
    assert_eq!(values(&seen, "VolumeThroughputExceededCheck"), [1.0, 1.0]);
    assert_eq!(values(&seen, "VolumeIOPSExceededCheck"), [0.0, 0.0]);
    let check = series(&seen, "VolumeIOPSExceededCheck")[0];
    assert_eq!((check.labels["InstanceId"].as_str(), check.unit), ("i-1", SeriesUnit::None));
}

#[test]
fn a_stall_fails_the_check_once_nothing_was_answered_for_a_minute() {
    let at = |second: u64, reads: u64, in_flight: u64| {
        let mut disk = disk("data", "gp3:100GiB");
        disk.read.count = reads;
        disk.in_flight = in_flight;
        node(second, vec![disk])
    };
    let mut samples: Vec<NodeSample> = (0..=30).map(|s| at(s, s * 100, 8)).collect();
    samples.extend((31..=95).map(|s| at(s, 3000, 8)));
    samples.extend((96..=180).map(|s| at(s, 3000 + s, 8)));
    assert_eq!(values(&seen(&samples), "VolumeStalledIOCheck"), [0.0, 1.0, 0.0]);
    let idle: Vec<NodeSample> = (0..=180).map(|s| at(s, 0, 0)).collect();
    assert_eq!(values(&seen(&idle), "VolumeStalledIOCheck"), [0.0, 0.0, 0.0]);
}

#[test]
fn the_instance_adds_up_its_volumes_and_shows_balances_only_where_it_bursts() {
    let at = |second: u64, ops: u64, left: Option<f64>| {
        let mut disks = [disk("data", "gp3:100GiB"), disk("raft", "io2:100GiB"), disk("local", "nvme:100GiB")];
        for disk in &mut disks {
            disk.read = done(ops, 4, Nanos::millis(1));
            disk.bound.instance_iops = Nanos(ops * 1_000_000);
        }
        let credit = left.map(|now| CreditGauge { now, capacity: 100.0, accrual: 1.0 });
        NodeSample { instance: Some("m5.2xlarge".to_owned()), instance_ios: credit, ..node(second, disks.to_vec()) }
    };
    let bursting = seen(&[at(0, 0, Some(100.0)), at(300, 300_000, Some(50.0))]);
    assert_eq!(values(&bursting, "EBSReadOps"), [120_000.0; 5]);
    assert_eq!(values(&bursting, "EBSIOBalance%"), [75.0], "five minutes even with detailed monitoring");
    assert!(values(&bursting, "EBSByteBalance%").is_empty());
    assert_eq!(values(&bursting, "InstanceEBSIOPSExceededCheck"), [1.0; 5]);
    assert_eq!(values(&bursting, "InstanceEBSThroughputExceededCheck"), [0.0; 5]);
    assert!(values(&seen(&[at(0, 0, None), at(300, 1, None)]), "EBSIOBalance%").is_empty());
    let basic = cloudwatch(&[at(0, 0, None), at(300, 300_000, None)], &CloudWatch { detailed: false, ..options() });
    assert_eq!(values(&basic, "EBSReadOps"), [600_000.0]);
    let old = cloudwatch(&[at(0, 0, None), at(300, 1, None)], &CloudWatch { nitro: false, ..options() });
    assert!(values(&old, "EBSReadOps").is_empty());
}
