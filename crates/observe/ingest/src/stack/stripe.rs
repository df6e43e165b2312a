//! What a stripe is told of by its members: older kernels count no times and no queue of md devices, and counters of a cloud are
//! each volume's own.

use std::collections::BTreeMap;

use timeline::{Series, SeriesPoint, SeriesPoints, SeriesSpec, Timeline, vocabulary};
use units::Nanos;

/// How the members' values become the stripe's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Joined {
    /// Times and requests of all of them.
    Sum,
    /// Time with a request in flight.
    Mean,
    /// Time over a limit: a stripe waits for the slowest of its members.
    Most,
}

const ROWS: [(SeriesSpec, Joined); 12] = [
    (vocabulary::READ_TIME, Joined::Sum),
    (vocabulary::WRITE_TIME, Joined::Sum),
    (vocabulary::IO_TIME, Joined::Sum),
    (vocabulary::DISCARD_TIME, Joined::Sum),
    (vocabulary::QUEUE_DEPTH, Joined::Sum),
    (vocabulary::IN_FLIGHT, Joined::Sum),
    (vocabulary::BUSY_TIME, Joined::Mean),
    (vocabulary::FLUSH_TIME, Joined::Mean),
    (vocabulary::VOLUME_IOPS_EXCEEDED, Joined::Most),
    (vocabulary::VOLUME_THROUGHPUT_EXCEEDED, Joined::Most),
    (vocabulary::INSTANCE_IOPS_EXCEEDED, Joined::Most),
    (vocabulary::INSTANCE_THROUGHPUT_EXCEEDED, Joined::Most),
];

/// Gives a stripe the series of its members that it has none of its own of, or only zeros.
pub(super) fn complete(timeline: &mut Timeline, node: &str, stripe: &str, members: &[String]) {
    for (spec, joined) in ROWS {
        let of = |series: &Series, disk: &str| {
            series.name == spec.name
                && series.labels.get("disk").is_some_and(|label| label == disk)
                && series.labels.get("node").map_or("", String::as_str) == node
        };
        let own = timeline.series.iter().position(|series| of(series, stripe));
        if own.is_some_and(|own| timeline.series[own].points().iter().any(|point| point.value > 0.0)) {
            continue;
        }
        let parts: Vec<&Series> =
            timeline.series.iter().filter(|series| members.iter().any(|member| of(series, member))).collect();
        let Some(mut made) = parts.first().map(|series| (*series).clone()) else { continue };
        let mut sums: BTreeMap<(Nanos, Nanos), f64> = BTreeMap::new();
        for point in parts.iter().flat_map(|series| series.points()) {
            let sum = sums.entry((point.from, point.until)).or_default();
            *sum = if joined == Joined::Most { sum.max(point.value) } else { *sum + point.value };
        }
        let share = if joined == Joined::Mean { 1.0 / parts.len() as f64 } else { 1.0 };
        let points = sums.into_iter().map(|((from, until), sum)| SeriesPoint { from, until, value: sum * share });
        if let SeriesPoints::Values(_, values) = &mut made.points {
            *values = in_order(points.collect());
        }
        made.labels.insert("disk".to_owned(), stripe.to_owned());
        match own {
            Some(own) => timeline.series[own] = made,
            None => timeline.series.push(made),
        }
    }
}

/// The points that do not overlap those before them: members may have been counted at different instants.
fn in_order(points: Vec<SeriesPoint>) -> Vec<SeriesPoint> {
    let mut end = Nanos(0);
    let mut kept = points;
    kept.retain(|point| {
        let fits = point.from >= end;
        if fits {
            end = point.until;
        }
        fits
    });
    kept
}
