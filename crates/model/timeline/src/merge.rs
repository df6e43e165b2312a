//! Two Timelines as one.

use std::collections::BTreeMap;

use units::Nanos;

use crate::{LatencyPoint, Series, SeriesPoint, SeriesPoints, Timeline, TimelineError, TimelineInfo};

impl Timeline {
    /// Both as one: series that only one has are taken, those that both have become one in order of time. Where both
    /// have a start, times count from the earlier one afterwards. The title is the first that is not empty. One that
    /// holds nothing yet merges with any.
    ///
    /// # Errors
    /// When both know the same time of a series, measure it in different units or kinds, say different things under
    /// one note, or when only one has a start; and when the result would not be valid.
    pub fn merge(&self, other: &Self) -> Result<Self, TimelineError> {
        let start = self.common_start(other)?;
        let mut notes = self.about.notes.clone();
        for (key, value) in &other.about.notes {
            let one = notes.entry(key.clone()).or_insert_with(|| value.clone());
            if one != value {
                let (one, other) = (one.clone(), value.clone());
                return Err(TimelineError::Note { key: key.clone(), one, other });
            }
        }
        let title = [&self.about.title, &other.about.title].into_iter().find(|title| !title.is_empty());
        let about = TimelineInfo { title: title.cloned().unwrap_or_default(), start, notes };

        let mut all = Self { about, series: self.counted_from(start)? };
        let mut places: BTreeMap<_, usize> = all.series.iter().enumerate().map(|(at, one)| (key(one), at)).collect();
        for series in other.counted_from(start)? {
            match places.get(&key(&series)) {
                Some(at) => all.series[*at].join(series)?,
                None => {
                    places.insert(key(&series), all.series.len());
                    all.series.push(series);
                }
            }
        }
        all.validate()?;
        Ok(all)
    }

    /// The earlier start.
    fn common_start(&self, other: &Self) -> Result<Option<jiff::Timestamp>, TimelineError> {
        match (self.about.start, other.about.start) {
            (Some(one), Some(other)) => Ok(Some(one.min(other))),
            (start, None) if start.is_none() || other.series.is_empty() => Ok(start),
            (None, start) if self.series.is_empty() => Ok(start),
            (start, _) => {
                let (one, other) = (self.about.title.clone(), other.about.title.clone());
                let (real, other) = if start.is_some() { (one, other) } else { (other, one) };
                Err(TimelineError::Start { real, other })
            }
        }
    }

    /// The series with their times counted from `start`, which is not after this one's own.
    fn counted_from(&self, start: Option<jiff::Timestamp>) -> Result<Vec<Series>, TimelineError> {
        let later = match (self.about.start, start) {
            (Some(own), Some(start)) => own.as_nanosecond() - start.as_nanosecond(),
            _ => 0,
        };
        // A shift past the range leaves the range when it is added, and is then refused as too late.
        let later = Nanos(u64::try_from(later).unwrap_or(u64::MAX));
        let mut all = self.series.clone();
        for series in &mut all {
            if series.span().is_some_and(|(_, until)| until.0.checked_add(later.0).is_none()) {
                return Err(TimelineError::TooLate { series: series.to_string(), until: Nanos::MAX });
            }
            match &mut series.points {
                SeriesPoints::Values(_, points) => points.iter_mut().for_each(|point| {
                    (point.from, point.until) = (point.from + later, point.until + later);
                }),
                SeriesPoints::Latencies(points) => points.iter_mut().for_each(|point| {
                    (point.from, point.until) = (point.from + later, point.until + later);
                }),
            }
        }
        Ok(all)
    }
}

/// Identity of a series.
fn key(series: &Series) -> (String, BTreeMap<String, String>) {
    (series.name.clone(), series.labels.clone())
}

impl Series {
    /// Takes the points of the same series of another Timeline.
    fn join(&mut self, other: Self) -> Result<(), TimelineError> {
        let describe = |series: &Self| format!("{} ({})", series.unit, series.points.kind());
        let (one, two) = (describe(self), describe(&other));
        if one != two {
            return Err(TimelineError::Kind { series: self.to_string(), one, other: two });
        }
        match (&mut self.points, other.points) {
            (SeriesPoints::Values(_, points), SeriesPoints::Values(_, more)) => {
                points.extend(more);
                points.sort_by_key(|point: &SeriesPoint| point.from);
            }
            (SeriesPoints::Latencies(points), SeriesPoints::Latencies(more)) => {
                points.extend(more);
                points.sort_by_key(|point: &LatencyPoint| point.from);
            }
            // Kinds that differ were refused above.
            _ => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{any_timeline, histograms, latency_point, point, timeline, values};
    use crate::{MergeRule, SeriesUnit};
    use proptest::prelude::*;

    fn ops(from: u64, until: u64) -> Timeline {
        timeline(vec![values("ops", MergeRule::Sum, vec![point(from, until, 7.0)])])
    }

    fn starting(at: &str, timeline: Timeline) -> Timeline {
        let start = Some(at.parse().unwrap());
        Timeline { about: TimelineInfo { start, title: at.to_owned(), ..timeline.about }, ..timeline }
    }

    fn message(one: &Timeline, other: &Timeline) -> String {
        one.merge(other).unwrap_err().to_string()
    }

    #[test]
    fn the_same_series_at_other_times_becomes_one_in_order() {
        let both = ops(5, 6).merge(&ops(1, 2)).unwrap();
        assert_eq!(both, timeline(vec![values("ops", MergeRule::Sum, vec![point(1, 2, 7.0), point(5, 6, 7.0)])]));
    }

    #[test]
    fn the_same_series_at_the_same_time_is_a_conflict() {
        assert_eq!(
            message(&ops(0, 2), &ops(1, 3)),
            "ops: the point from 1s starts before the one before it ends, at 2s"
        );
    }

    #[test]
    fn series_with_other_labels_stand_side_by_side() {
        let mut raft = ops(0, 2);
        raft.series[0].labels.insert("disk".into(), "raft".into());
        assert_eq!(ops(0, 2).merge(&raft).unwrap().series.len(), 2);
    }

    #[test]
    fn times_count_from_the_earlier_start() {
        let (noon, later) = (starting("2026-01-01T12:00:00Z", ops(0, 1)), starting("2026-01-01T12:01:00Z", ops(0, 1)));
        let both = later.merge(&noon).unwrap();
        assert_eq!(both.about.start, noon.about.start);
        assert_eq!(both.series[0].points(), [point(0, 1, 7.0), point(60, 61, 7.0)]);
    }

    #[test]
    fn starts_further_apart_than_times_reach_are_refused() {
        let (old, new) = (starting("-009000-01-01T00:00:00Z", ops(0, 1)), starting("9000-01-01T00:00:00Z", ops(0, 1)));
        assert!(message(&new, &old).contains("expected at most 292 years"));
    }

    #[test]
    fn real_and_virtual_time_do_not_mix() {
        let real = starting("2026-01-01T12:00:00Z", ops(0, 1));
        assert!(message(&ops(5, 6), &real).starts_with("`2026-01-01T12:00:00Z` counts from an instant, `` in virtual"));
    }

    #[test]
    fn an_empty_timeline_takes_anything() {
        let real = starting("2026-01-01T12:00:00Z", ops(0, 1));
        assert_eq!(Timeline::default().merge(&real).unwrap(), real);
        assert_eq!(real.merge(&Timeline::default()).unwrap(), real);
    }

    #[test]
    fn other_units_and_kinds_are_conflicts() {
        let mut bytes = ops(5, 6);
        bytes.series[0].unit = SeriesUnit::Bytes;
        assert!(message(&ops(0, 1), &bytes).starts_with("ops is in Count (sum) in one Timeline and in Bytes (sum)"));
        let latencies = timeline(vec![histograms("ops", vec![latency_point(5, 6, &[1])])]);
        assert!(message(&ops(0, 1), &latencies).contains("in None (histogram)"));
    }

    #[test]
    fn a_note_that_says_two_things_is_a_conflict() {
        let noted = |disk: &str| {
            let mut all = Timeline::default();
            all.about.notes.insert("disk".into(), disk.into());
            all
        };
        assert!(message(&noted("gp2"), &noted("gp3")).starts_with("the note `disk` is `gp2` in one"));
        assert_eq!(noted("gp2").merge(&noted("gp2")).unwrap(), noted("gp2"));
    }

    proptest! {
        #[test]
        fn merging_with_nothing_changes_nothing(all in any_timeline()) {
            prop_assert_eq!(all.merge(&Timeline::default()).unwrap(), all);
        }
    }
}
