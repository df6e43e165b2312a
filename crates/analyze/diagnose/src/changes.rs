//! Changes of findings from one look at a source to the next.

use std::collections::BTreeMap;

use timeline::Timeline;
use units::Nanos;

use crate::{Finding, FindingKind, FindingSubject, KnownFacts, diagnose};

/// Series arrive late by as much as this: a finding that held until then may still hold.
const LATE: Nanos = Nanos::secs(60);

/// A difference between two looks.
#[derive(Debug, PartialEq)]
pub enum FindingChange {
    /// Something is wrong that was not wrong before.
    New(Finding),
    /// Something is no longer wrong.
    Ended(Finding),
}

/// Tracks what is wrong with a source that is looked at every so often.
#[derive(Debug)]
pub struct FindingTracker {
    every: Nanos,
    holds: BTreeMap<(FindingKind, FindingSubject), Finding>,
}

impl FindingTracker {
    /// A tracker for looks `every` so often. Nothing is wrong yet.
    pub fn new(every: Nanos) -> Self {
        Self { every, holds: BTreeMap::new() }
    }

    /// Diagnoses the source as it is now, and returns the changes since the last look. A finding holds now if its last episode
    /// reaches to the end of the Timeline.
    pub fn update(&mut self, timeline: &Timeline, known: &KnownFacts) -> Vec<FindingChange> {
        let end = timeline.span().map_or(Nanos(0), |(_, end)| end);
        let recent = Nanos(end.0.saturating_sub(self.every.0.max(LATE.0)));
        let lasts = |finding: &Finding| finding.episodes.last().map_or(finding.to, |last| last.to) >= recent;
        let now: BTreeMap<(FindingKind, FindingSubject), Finding> = diagnose(timeline, known)
            .into_iter()
            .filter(|finding| finding.kind.is_wrong() && lasts(finding))
            .map(|finding| ((finding.kind, finding.subject.clone()), finding))
            .collect();
        let new = now.iter().filter(|(key, _)| !self.holds.contains_key(key)).map(|(_, finding)| finding.clone());
        let ended = self.holds.iter().filter(|(key, _)| !now.contains_key(key)).map(|(_, finding)| finding.clone());
        let changes = new.map(FindingChange::New).chain(ended.map(FindingChange::Ended)).collect();
        self.holds = now;
        changes
    }

    /// Whether anything is wrong now.
    pub fn is_wrong(&self) -> bool {
        !self.holds.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use timeline::{MergeRule, Series, SeriesPoint, SeriesPoints, SeriesUnit};

    use super::*;

    /// Minutes of a volume of CloudWatch's: those in which it waits for its IOPS are told by its own check.
    fn asked(minutes: u64, bound: impl Fn(u64) -> bool) -> (Timeline, KnownFacts) {
        let labels: BTreeMap<String, String> =
            [("VolumeId", "vol-1"), ("InstanceId", "i-1")].map(|(k, v)| (k.to_owned(), v.to_owned())).into();
        let series = |name: &str, unit, merge, value: &dyn Fn(u64) -> f64| {
            let point = |minute| SeriesPoint {
                from: Nanos::secs(60 * minute),
                until: Nanos::secs(60 * (minute + 1)),
                value: value(minute),
            };
            let points = SeriesPoints::Values(merge, (0..minutes).map(point).collect());
            Series { name: name.to_owned(), labels: labels.clone(), unit, points }
        };
        let all = vec![
            series("VolumeReadOps", SeriesUnit::Count, MergeRule::Sum, &|_| 60_000.0),
            series("VolumeIOPSExceededCheck", SeriesUnit::None, MergeRule::Max, &|minute| {
                f64::from(u8::from(bound(minute)))
            }),
        ];
        let known = KnownFacts::nothing(catalog::Catalog::embedded().at(None));
        (Timeline { series: all, ..Timeline::default() }, known)
    }

    fn update(tracker: &mut FindingTracker, minutes: u64, bound: impl Fn(u64) -> bool) -> Vec<FindingChange> {
        let (timeline, known) = asked(minutes, bound);
        tracker.update(&timeline, &known)
    }

    fn names(events: &[FindingChange]) -> Vec<(&str, FindingKind, usize)> {
        let one = |event: &FindingChange| match event {
            FindingChange::New(verdict) => ("new", verdict.kind, verdict.episodes.len()),
            FindingChange::Ended(verdict) => ("ended", verdict.kind, verdict.episodes.len()),
        };
        events.iter().map(one).collect()
    }

    #[test]
    fn what_begins_is_told_once_what_ends_once_and_what_comes_again_as_such() {
        let mut tracker = FindingTracker::new(Nanos::secs(60));
        let bound = |minute: u64| (10..15).contains(&minute) || (30..40).contains(&minute);
        let mut turn = |minutes| update(&mut tracker, minutes, bound).len();
        assert_eq!([5, 13, 14, 20, 25].map(&mut turn), [0, 1, 0, 1, 0]);
        let mut tracker = FindingTracker::new(Nanos::secs(60));
        assert_eq!(names(&update(&mut tracker, 35, bound)), [("new", FindingKind::VolumeIops, 2)]);
        assert_eq!(names(&update(&mut tracker, 60, bound)), [("ended", FindingKind::VolumeIops, 2)]);
    }
}
