//! Puts points together to series.

use std::collections::BTreeMap;

use timeline::{LatencyPoint, MergeRule, Series, SeriesPoint, SeriesPoints, SeriesUnit};

/// What a point is of.
pub(crate) type Labels = BTreeMap<String, String>;

/// Series that grow point by point, in any order of time.
#[derive(Debug, Default)]
pub(crate) struct Collect(BTreeMap<(String, Labels), (SeriesUnit, SeriesPoints)>);

impl Collect {
    /// Adds a value; one that is not finite, or of no time, is left out: what is not known is a gap.
    pub(crate) fn value(
        &mut self,
        name: &str,
        labels: &Labels,
        (unit, merge): (SeriesUnit, MergeRule),
        point: SeriesPoint,
    ) {
        if !point.value.is_finite() || point.until <= point.from {
            return;
        }
        let empty = || (unit, SeriesPoints::Values(merge, Vec::new()));
        let series = self.0.entry((name.to_owned(), labels.clone())).or_insert_with(empty);
        if let SeriesPoints::Values(_, points) = &mut series.1 {
            points.push(point);
        }
    }

    /// Adds latencies; none are left out.
    pub(crate) fn latency(&mut self, name: &str, labels: &Labels, point: LatencyPoint) {
        if point.histogram.is_empty() || point.until <= point.from {
            return;
        }
        let empty = || (SeriesUnit::None, SeriesPoints::Latencies(Vec::new()));
        let series = self.0.entry((name.to_owned(), labels.clone())).or_insert_with(empty);
        if let SeriesPoints::Latencies(points) = &mut series.1 {
            points.push(point);
        }
    }

    /// All series, their points in order. Of points that cover the same time the first that was added stays.
    pub(crate) fn finish(self) -> Vec<Series> {
        let series = |((name, labels), (unit, mut points)): ((String, Labels), (SeriesUnit, SeriesPoints))| {
            match &mut points {
                SeriesPoints::Values(_, points) => in_order(points, |point| (point.from, point.until)),
                SeriesPoints::Latencies(points) => in_order(points, |point| (point.from, point.until)),
            }
            Series { name, labels, unit, points }
        };
        self.0.into_iter().map(series).collect()
    }
}

fn in_order<T>(points: &mut Vec<T>, span: impl Fn(&T) -> (units::Nanos, units::Nanos)) {
    points.sort_by_key(|point| span(point).0);
    let mut end = units::Nanos(0);
    points.retain(|point| {
        let (from, until) = span(point);
        let fits = from >= end;
        if fits {
            end = until;
        }
        fits
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use units::Nanos;

    #[test]
    fn points_come_into_order_and_none_overlap() {
        let mut collect = Collect::default();
        for (from, until, value) in [(5, 6, 1.0), (0, 5, 2.0), (5, 7, 3.0), (6, 6, 4.0), (7, 8, f64::NAN)] {
            let point = SeriesPoint { from: Nanos::secs(from), until: Nanos::secs(until), value };
            collect.value("ops", &Labels::new(), (SeriesUnit::Count, MergeRule::Sum), point);
        }
        let series = collect.finish();
        let SeriesPoints::Values(_, points) = &series[0].points else { panic!("values") };
        assert_eq!(points.iter().map(|point| point.value).collect::<Vec<_>>(), [2.0, 1.0]);
    }
}
