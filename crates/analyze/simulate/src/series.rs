//! Series that grow point by point.

use std::collections::BTreeMap;

use timeline::{LatencyPoint, MergeRule, Series, SeriesPoint, SeriesPoints, SeriesUnit, Timeline, TimelineInfo};

/// Labels of a series.
pub(crate) type Labels = BTreeMap<String, String>;

/// All series of a run, by name and labels.
#[derive(Debug, Default)]
pub(crate) struct SeriesMap(BTreeMap<(String, Labels), Series>);

impl SeriesMap {
    /// Adds a point to a series of values.
    pub(crate) fn value(
        &mut self,
        name: &str,
        labels: Labels,
        (unit, merge): (SeriesUnit, MergeRule),
        point: SeriesPoint,
    ) {
        let series = self.0.entry((name.to_owned(), labels)).or_insert_with_key(|(name, labels)| Series {
            name: name.clone(),
            labels: labels.clone(),
            unit,
            points: SeriesPoints::Values(merge, Vec::new()),
        });
        if let SeriesPoints::Values(_, points) = &mut series.points {
            points.push(point);
        }
    }

    /// Adds a point to a series of histograms.
    pub(crate) fn latency(&mut self, name: &str, labels: Labels, point: LatencyPoint) {
        let series = self.0.entry((name.to_owned(), labels)).or_insert_with_key(|(name, labels)| Series {
            name: name.clone(),
            labels: labels.clone(),
            unit: SeriesUnit::None,
            points: SeriesPoints::Latencies(Vec::new()),
        });
        if let SeriesPoints::Latencies(points) = &mut series.points {
            points.push(point);
        }
    }

    /// Adds what a Timeline has, which begins where the same series end here, with more labels.
    pub(crate) fn extend(&mut self, more: Timeline, labels: &Labels) {
        for mut series in more.series {
            series.labels.extend(labels.clone());
            let name = (series.name.clone(), series.labels.clone());
            match self.0.get_mut(&name) {
                None => drop(self.0.insert(name, series)),
                Some(had) => match (&mut had.points, series.points) {
                    (SeriesPoints::Values(_, points), SeriesPoints::Values(_, more)) => points.extend(more),
                    (SeriesPoints::Latencies(points), SeriesPoints::Latencies(more)) => points.extend(more),
                    _ => {}
                },
            }
        }
    }

    /// All of them.
    pub(crate) fn finish(self, about: TimelineInfo) -> Timeline {
        Timeline { about, series: self.0.into_values().collect() }
    }
}
