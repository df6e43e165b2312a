//! A stretch of a Timeline, and what its points there amount to. A number that straddles an end counts by its merge
//! rule: a sum in proportion to time, a mean weighted by time, a largest or smallest in full. A histogram is never
//! split: it counts whole where it ends.

use units::Nanos;

use crate::{LatencyHistogram, LatencyPoint, MergeRule, Series, SeriesPoint, SeriesPoints, Timeline, latencies};

impl Timeline {
    /// Part of the Timeline from `from` to before `until`. Times stay as they are; series without a point there
    /// are left out. A histogram that ends there is kept with its own start, which may lie before `from`.
    #[must_use]
    pub fn window(&self, from: Nanos, until: Nanos) -> Self {
        let series = self.series.iter().map(|series| {
            let points = match &series.points {
                SeriesPoints::Values(merge, points) => {
                    let inside = overlapping(points, from, until).iter();
                    SeriesPoints::Values(*merge, inside.map(|point| cut(point, *merge, from, until)).collect())
                }
                SeriesPoints::Latencies(points) => SeriesPoints::Latencies(ending(points, from, until).to_vec()),
            };
            Series { points, name: series.name.clone(), labels: series.labels.clone(), unit: series.unit }
        });
        Self { about: self.about.clone(), series: series.filter(|series| !series.points.is_empty()).collect() }
    }
}

impl Series {
    /// Merged value of the points from `from` to before `until`: their sum, mean, largest or
    /// smallest, in the series' unit. `None` where nothing is known, and for histograms.
    pub fn value(&self, from: Nanos, until: Nanos) -> Option<f64> {
        let SeriesPoints::Values(merge, points) = &self.points else { return None };
        let mut pieces = overlapping(points, from, until).iter().map(|point| cut(point, *merge, from, until));
        let mut amount = Amount::of(*merge, pieces.next()?);
        pieces.for_each(|piece| amount.add(piece));
        Some(amount.point().value)
    }

    /// All its latencies from after `from` to `until`, by the ends of their intervals. `None` where nothing is known, and
    /// for numbers.
    pub fn latencies(&self, from: Nanos, until: Nanos) -> Option<LatencyHistogram> {
        let SeriesPoints::Latencies(points) = &self.points else { return None };
        let inside = ending(points, from, until);
        let mut all = latencies();
        inside.iter().for_each(|point| join(&mut all, &point.histogram));
        (!inside.is_empty()).then_some(all)
    }

    /// The latency that a `share` (0 to 1) of those from after `from` to `until` did not exceed, to a thousandth.
    /// `None` where nothing was counted, and for numbers.
    pub fn percentile(&self, share: f64, from: Nanos, until: Nanos) -> Option<Nanos> {
        let all = self.latencies(from, until)?;
        (!all.is_empty()).then(|| Nanos(all.value_at_quantile(share)))
    }
}

/// The points that share time with a stretch.
fn overlapping(points: &[SeriesPoint], from: Nanos, until: Nanos) -> &[SeriesPoint] {
    let first = points.partition_point(|point| point.until <= from);
    let last = points.partition_point(|point| point.from < until && from < until);
    points.get(first..last).unwrap_or_default()
}

/// The points that end after `from` and not after `until`.
fn ending(points: &[LatencyPoint], from: Nanos, until: Nanos) -> &[LatencyPoint] {
    let first = points.partition_point(|point| point.until <= from);
    let last = points.partition_point(|point| point.until <= until);
    points.get(first..last).unwrap_or_default()
}

/// The part of a point that lies in a stretch which it overlaps.
pub(crate) fn cut(point: &SeriesPoint, merge: MergeRule, from: Nanos, until: Nanos) -> SeriesPoint {
    let (start, end) = (point.from.max(from), point.until.min(until));
    let whole = start == point.from && end == point.until;
    let share =
        if whole || merge != MergeRule::Sum { 1.0 } else { length(start, end) / length(point.from, point.until) };
    SeriesPoint { from: start, until: end, value: point.value * share }
}

/// Adds all of `other`. Both have the buckets of [`latencies`] where the Timeline is valid; else values are rounded
/// down to the buckets there are.
pub(crate) fn join(all: &mut LatencyHistogram, other: &LatencyHistogram) {
    // It can only fail where a histogram may not grow.
    all.auto(true);
    let _ = all.add(other);
}

fn length(from: Nanos, until: Nanos) -> f64 {
    (until - from).0 as f64
}

/// Consecutive points on the way to becoming one.
pub(crate) struct Amount {
    merge: MergeRule,
    from: Nanos,
    until: Nanos,
    /// The time that points cover, in nanoseconds.
    covered: f64,
    /// The values added up; for a mean, times their nanoseconds.
    sum: f64,
    smallest: f64,
    largest: f64,
}

impl Amount {
    /// Merged value of one point.
    pub(crate) fn of(merge: MergeRule, first: SeriesPoint) -> Self {
        let mut amount = Self {
            merge,
            from: first.from,
            until: first.until,
            covered: 0.0,
            sum: 0.0,
            smallest: first.value,
            largest: first.value,
        };
        amount.add(first);
        amount
    }

    /// With a later one.
    pub(crate) fn add(&mut self, next: SeriesPoint) {
        let length = length(next.from, next.until);
        self.until = next.until;
        self.covered += length;
        self.sum += if self.merge == MergeRule::Mean { next.value * length } else { next.value };
        self.smallest = self.smallest.min(next.value);
        self.largest = self.largest.max(next.value);
    }

    /// All as one point, from the first's start to the last's end.
    pub(crate) fn point(&self) -> SeriesPoint {
        let value = match self.merge {
            // Sums past the largest number stay numbers, so that what was valid stays so.
            MergeRule::Sum => self.sum.clamp(f64::MIN, f64::MAX),
            // Rounding must not carry a mean past what it is the mean of.
            MergeRule::Mean => (self.sum / self.covered).clamp(self.smallest, self.largest),
            MergeRule::Max => self.largest,
            MergeRule::Min => self.smallest,
        };
        SeriesPoint { from: self.from, until: self.until, value }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{any_timeline, histograms, latency_point, point, timeline, values};
    use proptest::prelude::*;

    fn over(merge: MergeRule, from: u64, until: u64) -> Option<f64> {
        let points = vec![point(0, 4, 8.0), point(4, 5, 1.0), point(7, 9, 3.0)];
        values("x", merge, points).value(Nanos::secs(from), Nanos::secs(until))
    }

    #[test]
    fn a_sum_is_split_in_proportion_to_time() {
        assert_eq!(over(MergeRule::Sum, 3, 8), Some(2.0 + 1.0 + 1.5));
    }

    #[test]
    fn a_mean_is_weighted_by_the_time_that_is_known() {
        assert_eq!(over(MergeRule::Mean, 2, 8), Some((8.0 * 2.0 + 1.0 + 3.0) / 4.0));
    }

    #[test]
    fn the_largest_and_the_smallest_count_wherever_they_touch() {
        assert_eq!(over(MergeRule::Max, 3, 8), Some(8.0));
        assert_eq!(over(MergeRule::Min, 3, 8), Some(1.0));
    }

    #[test]
    fn nothing_is_known_of_a_gap_or_of_no_time() {
        assert_eq!(over(MergeRule::Sum, 5, 7), None);
        assert_eq!(over(MergeRule::Sum, 8, 3), None);
        assert_eq!(over(MergeRule::Sum, 3, 3), None);
    }

    #[test]
    fn a_histogram_counts_where_it_ends() {
        let series = histograms("read", vec![latency_point(0, 2, &[100]), latency_point(2, 4, &[200, 300])]);
        let count = |from, until| series.latencies(Nanos::secs(from), Nanos::secs(until)).map(|all| all.len());
        assert_eq!((count(0, 1), count(0, 2), count(1, 3), count(3, 4)), (None, Some(1), Some(1), Some(2)));
    }

    #[test]
    fn the_99th_percentile_of_a_window_is_that_of_all_its_latencies() {
        let fast = vec![1000; 98];
        let series = histograms("read", vec![latency_point(0, 1, &fast), latency_point(1, 2, &[50_000, 90_000])]);
        let at = |share, until| series.percentile(share, Nanos(0), Nanos::secs(until)).map(|nanos| nanos.0);
        assert_eq!(at(0.5, 2), Some(1000));
        assert!((50_000..50_100).contains(&at(0.99, 2).unwrap()));
        assert_eq!(at(0.99, 1), Some(1000));
    }

    #[test]
    fn no_latencies_have_no_percentile() {
        let series = histograms("read", vec![latency_point(0, 1, &[])]);
        assert_eq!(series.percentile(0.5, Nanos(0), Nanos::secs(1)), None);
    }

    #[test]
    fn a_series_outside_the_window_is_left_out() {
        let all = timeline(vec![values("early", MergeRule::Sum, vec![point(0, 1, 1.0)])]);
        assert_eq!(all.window(Nanos::secs(1), Nanos::secs(9)), timeline(vec![]));
    }

    proptest! {
        #[test]
        fn what_two_windows_hold_is_what_one_over_both_does(
            all in any_timeline(), cuts in proptest::array::uniform3(0..100_000_000_000u64),
        ) {
            let mut cuts = cuts.map(Nanos);
            cuts.sort();
            let [from, middle, until] = cuts;
            let (early, late) = (all.window(from, middle), all.window(middle, until));
            early.validate().unwrap();
            let both = early.merge(&late).unwrap();
            for series in &all.window(from, until).series {
                let labels: Vec<_> = series.labels.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
                let joined = both.find(&series.name, &labels).unwrap();
                prop_assert_eq!(series.latencies(Nanos(0), Nanos::MAX), joined.latencies(Nanos(0), Nanos::MAX));
                let (one, other) = (series.value(from, until), joined.value(from, until));
                let size: f64 = series.points().iter().map(|point| point.value.abs()).sum();
                prop_assert!((one.unwrap_or(0.0) - other.unwrap_or(0.0)).abs() <= 1e-12 * size);
            }
        }
    }
}
