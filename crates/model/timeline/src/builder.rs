//! The builder of a Timeline: series that grow point by point.

use std::collections::{BTreeMap, HashMap};

use units::Nanos;

use crate::{LatencyPoint, Series, SeriesForm, SeriesPoint, SeriesPoints, SeriesSpec, SeriesUnit, Timeline};

/// Subject of a series: `disk` = `data`, `VolumeId` = `vol-…`.
pub type SeriesLabels = BTreeMap<String, String>;

/// Labels from pairs.
pub fn labels<const N: usize>(pairs: [(&str, &str); N]) -> SeriesLabels {
    pairs.into_iter().map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
}

/// Series that grow point by point. What is not known is a gap: values that are not finite, histograms without a sample and
/// intervals of no length are left out, and so are series without a point.
#[derive(Debug, Default)]
pub struct TimelineBuilder {
    /// In the order in which they first appeared.
    series: Vec<Series>,
    /// Where in `series`, by name and labels.
    index: HashMap<String, HashMap<SeriesLabels, usize>>,
}

impl TimelineBuilder {
    /// Adds a value to a series of values.
    pub fn value(&mut self, spec: SeriesSpec, labels: &SeriesLabels, point: SeriesPoint) {
        if let SeriesPoints::Values(_, points) = self.points(spec, labels)
            && point.value.is_finite()
            && point.until > point.from
        {
            points.push(point);
        }
    }

    /// Adds latencies to a series of histograms.
    pub fn latency(&mut self, spec: SeriesSpec, labels: &SeriesLabels, point: LatencyPoint) {
        if let SeriesPoints::Latencies(points) = self.points(spec, labels)
            && !point.histogram.is_empty()
            && point.until > point.from
        {
            points.push(point);
        }
    }

    /// Adds all points of a Timeline, each series with more labels.
    pub fn extend(&mut self, more: Timeline, labels: &SeriesLabels) {
        for mut series in more.series {
            series.labels.extend(labels.clone());
            let named = self.index.entry(series.name.clone()).or_default();
            let Some(at) = named.get(&series.labels).copied() else {
                named.insert(series.labels.clone(), self.series.len());
                self.series.push(series);
                continue;
            };
            match (&mut self.series[at].points, series.points) {
                (SeriesPoints::Values(_, points), SeriesPoints::Values(_, more)) => points.extend(more),
                (SeriesPoints::Latencies(points), SeriesPoints::Latencies(more)) => points.extend(more),
                _ => {}
            }
        }
    }

    /// All series that have points, in the order in which they first appeared. Their points are in order of time; of points
    /// that cover the same time, the first that was added stays.
    pub fn finish(mut self) -> Vec<Series> {
        for series in &mut self.series {
            match &mut series.points {
                SeriesPoints::Values(_, points) => in_order(points, |point| (point.from, point.until)),
                SeriesPoints::Latencies(points) => in_order(points, |point| (point.from, point.until)),
            }
        }
        self.series.retain(|series| !series.points.is_empty());
        self.series
    }

    /// All series that have points, by name and labels; their points as [`finish`](Self::finish) has them.
    pub fn finish_sorted(self) -> Vec<Series> {
        let mut series = self.finish();
        series.sort_by(|a, b| (&a.name, &a.labels).cmp(&(&b.name, &b.labels)));
        series
    }

    fn points(&mut self, spec: SeriesSpec, labels: &SeriesLabels) -> &mut SeriesPoints {
        let found = self.index.get(spec.name).and_then(|named| named.get(labels)).copied();
        let at = found.unwrap_or_else(|| {
            let (unit, points) = match spec.form {
                SeriesForm::Values(merge) => (spec.unit, SeriesPoints::Values(merge, Vec::new())),
                SeriesForm::Histogram => (SeriesUnit::None, SeriesPoints::Latencies(Vec::new())),
            };
            self.index.entry(spec.name.to_owned()).or_default().insert(labels.clone(), self.series.len());
            self.series.push(Series { name: spec.name.to_owned(), labels: labels.clone(), unit, points });
            self.series.len() - 1
        });
        &mut self.series[at].points
    }
}

fn in_order<T>(points: &mut Vec<T>, span: impl Fn(&T) -> (Nanos, Nanos)) {
    points.sort_by_key(|point| span(point).0);
    let mut end = Nanos(0);
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
    use crate::MergeRule;
    use crate::vocabulary::{LATENCY, QUEUE_DEPTH, READ_OPS};

    fn point(from: u64, until: u64, value: f64) -> SeriesPoint {
        SeriesPoint { from: Nanos::secs(from), until: Nanos::secs(until), value }
    }

    #[test]
    fn points_come_into_order_and_none_overlap() {
        let mut builder = TimelineBuilder::default();
        for (from, until, value) in [(5, 6, 1.0), (0, 5, 2.0), (5, 7, 3.0), (6, 6, 4.0), (7, 8, f64::NAN)] {
            builder.value(READ_OPS, &SeriesLabels::new(), point(from, until, value));
        }
        let series = builder.finish();
        assert_eq!(series[0].points(), [point(0, 5, 2.0), point(5, 6, 1.0)]);
        assert_eq!(
            (series[0].unit, series[0].points.clone()),
            (READ_OPS.unit, { SeriesPoints::Values(MergeRule::Sum, vec![point(0, 5, 2.0), point(5, 6, 1.0)]) })
        );
    }

    #[test]
    fn a_series_without_a_point_is_none() {
        let mut builder = TimelineBuilder::default();
        builder.value(QUEUE_DEPTH, &SeriesLabels::new(), point(0, 1, f64::INFINITY));
        let empty = LatencyPoint { from: Nanos(0), until: Nanos(1), histogram: crate::latencies() };
        builder.latency(LATENCY, &SeriesLabels::new(), empty);
        assert!(builder.finish().is_empty());
    }

    #[test]
    fn series_keep_the_order_of_their_appearance_or_that_of_their_names() {
        let of = |disk| labels([("disk", disk)]);
        let made = || {
            let mut builder = TimelineBuilder::default();
            builder.value(READ_OPS, &of("raft"), point(0, 1, 1.0));
            builder.value(QUEUE_DEPTH, &of("data"), point(0, 1, 1.0));
            builder.value(READ_OPS, &of("data"), point(0, 1, 1.0));
            builder
        };
        let names = |series: Vec<Series>| series.iter().map(ToString::to_string).collect::<Vec<_>>();
        let (first, second, third) =
            (r#"read_ops{disk="raft"}"#, r#"queue_depth{disk="data"}"#, r#"read_ops{disk="data"}"#);
        assert_eq!(names(made().finish()), [first, second, third]);
        assert_eq!(names(made().finish_sorted()), [second, third, first]);
    }

    #[test]
    fn a_timelines_points_follow_those_that_are_there() {
        let mut builder = TimelineBuilder::default();
        let on = labels([("node", "n1")]);
        for from in [0, 1] {
            let mut more = TimelineBuilder::default();
            more.value(READ_OPS, &SeriesLabels::new(), point(from, from + 1, 3.0));
            builder.extend(Timeline { series: more.finish(), ..Timeline::default() }, &on);
        }
        let series = builder.finish();
        assert_eq!((series.len(), series[0].to_string().as_str()), (1, r#"read_ops{node="n1"}"#));
        assert_eq!(series[0].points(), [point(0, 1, 3.0), point(1, 2, 3.0)]);
    }
}
