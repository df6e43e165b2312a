//! Series of a Timeline as series of a chart, at the Timeline's own step: nothing is averaged away.

use std::collections::BTreeMap;

use timeline::{MergeRule, Series, SeriesPoints, Timeline};
use units::Nanos;

/// How values of several series in one interval become one.
pub(crate) type Fold = fn(f64, f64) -> f64;

/// Positions in seconds and values.
pub(crate) type Points = Vec<(f64, Option<f64>)>;

/// A Timeline seen from an instant on, for a span.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TimelineView<'a> {
    pub(crate) timeline: &'a Timeline,
    pub(crate) from: Nanos,
    pub(crate) span: Nanos,
}

/// A value with the interval that it is of.
struct Interval {
    from: u64,
    until: u64,
    value: f64,
}

impl<'a> TimelineView<'a> {
    /// All series of a name and labels, folded into one, times `scale`. Amounts become amounts a second.
    pub(crate) fn folded(&self, name: &str, labels: &[(&str, &str)], fold: Fold, scale: f64) -> Points {
        let series: Vec<&Series> = self.timeline.select(name, labels).collect();
        self.fold(&series, fold, scale)
    }

    /// The given series, folded into one, times `scale`. Amounts become amounts a second.
    pub(crate) fn fold(&self, series: &[&Series], fold: Fold, scale: f64) -> Points {
        let intervals = series.iter().flat_map(|series| {
            let is_amount = matches!(series.points, SeriesPoints::Values(MergeRule::Sum, _));
            series.points().iter().map(move |point| {
                let seconds = if is_amount { (point.until - point.from).as_secs_f64().max(1e-9) } else { 1.0 };
                Interval { from: point.from.0, until: point.until.0, value: point.value * scale / seconds }
            })
        });
        self.on_grid(intervals.collect(), fold)
    }

    /// A percentile of the latencies of a series, in milliseconds.
    pub(crate) fn percentile(&self, series: &Series, share: f64) -> Points {
        let intervals =
            series.latency_points().iter().filter(|point| !point.histogram.is_empty()).map(|point| Interval {
                from: point.from.0,
                until: point.until.0,
                value: Nanos(point.histogram.value_at_quantile(share)).as_millis_f64(),
            });
        self.on_grid(intervals.collect(), f64::max)
    }

    /// Values by the middles of their intervals, those of one step folded, with a gap where a step has none.
    fn on_grid(&self, intervals: Vec<Interval>, fold: Fold) -> Points {
        let inside = |interval: &Interval| {
            let middle = interval.from.midpoint(interval.until);
            middle.checked_sub(self.from.0).filter(|at| *at <= self.span.0)
        };
        let Some(step) = intervals.iter().map(|one| one.until.saturating_sub(one.from)).min().map(|step| step.max(1))
        else {
            return Vec::new();
        };
        let mut steps: BTreeMap<u64, (u64, f64)> = BTreeMap::new();
        for interval in &intervals {
            let Some(middle) = inside(interval).filter(|_| interval.value.is_finite()) else { continue };
            let had = steps.entry(middle / step).or_insert((middle, f64::NAN));
            had.1 = if had.1.is_nan() { interval.value } else { fold(had.1, interval.value) };
        }
        // The length that most intervals have decides what is a gap; some sources tell of every second, some of every minute.
        let mut lengths: Vec<u64> = intervals.iter().map(|one| one.until.saturating_sub(one.from)).collect();
        lengths.sort_unstable();
        let usual = lengths[lengths.len() * 9 / 10].max(step);
        let mut points: Points = Vec::with_capacity(steps.len());
        let mut last: Option<u64> = None;
        for (middle, value) in steps.into_values() {
            if let Some(last) = last.filter(|last| middle - last > usual * 2) {
                points.push((seconds(last + usual), None));
            }
            points.push((seconds(middle), Some(value)));
            last = Some(middle);
        }
        points
    }

    /// The values of a label that series of a name have, in order, each once.
    pub(crate) fn label_values(&self, name: &str, label: &str) -> Vec<&'a str> {
        let mut values: Vec<&str> =
            self.timeline.select(name, &[]).filter_map(|series| series.labels.get(label)).map(String::as_str).collect();
        values.sort_unstable();
        values.dedup();
        values
    }
}

fn seconds(nanos: u64) -> f64 {
    nanos as f64 / 1e9
}

/// Point by point, `f` of both where both are known.
pub(crate) fn combined(one: &Points, other: &Points, f: impl Fn(f64, f64) -> f64) -> Points {
    let other: BTreeMap<u64, f64> = other.iter().filter_map(|(at, value)| Some((at.to_bits(), (*value)?))).collect();
    one.iter()
        .map(|(at, value)| {
            (*at, value.and_then(|value| Some(f(value, *other.get(&at.to_bits())?))).filter(|v| v.is_finite()))
        })
        .collect()
}

/// The mean of what is known; zero of nothing.
pub(crate) fn mean(points: &Points) -> f64 {
    let known: Vec<f64> = points.iter().filter_map(|(_, value)| *value).collect();
    if known.is_empty() { 0.0 } else { known.iter().sum::<f64>() / known.len() as f64 }
}

/// The largest of what is known; zero of nothing.
pub(crate) fn largest(points: &Points) -> f64 {
    points.iter().filter_map(|(_, value)| *value).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use timeline::{SeriesPoint, SeriesUnit};

    use super::*;

    fn series(merge: MergeRule, points: &[(u64, u64, f64)]) -> Series {
        let point = |(from, until, value): &(u64, u64, f64)| SeriesPoint {
            from: Nanos::secs(*from),
            until: Nanos::secs(*until),
            value: *value,
        };
        let points = SeriesPoints::Values(merge, points.iter().map(point).collect());
        Series { name: "x".into(), labels: BTreeMap::default(), unit: SeriesUnit::None, points }
    }

    fn folded(all: Vec<Series>, fold: Fold) -> Points {
        let timeline = Timeline { series: all, ..Timeline::default() };
        TimelineView { timeline: &timeline, from: Nanos(0), span: Nanos::secs(100) }.folded("x", &[], fold, 1.0)
    }

    #[test]
    fn amounts_become_rates_and_nodes_fold() {
        let a = series(MergeRule::Sum, &[(0, 2, 10.0), (2, 4, 20.0)]);
        let b = series(MergeRule::Sum, &[(0, 2, 40.0), (2, 4, 2.0)]);
        assert_eq!(folded(vec![a.clone(), b.clone()], f64::max), [(1.0, Some(20.0)), (3.0, Some(10.0))]);
        assert_eq!(folded(vec![a, b], |a, b| a + b), [(1.0, Some(25.0)), (3.0, Some(11.0))]);
    }

    #[test]
    fn what_is_not_known_is_a_gap() {
        let with_gap = series(MergeRule::Mean, &[(0, 1, 1.0), (1, 2, 1.0), (9, 10, 3.0)]);
        assert_eq!(
            folded(vec![with_gap], f64::max),
            [(0.5, Some(1.0)), (1.5, Some(1.0)), (2.5, None), (9.5, Some(3.0))]
        );
    }

    #[test]
    fn one_slow_second_is_not_averaged_away() {
        let mut points: Vec<(u64, u64, f64)> = (0..90).map(|i| (i, i + 1, 1.0)).collect();
        points[40].2 = 20.0;
        assert_eq!(largest(&folded(vec![series(MergeRule::Mean, &points)], f64::max)), 20.0);
    }
}
