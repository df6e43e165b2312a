//! Puts points together to series.

use std::collections::{BTreeMap, HashMap};

use timeline::{LatencyPoint, MergeRule, Series, SeriesPoint, SeriesPoints, SeriesUnit};

/// What a point is of.
pub(crate) type Labels = BTreeMap<String, String>;

/// Series that grow point by point, in the order in which they first appeared.
#[derive(Debug, Default)]
pub(crate) struct Collect {
    series: Vec<Series>,
    /// Where in `series`, by name and labels.
    index: HashMap<&'static str, HashMap<Labels, usize>>,
}

impl Collect {
    /// Adds a value; one that is not finite is left out, as a cloud would publish nothing.
    pub(crate) fn value(
        &mut self,
        name: &'static str,
        labels: &Labels,
        (unit, merge): (SeriesUnit, MergeRule),
        point: SeriesPoint,
    ) {
        let empty = || SeriesPoints::Values(merge, Vec::new());
        if let SeriesPoints::Values(_, points) = self.points(name, labels, unit, empty)
            && point.value.is_finite()
        {
            points.push(point);
        }
    }

    /// Adds latencies.
    pub(crate) fn latency(&mut self, name: &'static str, labels: &Labels, point: LatencyPoint) {
        let empty = || SeriesPoints::Latencies(Vec::new());
        if let SeriesPoints::Latencies(points) = self.points(name, labels, SeriesUnit::None, empty) {
            points.push(point);
        }
    }

    /// All series that have points.
    pub(crate) fn finish(self) -> Vec<Series> {
        let has_points = |series: &Series| match &series.points {
            SeriesPoints::Values(_, points) => !points.is_empty(),
            SeriesPoints::Latencies(points) => !points.is_empty(),
        };
        self.series.into_iter().filter(has_points).collect()
    }

    fn points(
        &mut self,
        name: &'static str,
        labels: &Labels,
        unit: SeriesUnit,
        empty: impl FnOnce() -> SeriesPoints,
    ) -> &mut SeriesPoints {
        let named = self.index.entry(name).or_default();
        let at = named.get(labels).copied().unwrap_or_else(|| {
            named.insert(labels.clone(), self.series.len());
            self.series.push(Series { name: name.to_owned(), labels: labels.clone(), unit, points: empty() });
            self.series.len() - 1
        });
        &mut self.series[at].points
    }
}

/// Labels from pairs.
pub(crate) fn labels<const N: usize>(pairs: [(&str, &str); N]) -> Labels {
    pairs.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}
