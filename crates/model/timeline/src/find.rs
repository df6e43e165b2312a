//! Looking up series.

use units::Nanos;

use crate::{LatencyPoint, Series, SeriesPoint, SeriesPoints, Timeline};

impl Timeline {
    /// The series of this name with exactly these labels, in any order.
    pub fn find(&self, name: &str, labels: &[(&str, &str)]) -> Option<&Series> {
        self.select(name, labels).find(|series| series.labels.len() == labels.len())
    }

    /// All series of this name that have at least these labels.
    pub fn select<'s>(&'s self, name: &str, labels: &[(&str, &str)]) -> impl Iterator<Item = &'s Series> {
        let has = |series: &Series, (key, value): &(&str, &str)| {
            series.labels.get(*key).is_some_and(|labelled| labelled == value)
        };
        let all = self.series.iter().filter(move |series| series.name == name);
        all.filter(move |series| labels.iter().all(|label| has(series, label)))
    }

    /// From the first start of a point to the last end; `None` if there are no points.
    pub fn span(&self) -> Option<(Nanos, Nanos)> {
        let spans = self.series.iter().filter_map(Series::span);
        spans.reduce(|(from, until), (other_from, other_until)| (from.min(other_from), until.max(other_until)))
    }
}

impl Series {
    /// From the start of the first point to the end of the last; `None` if there are none.
    pub fn span(&self) -> Option<(Nanos, Nanos)> {
        match &self.points {
            SeriesPoints::Values(_, points) => Some((points.first()?.from, points.last()?.until)),
            SeriesPoints::Latencies(points) => Some((points.first()?.from, points.last()?.until)),
        }
    }

    /// Its numbers; none if it holds histograms.
    pub fn points(&self) -> &[SeriesPoint] {
        if let SeriesPoints::Values(_, points) = &self.points { points } else { &[] }
    }

    /// Its histograms; none if it holds numbers.
    pub fn latency_points(&self) -> &[LatencyPoint] {
        if let SeriesPoints::Latencies(points) = &self.points { points } else { &[] }
    }
}

impl SeriesPoints {
    /// How many there are.
    pub fn len(&self) -> usize {
        match self {
            Self::Values(_, points) => points.len(),
            Self::Latencies(points) => points.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MergeRule;
    use crate::testing::{point, timeline, values};

    fn labelled(labels: &[(&str, &str)]) -> Series {
        let labels = labels.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        Series { labels, ..values("ops", MergeRule::Sum, vec![point(1, 2, 1.0)]) }
    }

    #[test]
    fn a_series_is_found_by_all_its_labels_and_selected_by_some() {
        let data = labelled(&[("disk", "data"), ("zone", "a")]);
        let raft = labelled(&[("disk", "raft"), ("zone", "a")]);
        let all = timeline(vec![data.clone(), raft]);
        assert_eq!(all.find("ops", &[("zone", "a"), ("disk", "data")]), Some(&data));
        assert_eq!(all.find("ops", &[("zone", "a")]), None);
        assert_eq!(all.select("ops", &[("zone", "a")]).count(), 2);
        assert_eq!(all.select("ops", &[("zone", "b")]).count(), 0);
    }

    #[test]
    fn the_span_is_that_of_all_series() {
        let late = values("late", MergeRule::Sum, vec![point(5, 9, 1.0)]);
        let all = timeline(vec![values("none", MergeRule::Sum, vec![]), labelled(&[]), late]);
        assert_eq!(all.span(), Some((Nanos::secs(1), Nanos::secs(9))));
        assert_eq!(timeline(vec![]).span(), None);
    }
}
