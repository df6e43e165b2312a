use proptest::prelude::*;
use timeline::{MergeRule, SeriesPoints, SeriesUnit};
use units::{Bytes, Nanos};

use super::{CloudWatch, cloudwatch};
use crate::testing::{disk, gp2_credit, node};
use crate::{CacheCounters, DiskSample, NodeSample};

/// What a disk does in a step of so many milliseconds.
#[derive(Debug, Clone)]
struct Step {
    millis: u64,
    reads: u64,
    hits: u64,
    bytes: u64,
    credit: f64,
}

fn step() -> impl Strategy<Value = Step> {
    (1u64..200_000, 0u64..1_000_000, 0.0..=1.0f64, 0u64..1 << 40, 0.0..=5.4e6f64).prop_map(
        |(millis, reads, hits, bytes, credit)| Step {
            millis,
            reads,
            hits: (reads as f64 * hits) as u64,
            bytes,
            credit,
        },
    )
}

fn samples(text: &str, steps: &[Step]) -> Vec<NodeSample> {
    let mut now = disk("data", text);
    now.ios = Some(gp2_credit(5.4e6, 300.0));
    now.cache = Some(CacheCounters::default());
    let mut at = Nanos(0);
    let sample =
        |at, now: &DiskSample| NodeSample { at, instance: Some("m5.large".to_owned()), ..node(0, vec![now.clone()]) };
    let mut all = vec![sample(at, &now)];
    for step in steps {
        let span = Nanos::millis(step.millis);
        at += span;
        now.read.count += step.reads;
        now.read.bytes += Bytes(step.bytes);
        now.read.time += Nanos(span.0 / 2);
        now.busy += Nanos(span.0 / 3);
        now.queued += Nanos(span.0 * 7);
        now.bound.volume_iops += Nanos(span.0 / 4);
        now.counted += step.reads as f64;
        now.ios = Some(gp2_credit(step.credit, 300.0));
        if let Some(cache) = &mut now.cache {
            cache.hits += step.hits;
            cache.misses += step.reads - step.hits;
        }
        all.push(sample(at, &now));
    }
    all
}

proptest! {
    #[test]
    fn sums_over_minutes_are_the_growth_of_the_counters(
        steps in prop::collection::vec(step(), 1..40),
        text in prop::sample::select(vec!["gp2:100GiB", "3x(io2:100GiB)", "st1:500GiB"]),
        start in 0i64..4_000_000_000,
        detailed: bool,
    ) {
        let samples = samples(text, &steps);
        let start = jiff::Timestamp::from_second(start).unwrap();
        let options = CloudWatch { start, instance_id: "i-1".to_owned(), nitro: true, detailed };
        let seen = cloudwatch(&samples, &options);
        seen.validate().unwrap();
        let total = |name: &str| -> f64 {
            let all = seen.series.iter().filter(|series| series.name == name);
            all.flat_map(|series| match &series.points {
                SeriesPoints::Values(MergeRule::Sum, points) => points.iter().map(|point| point.value),
                _ => panic!("{name} is a sum"),
            }).sum()
        };
        let last = &samples[samples.len() - 1].disks[0];
        let (reads, members) = (last.volume_read(), f64::from(last.members()));
        let span: f64 = samples[samples.len() - 1].at.as_secs_f64();
        for (name, grown) in [
            ("VolumeReadOps", reads.count as f64),
            ("VolumeReadBytes", reads.bytes.as_f64()),
            ("VolumeTotalReadTime", reads.time.as_secs_f64()),
            ("VolumeIdleTime", members * (span - last.busy.as_secs_f64())),
            ("EBSReadOps", reads.count as f64),
            ("EBSReadBytes", reads.bytes.as_f64()),
        ] {
            prop_assert!((total(name) - grown).abs() <= 1e-9 * grown.max(1.0), "{name}: {} is not {grown}", total(name));
        }
    }

    #[test]
    fn percentages_and_checks_stay_in_range_and_points_within_minutes(
        steps in prop::collection::vec(step(), 1..40),
        start in 0i64..4_000_000_000,
    ) {
        let start = jiff::Timestamp::from_second(start).unwrap();
        let options = CloudWatch { start, instance_id: "i-1".to_owned(), nitro: true, detailed: true };
        for text in ["gp2:100GiB", "io1:100GiB"] {
            let seen = cloudwatch(&samples(text, &steps), &options);
            for series in &seen.series {
                let SeriesPoints::Values(_, points) = &series.points else { panic!("CloudWatch has no histograms") };
                let most = match series.unit {
                    SeriesUnit::Percent => 100.0,
                    SeriesUnit::None => 1.0,
                    _ => f64::INFINITY,
                };
                prop_assert!(points.iter().all(|point| (0.0..=most).contains(&point.value)), "{}", series.name);
                let minute = |at: Nanos| (start.as_nanosecond() + i128::from(at.0)).div_euclid(60_000_000_000);
                let within = |p: &timeline::SeriesPoint| minute(p.from) == minute(p.until - Nanos(1));
                prop_assert!(series.name.ends_with('%') || points.iter().all(within), "{}", series.name);
            }
            prop_assert_eq!(seen.series.iter().any(|s| s.name == "BurstBalance"), text == "gp2:100GiB");
        }
    }

    #[test]
    fn no_samples_make_it_panic(ats in prop::collection::vec(0u64..=u64::MAX, 0..6), count: u64, start: i64) {
        let start = jiff::Timestamp::from_second(start % 100_000_000_000).unwrap();
        let options = CloudWatch { start, instance_id: String::new(), nitro: false, detailed: false };
        let samples: Vec<NodeSample> = ats.iter().enumerate().map(|(i, at)| {
            let mut disk = disk("data", "gp2:100GiB");
            (disk.read.count, disk.counted) = (if i % 2 == 0 { count } else { 0 }, f64::NAN);
            NodeSample { at: Nanos(*at), ..node(0, vec![disk]) }
        }).collect();
        cloudwatch(&samples, &options);
    }
}
