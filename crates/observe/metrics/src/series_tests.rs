use proptest::prelude::*;
use timeline::{LatencyHistogram, Series, SeriesPoints, Timeline, TimelineInfo, latencies};
use units::Nanos;

use super::{DiskLatencies, SERIES, timeline};
use crate::testing::{disk, done, gp2_credit, node};
use crate::{CacheCounters, NodeSample};

fn of(timeline: &Timeline, name: &str) -> Vec<(u64, u64, f64)> {
    let series: Vec<&Series> = timeline.series.iter().filter(|series| series.name == name).collect();
    assert_eq!(series.len(), 1, "{name}");
    let SeriesPoints::Values(_, points) = &series[0].points else { panic!("{name} has values") };
    points.iter().map(|p| (p.from.0 / 1_000_000_000, p.until.0 / 1_000_000_000, p.value)).collect()
}

fn recorded(values: &[u64]) -> LatencyHistogram {
    let mut histogram = latencies();
    values.iter().for_each(|value| histogram.record(*value).unwrap());
    histogram
}

#[test]
fn a_point_is_what_happened_between_two_samples() {
    let at = |second, ops| {
        let mut disk = disk("data", "gp2:100GiB");
        disk.read = done(ops, 4, Nanos::millis(1));
        disk.queued = Nanos::millis(ops * 2);
        disk.ios = Some(gp2_credit(5.4e6 - 5400.0 * ops as f64, 300.0));
        node(second, vec![disk])
    };
    let all = timeline(&[at(5, 0), at(6, 100), at(8, 300)], &[], TimelineInfo::default());
    all.validate().unwrap();
    assert_eq!(of(&all, "read_ops"), [(5, 6, 100.0), (6, 8, 200.0)]);
    assert_eq!(of(&all, "read_time"), [(5, 6, 0.1), (6, 8, 0.2)]);
    assert_eq!(of(&all, "queue_depth"), [(5, 6, 0.2), (6, 8, 0.2)]);
    assert_eq!(of(&all, "io_balance"), [(5, 6, 90.0), (6, 8, 70.0)]);
    assert!(all.series.iter().all(|series| series.name != "cache_hits" && series.name != "byte_credits"));
}

#[test]
fn bound_time_has_a_series_for_each_limit() {
    let mut after = disk("data", "gp3:100GiB");
    after.bound.instance_iops = Nanos::millis(300);
    let all =
        timeline(&[node(0, vec![disk("data", "gp3:100GiB")]), node(1, vec![after])], &[], TimelineInfo::default());
    let bound: Vec<_> = all.series.iter().filter(|series| series.name == "bound_time").collect();
    assert_eq!(bound.len(), 5);
    let instance = bound.iter().find(|series| series.labels["limit"] == "instance_iops").unwrap();
    assert!(matches!(&instance.points, SeriesPoints::Values(_, points) if points[0].value == 0.3));
}

#[test]
fn histograms_are_what_was_recorded_since_they_were_last_taken() {
    let samples: Vec<NodeSample> = (0..4).map(|s| node(s, vec![disk("data", "gp3:100GiB")])).collect();
    let taken = |read: &[u64]| vec![DiskLatencies { read: recorded(read), write: recorded(&[]) }];
    let histograms = [taken(&[500]), Vec::new(), taken(&[500, 900, 900]), taken(&[500, 900, 900])];
    let all = timeline(&samples, &histograms, TimelineInfo::default());
    all.validate().unwrap();
    let latency: Vec<_> = all.series.iter().filter(|series| series.name.ends_with("_latency")).collect();
    assert_eq!(latency.len(), 1, "no writes were made");
    let SeriesPoints::Latencies(points) = &latency[0].points else { panic!("latencies are histograms") };
    assert_eq!(points.len(), 1, "nothing was read in the last second");
    assert_eq!((points[0].from, points[0].until), (Nanos(0), Nanos::secs(2)));
    assert_eq!((points[0].histogram.len(), points[0].histogram.min()), (2, 900));
}

#[test]
fn histograms_of_another_run_make_no_point() {
    let samples = [node(0, vec![disk("data", "gp3:100GiB")]), node(1, vec![disk("data", "gp3:100GiB")])];
    let taken = |read: &[u64]| vec![DiskLatencies { read: recorded(read), write: recorded(&[]) }];
    let all = timeline(&samples, &[taken(&[500, 500]), taken(&[700])], TimelineInfo::default());
    assert!(all.series.iter().all(|series| series.name != "read_latency"));
}

#[test]
fn every_series_is_one_of_the_vocabulary_and_told_once() {
    for (at, (spec, _)) in SERIES.iter().enumerate() {
        assert!(::timeline::vocabulary::ALL.contains(spec), "{}", spec.name);
        assert!(SERIES[..at].iter().all(|(other, _)| other.name != spec.name), "{}", spec.name);
    }
}

proptest! {
    #[test]
    fn sums_over_intervals_are_the_growth_of_the_counters(
        steps in prop::collection::vec((0u64..100, 0u64..1_000_000, 0u64..1 << 40), 1..50),
    ) {
        let mut disk = disk("data", "gp2:100GiB+cache(nvme:1GiB)");
        disk.cache = Some(CacheCounters::default());
        let mut now = node(0, vec![disk]);
        let mut samples = vec![now.clone()];
        for (seconds, ops, time) in steps {
            now.at += Nanos::secs(seconds);
            // Where no time passes, nothing may happen, for such a sample is passed over.
            if seconds > 0 {
                now.disks[0].write.count += ops;
                now.disks[0].busy += Nanos(time);
                now.disks[0].cache = now.disks[0].cache.map(|cache| CacheCounters { hits: cache.hits + ops, ..cache });
            }
            samples.push(now.clone());
        }
        let all = timeline(&samples, &[], TimelineInfo::default());
        all.validate().unwrap();
        let last = &now.disks[0];
        if now.at > Nanos(0) {
            for (name, grown) in [
                ("write_ops", last.write.count as f64),
                ("cache_hits", last.write.count as f64),
                ("busy_time", last.busy.as_secs_f64()),
            ] {
                let sum: f64 = of(&all, name).iter().map(|point| point.2).sum();
                prop_assert!((sum - grown).abs() <= 1e-9 * grown.max(1.0), "{name}: {sum} is not {grown}");
            }
        }
    }
}
