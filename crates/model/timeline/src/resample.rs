//! Fewer points, or more, on a regular grid.

use units::Nanos;

use crate::validate::MOST_POINTS;
use crate::window::{Amount, cut, join};
use crate::{LatencyPoint, MergeRule, Series, SeriesPoint, SeriesPoints, Timeline, TimelineError};

impl Timeline {
    /// The same in intervals that begin and end at multiples of `step`, with sums and tails kept:
    /// - a sum that straddles a boundary is split in proportion to time;
    /// - a mean is weighted by time;
    /// - the largest and the smallest count in every interval that they touch;
    /// - histograms merge and are never split: one that straddles goes whole to the interval in which it ends, and the
    ///   merged point keeps the start of its first.
    ///
    /// Where points cover only part of an interval, as at both ends of a recording, the new point covers that part, so
    /// that rates stay right. A gap stays a gap.
    ///
    /// # Errors
    /// When the step is zero, or so short that the points would be too many.
    pub fn resample(&self, step: Nanos) -> Result<Self, TimelineError> {
        if step == Nanos(0) {
            return Err(TimelineError::NoStep);
        }
        let points = self.series.iter().map(|series| most_points(series, step)).fold(0, u64::saturating_add);
        if points > MOST_POINTS {
            return Err(TimelineError::TooManyPoints { points, most: MOST_POINTS });
        }
        let series = self.series.iter().map(|series| Series {
            name: series.name.clone(),
            labels: series.labels.clone(),
            unit: series.unit,
            points: match &series.points {
                SeriesPoints::Values(merge, points) => SeriesPoints::Values(*merge, values(points, *merge, step)),
                SeriesPoints::Latencies(points) => SeriesPoints::Latencies(latencies(points, step)),
            },
        });
        Ok(Self { about: self.about.clone(), series: series.collect() })
    }
}

/// How many points there will be, at most.
fn most_points(series: &Series, step: Nanos) -> u64 {
    match &series.points {
        SeriesPoints::Values(_, points) => {
            let pieces =
                |point: &SeriesPoint| last(point.until, step).saturating_sub(point.from.0 / step.0).saturating_add(1);
            points.iter().map(pieces).fold(0, u64::saturating_add)
        }
        SeriesPoints::Latencies(points) => points.len() as u64,
    }
}

/// The number of the interval that holds the last nanosecond before `until`.
fn last(until: Nanos, step: Nanos) -> u64 {
    until.0.saturating_sub(1) / step.0
}

fn values(points: &[SeriesPoint], merge: MergeRule, step: Nanos) -> Vec<SeriesPoint> {
    let mut all = Vec::new();
    let mut open: Option<(u64, Amount)> = None;
    for point in points {
        for number in point.from.0 / step.0..=last(point.until, step) {
            let from = Nanos(number * step.0);
            let piece = cut(point, merge, from, from + step);
            match &mut open {
                Some((current, amount)) if *current == number => amount.add(piece),
                _ => all.extend(open.replace((number, Amount::of(merge, piece))).map(|(_, amount)| amount.point())),
            }
        }
    }
    all.extend(open.map(|(_, amount)| amount.point()));
    all
}

fn latencies(points: &[LatencyPoint], step: Nanos) -> Vec<LatencyPoint> {
    let together = points.chunk_by(|one, next| last(one.until, step) == last(next.until, step));
    let merged = together.filter_map(|group| {
        let (first, rest) = group.split_first()?;
        let mut all = first.clone();
        for point in rest {
            join(&mut all.histogram, &point.histogram);
            all.until = point.until;
        }
        Some(all)
    });
    merged.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{any_points, any_timeline, histograms, latency, latency_point, point, timeline, values};
    use proptest::prelude::*;

    fn resampled(merge: MergeRule, points: Vec<SeriesPoint>, step: u64) -> Vec<SeriesPoint> {
        let all = timeline(vec![values("x", merge, points)]).resample(Nanos::secs(step)).unwrap();
        all.series[0].points().to_vec()
    }

    #[test]
    fn seconds_become_minutes() {
        let seconds = (0..120).map(|second| point(second, second + 1, 1.0)).collect();
        assert_eq!(resampled(MergeRule::Sum, seconds, 60), [point(0, 60, 60.0), point(60, 120, 60.0)]);
    }

    #[test]
    fn a_sum_that_straddles_is_split_and_half_an_interval_stays_half() {
        assert_eq!(
            resampled(MergeRule::Sum, vec![point(1, 5, 4.0)], 2),
            [point(1, 2, 1.0), point(2, 4, 2.0), point(4, 5, 1.0)]
        );
    }

    #[test]
    fn a_mean_is_weighted_by_time() {
        assert_eq!(resampled(MergeRule::Mean, vec![point(0, 3, 10.0), point(3, 4, 2.0)], 4), [point(0, 4, 8.0)]);
    }

    #[test]
    fn a_short_peak_is_seen_in_every_interval_that_it_touches() {
        let peak = vec![point(0, 3, 1.0), point(3, 5, 9.0), point(5, 8, 1.0)];
        assert_eq!(resampled(MergeRule::Max, peak.clone(), 4), [point(0, 4, 9.0), point(4, 8, 9.0)]);
        assert_eq!(resampled(MergeRule::Min, peak, 4), [point(0, 4, 1.0), point(4, 8, 1.0)]);
    }

    #[test]
    fn a_gap_stays_a_gap() {
        let points = vec![point(0, 1, 1.0), point(9, 10, 1.0)];
        assert_eq!(resampled(MergeRule::Sum, points, 2), [point(0, 1, 1.0), point(9, 10, 1.0)]);
    }

    #[test]
    fn a_histogram_that_straddles_goes_whole_to_where_it_ends() {
        let points = vec![latency_point(0, 3, &[1]), latency_point(3, 5, &[2]), latency_point(5, 6, &[3])];
        let all = timeline(vec![histograms("read", points)]).resample(Nanos::secs(4)).unwrap();
        assert_eq!(all.series[0].latency_points(), [latency_point(0, 3, &[1]), latency_point(3, 6, &[2, 3])]);
    }

    #[test]
    fn a_histogram_that_cannot_grow_takes_larger_latencies_all_the_same() {
        let mut small = latency_point(0, 1, &[]);
        small.histogram = crate::LatencyHistogram::new_with_bounds(1, 1000, 3).unwrap();
        small.histogram.record(10).unwrap();
        let points = vec![small, latency_point(1, 2, &[5_000_000_000])];
        let all = timeline(vec![histograms("read", points)]).resample(Nanos::secs(2)).unwrap();
        let merged = &all.series[0].latency_points()[0].histogram;
        assert_eq!((merged.len(), merged.max()), (2, latency(&[5_000_000_000]).max()));
    }

    #[test]
    fn a_step_of_nothing_or_of_too_many_points_is_refused() {
        let all = timeline(vec![values("x", MergeRule::Sum, vec![point(0, 3600, 1.0)])]);
        assert_eq!(all.resample(Nanos(0)), Err(TimelineError::NoStep));
        let message = all.resample(Nanos(1)).unwrap_err().to_string();
        assert!(message.starts_with("3600000000000 points are too many, expected at most 50000000"), "{message}");
    }

    #[test]
    fn the_last_moment_there_is_does_not_overflow() {
        let whole = SeriesPoint { from: Nanos(0), until: Nanos::MAX, value: 1.0 };
        let all = timeline(vec![values("x", MergeRule::Sum, vec![whole])]).resample(Nanos(u64::MAX / 3 * 2)).unwrap();
        assert_eq!(all.series[0].points().len(), 2);
    }

    fn steps() -> impl Strategy<Value = Nanos> {
        prop_oneof![100_000_000..30_000_000_000u64, (1..100u64).prop_map(|n| n * 500_000_000)].prop_map(Nanos)
    }

    proptest! {
        #[test]
        fn nothing_is_lost(points in any_points(), step in steps()) {
            let before = Series { points, ..values("x", MergeRule::Sum, vec![]) };
            let resampled = timeline(vec![before.clone()]).resample(step).unwrap();
            resampled.validate().unwrap();
            let after = &resampled.series[0];
            prop_assert_eq!(before.span(), after.span());
            // All latencies are there, to the last: equal counts in every bucket.
            prop_assert_eq!(before.latencies(Nanos(0), Nanos::MAX), after.latencies(Nanos(0), Nanos::MAX));
            // Sum, mean, largest and smallest over all time are the same but for rounding.
            let (one, other) = (before.value(Nanos(0), Nanos::MAX), after.value(Nanos(0), Nanos::MAX));
            prop_assert_eq!(one.is_some(), other.is_some());
            let size: f64 = before.points().iter().map(|point| point.value.abs()).sum();
            let gapless = before.points().windows(2).all(|pair| pair[0].until == pair[1].from);
            if !matches!(before.points, SeriesPoints::Values(MergeRule::Mean, _)) || gapless {
                prop_assert!((one.unwrap_or(0.0) - other.unwrap_or(0.0)).abs() <= 1e-12 * size);
            }
        }

        #[test]
        fn every_point_stays_within_one_step_unless_it_is_a_histogram(all in any_timeline(), step in steps()) {
            for series in &all.resample(step).unwrap().series {
                for point in series.points() {
                    prop_assert_eq!(point.from.0 / step.0, (point.until.0 - 1) / step.0);
                }
                for pair in series.latency_points().windows(2) {
                    prop_assert!(last(pair[0].until, step) < last(pair[1].until, step));
                }
            }
        }

        #[test]
        fn resampling_again_changes_nothing(all in any_timeline(), step in steps()) {
            let once = all.resample(step).unwrap();
            prop_assert_eq!(once.resample(step).unwrap(), once);
        }

        #[test]
        fn histograms_may_be_resampled_in_two_steps(all in any_timeline(), step in steps(), times in 1..10u64) {
            let whole = Nanos(step.0 * times);
            let two_steps = all.resample(step).unwrap().resample(whole).unwrap();
            for (one, other) in all.resample(whole).unwrap().series.iter().zip(&two_steps.series) {
                prop_assert_eq!(one.latency_points(), other.latency_points());
            }
        }
    }
}
