//! Timelines for tests, small ones by hand and any at all.

use std::collections::BTreeMap;

use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use units::Nanos;

use crate::{
    LatencyHistogram, LatencyPoint, MergeRule, Series, SeriesPoint, SeriesPoints, SeriesUnit, Timeline, TimelineInfo,
    latencies,
};

pub(crate) fn timeline(series: Vec<Series>) -> Timeline {
    Timeline { about: TimelineInfo::default(), series }
}

/// A series of counts without labels.
pub(crate) fn values(name: &str, merge: MergeRule, points: Vec<SeriesPoint>) -> Series {
    let points = SeriesPoints::Values(merge, points);
    Series { name: name.to_owned(), labels: BTreeMap::new(), unit: SeriesUnit::Count, points }
}

/// A series of histograms without labels.
pub(crate) fn histograms(name: &str, points: Vec<LatencyPoint>) -> Series {
    Series { points: SeriesPoints::Latencies(points), unit: SeriesUnit::None, ..values(name, MergeRule::Sum, vec![]) }
}

/// A value between two seconds.
pub(crate) fn point(from: u64, until: u64, value: f64) -> SeriesPoint {
    SeriesPoint { from: Nanos::secs(from), until: Nanos::secs(until), value }
}

/// Latencies in nanoseconds between two seconds.
pub(crate) fn latency_point(from: u64, until: u64, nanos: &[u64]) -> LatencyPoint {
    LatencyPoint { from: Nanos::secs(from), until: Nanos::secs(until), histogram: latency(nanos) }
}

pub(crate) fn latency(nanos: &[u64]) -> LatencyHistogram {
    let mut latency = latencies();
    nanos.iter().for_each(|nanos| latency.record(*nanos).unwrap());
    latency
}

/// Intervals in order, some touching, some apart.
fn intervals() -> impl Strategy<Value = Vec<(Nanos, Nanos)>> {
    vec((prop_oneof![Just(0), 0..5_000_000_000u64], 1..20_000_000_000u64), 0..12).prop_map(|steps| {
        let mut at = 0;
        let interval = |(gap, length)| {
            let from = at + gap;
            at = from + length;
            (Nanos(from), Nanos(at))
        };
        steps.into_iter().map(interval).collect()
    })
}

fn any_unit() -> impl Strategy<Value = SeriesUnit> {
    proptest::sample::select(SeriesUnit::ALL.to_vec())
}

pub(crate) fn any_points() -> impl Strategy<Value = SeriesPoints> {
    let any_values =
        (proptest::sample::select(MergeRule::ALL.to_vec()), intervals()).prop_flat_map(|(merge, intervals)| {
            vec(-1e12..1e12, intervals.len()).prop_map(move |values| {
                let points = intervals.iter().zip(values).map(|((from, until), value)| SeriesPoint {
                    from: *from,
                    until: *until,
                    value,
                });
                SeriesPoints::Values(merge, points.collect())
            })
        });
    let any_latencies = intervals().prop_flat_map(|intervals| {
        vec(vec(0..20_000_000_000u64, 0..20), intervals.len()).prop_map(move |nanos| {
            let points = intervals.iter().zip(nanos).map(|((from, until), nanos)| LatencyPoint {
                from: *from,
                until: *until,
                histogram: latency(&nanos),
            });
            SeriesPoints::Latencies(points.collect())
        })
    });
    prop_oneof![3 => any_values, 1 => any_latencies]
}

/// Timelines that keep to all rules.
pub(crate) fn any_timeline() -> impl Strategy<Value = Timeline> {
    let name = "[a-zA-Z_:][ -~µ]{0,12}";
    let series = (any_unit(), any_points());
    let all = btree_map((name, btree_map(name, any::<String>(), 0..3)), series, 0..5);
    let start = proptest::option::of(-1_000_000_000_000_000_000..4_000_000_000_000_000_000i128)
        .prop_map(|start| start.and_then(|nanos| jiff::Timestamp::from_nanosecond(nanos).ok()));
    (any::<String>(), start, btree_map(any::<String>(), any::<String>(), 0..3), all).prop_map(
        |(title, start, notes, all)| Timeline {
            about: TimelineInfo { title, start, notes },
            series: all
                .into_iter()
                .map(|((name, labels), (unit, points))| Series { name, labels, unit, points })
                .collect(),
        },
    )
}
