//! Long series made short enough for a page, with the least and the largest value of every stretch.

use super::ChartSeries;

/// Points of a series that a page holds: two for each of 480 stretches, as many as pixels on a wide screen can tell apart.
pub(crate) const MOST_POINTS: usize = 960;

/// A series that has at most about [`MOST_POINTS`] points, and whether points were left out.
///
/// Of each stretch the first gap, the least and the largest value stay, where they were.
pub(crate) fn thinned(series: &ChartSeries) -> (ChartSeries, bool) {
    let count = series.points.len();
    if count <= MOST_POINTS {
        return (series.clone(), false);
    }
    let stretch = count.div_ceil(MOST_POINTS / 2);
    let mut keep: Vec<usize> = Vec::with_capacity(MOST_POINTS + 2);
    for first in (0..count).step_by(stretch) {
        let range = first..(first + stretch).min(count);
        let value = |i: &usize| series.points[*i].1.filter(|value| value.is_finite());
        let known = || range.clone().filter(|i| value(i).is_some());
        let least = known().min_by(|a, b| value(a).partial_cmp(&value(b)).expect("values are finite"));
        let most = known().max_by(|a, b| value(a).partial_cmp(&value(b)).expect("values are finite"));
        let gap = range.clone().find(|i| value(i).is_none());
        let mut chosen: Vec<usize> = [least, most, gap].into_iter().flatten().collect();
        chosen.sort_unstable();
        chosen.dedup();
        keep.extend(chosen);
    }
    let points = keep.iter().map(|i| series.points[*i]).collect();
    let notes =
        if series.notes.is_empty() { Vec::new() } else { keep.iter().map(|i| series.notes[*i].clone()).collect() };
    (ChartSeries { points, notes, ..series.clone() }, true)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn series(values: &[Option<f64>]) -> ChartSeries {
        ChartSeries::line("x", values.iter().enumerate().map(|(i, value)| (i as f64, *value)).collect())
    }

    fn extremes(series: &ChartSeries) -> (f64, f64) {
        let values = series.points.iter().filter_map(|(_, value)| *value);
        values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)))
    }

    #[test]
    fn one_slow_second_in_a_day_stays_on_the_chart() {
        let mut values = vec![Some(1.0); 86_400];
        values[40_000] = Some(20.0);
        values[70_001] = None;
        let (thin, left_out) = thinned(&series(&values));
        assert!(left_out && thin.points.len() <= MOST_POINTS * 3 / 2);
        assert!(thin.points.contains(&(40_000.0, Some(20.0))));
        assert!(thin.points.contains(&(70_001.0, None)), "a gap stays a gap");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn the_least_and_the_largest_value_stay_and_positions_ascend(
            values in prop::collection::vec(prop::option::weighted(0.9, -1e6..1e6), 0..2500),
        ) {
            let whole = series(&values);
            let (thin, left_out) = thinned(&whole);
            prop_assert_eq!(extremes(&thin), extremes(&whole));
            prop_assert!(thin.points.windows(2).all(|pair| pair[0].0 < pair[1].0));
            prop_assert!(thin.points.len() <= MOST_POINTS * 3 / 2);
            prop_assert_eq!(left_out, values.len() > MOST_POINTS);
        }
    }
}
