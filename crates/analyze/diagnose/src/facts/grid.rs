//! Series brought to equal intervals.

use timeline::{MergeRule, Series, SeriesPoint, SeriesPoints};
use units::Nanos;

/// Intervals at most; a longer Timeline has wider ones.
const MOST: u64 = 20_000;

/// Equal intervals, one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IntervalGrid {
    /// The start of the first.
    pub from: Nanos,
    /// The length of each.
    pub step: Nanos,
    /// How many.
    pub count: usize,
}

impl IntervalGrid {
    /// As the points of these series lie: their usual length, from the first to the last. `None` without points.
    pub(crate) fn of<'s>(series: impl Iterator<Item = &'s Series> + Clone) -> Option<Self> {
        let spans = series.clone().filter_map(Series::span);
        let (from, until) = spans.reduce(|(a, b), (c, d)| (a.min(c), b.max(d)))?;
        let mut lengths: Vec<u64> = series
            .flat_map(|series| series.points().iter().take(64))
            .map(|point| point.until.0.saturating_sub(point.from.0))
            .collect();
        lengths.sort_unstable();
        let usual = (*lengths.get(lengths.len() / 2)?).max(1_000_000);
        let span = until.0.saturating_sub(from.0);
        let step = Nanos(usual.saturating_mul(span.div_ceil(usual).div_ceil(MOST).max(1)));
        Some(Self { from, step, count: span.div_ceil(step.0) as usize })
    }

    /// Where an interval begins; for `count`, where the last ends.
    pub fn at(&self, i: usize) -> Nanos {
        Nanos(self.from.0 + self.step.0 * i as u64)
    }

    /// The values of a series in each interval by its merge rule, sums as they are a second. A point counts where it lies, and
    /// so does a part of it: a gap stays a gap.
    pub(crate) fn column(&self, series: &Series) -> Vec<Option<f64>> {
        let SeriesPoints::Values(merge, points) = &series.points else { return vec![None; self.count] };
        let mut first = 0;
        let interval = |i| {
            let (from, until) = (self.at(i), self.at(i + 1));
            while points.get(first).is_some_and(|point| point.until <= from) {
                first += 1;
            }
            let inside = points[first..].iter().take_while(|point| point.from < until);
            folded(*merge, inside, from, until)
        };
        (0..self.count).map(interval).collect()
    }
}

fn folded<'p>(
    merge: MergeRule,
    points: impl Iterator<Item = &'p SeriesPoint>,
    from: Nanos,
    until: Nanos,
) -> Option<f64> {
    let (mut sum, mut weight, mut extreme) = (0.0, 0.0, None::<f64>);
    for point in points {
        let inside = (point.until.min(until) - point.from.max(from)).as_secs_f64();
        let length = (point.until - point.from).as_secs_f64();
        if inside <= 0.0 || length <= 0.0 || !point.value.is_finite() {
            continue;
        }
        weight += inside;
        sum += if merge == MergeRule::Sum { point.value * inside / length } else { point.value * inside };
        extreme = Some(match (merge, extreme) {
            (MergeRule::Min, Some(extreme)) => extreme.min(point.value),
            (_, Some(extreme)) => extreme.max(point.value),
            (_, None) => point.value,
        });
    }
    match merge {
        MergeRule::Max | MergeRule::Min => extreme,
        // A sum over the time that it is known for is a rate; a mean over it is a mean.
        MergeRule::Sum | MergeRule::Mean => (weight > 0.0).then(|| sum / weight),
    }
}

#[cfg(test)]
mod tests {
    use timeline::SeriesUnit;

    use super::*;
    use crate::testing::Made;

    fn column(made: &Made, step: u64) -> Vec<Option<f64>> {
        let series = &made.timeline.series[0];
        let (from, until) = series.span().unwrap();
        let step = Nanos::secs(step);
        IntervalGrid { from, step, count: ((until.0 - from.0).div_ceil(step.0)) as usize }.column(series)
    }

    #[test]
    fn a_sum_over_a_period_is_a_rate() {
        let made = Made::intervals(4, 60).rate("VolumeReadOps", &[], 50.0);
        assert_eq!(column(&made, 60), [Some(50.0); 4]);
        assert_eq!(column(&made, 120), [Some(50.0); 2]);
        assert_eq!(column(&made, 20), [Some(50.0); 12], "a part of a period has the rate of the whole");
    }

    #[test]
    fn a_gap_stays_a_gap_and_is_not_zero() {
        let made =
            Made::seconds(4).each("x", &[], (SeriesUnit::None, MergeRule::Mean), |i| (i != 1 && i != 2).then_some(3.0));
        assert_eq!(column(&made, 1), [Some(3.0), None, None, Some(3.0)]);
        assert_eq!(column(&made, 2), [Some(3.0), Some(3.0)]);
    }

    #[test]
    fn the_usual_length_of_points_is_the_step() {
        let made = Made::intervals(10, 300).level("x", &[], 1.0);
        let grid = IntervalGrid::of(made.timeline.series.iter()).unwrap();
        assert_eq!((grid.step, grid.count), (Nanos::secs(300), 10));
        let long = Made::seconds(50_000).level("x", &[], 1.0);
        let grid = IntervalGrid::of(long.timeline.series.iter()).unwrap();
        assert_eq!((grid.step, grid.count), (Nanos::secs(3), 16_667));
    }
}
