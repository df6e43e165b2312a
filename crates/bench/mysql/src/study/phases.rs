//! Before and after the first side's credits are gone.

use bench::compare::RunDifference;
use units::Nanos;

use crate::SqlRun;
use crate::counters::DATA;

/// Credits count as gone below this share of a full bucket, in percent: of a gp2 2,700, which a surplus
/// of some thousand I/Os a second spends within [`SETTLE`].
const EMPTY: f64 = 0.05;

/// Seconds left out after credits are gone: queues fill.
const SETTLE: Nanos = Nanos::secs(2);

/// A phase shorter than this says nothing.
const LEAST: Nanos = Nanos::secs(3);

/// When the credits of the data disk were gone, counted from when the run was measured; `None` if they lasted or there are none.
pub fn exhausted(found: &SqlRun) -> Option<Nanos> {
    let balance = found.timeline.select("io_balance", DATA).next()?;
    let gone = balance.points().iter().find(|point| point.until > found.from && point.value < EMPTY)?;
    (gone.from < found.until).then(|| gone.from.max(found.from) - found.from)
}

/// What B gains over A in rows a minute.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct StudyGain {
    /// Rows a minute of A and of B, and their ratio with its interval over the pairs.
    pub rows_per_minute: RunDifference,
    /// Requests a second of the data disks, in the mean of all runs.
    pub iops: [f64; 2],
    /// Their requests in flight.
    pub queue_depth: [f64; 2],
    /// Seconds of a run, in the mean.
    pub seconds: f64,
}

/// Both phases; one is `None` where it was not seen in every pair.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct StudyPhases {
    /// When A's credits were gone, in seconds from when it was measured, of each pair.
    pub exhausted_s: Vec<Option<f64>>,
    /// While there were credits.
    pub before: Option<StudyGain>,
    /// Without.
    pub after: Option<StudyGain>,
}

/// The phases of pairs of runs: A's credits say when the one ends, for both.
pub fn phases(pairs: &[[SqlRun; 2]]) -> StudyPhases {
    let gone: Vec<Option<Nanos>> = pairs.iter().map(|[a, _]| exhausted(a)).collect();
    let length = |[a, b]: &[SqlRun; 2]| (a.until - a.from).min(b.until - b.from);
    let whole = pairs.iter().zip(&gone);
    let before: Vec<_> = whole.clone().map(|(pair, gone)| (Nanos(0), gone.unwrap_or(length(pair)))).collect();
    let after: Vec<_> = whole.map(|(pair, gone)| (gone.map_or(length(pair), |at| at + SETTLE), length(pair))).collect();
    StudyPhases {
        exhausted_s: gone.iter().map(|at| at.map(Nanos::as_secs_f64)).collect(),
        before: gain(pairs, &before),
        after: gain(pairs, &after),
    }
}

/// What B gains in these windows, one for each pair; `None` if one is too short.
fn gain(pairs: &[[SqlRun; 2]], windows: &[(Nanos, Nanos)]) -> Option<StudyGain> {
    if pairs.is_empty() || windows.iter().any(|(from, until)| *until < *from + LEAST) {
        return None;
    }
    let seen: Vec<[Seen; 2]> = pairs
        .iter()
        .zip(windows)
        .map(|(pair, window)| Some([Seen::of(&pair[0], *window)?, Seen::of(&pair[1], *window)?]))
        .collect::<Option<_>>()?;
    let rows: Vec<(f64, f64)> = seen.iter().map(|[a, b]| (a.rows_per_minute, b.rows_per_minute)).collect();
    let mean = |of: fn(&Seen) -> f64| {
        [0, 1].map(|side| seen.iter().map(|pair| of(&pair[side])).sum::<f64>() / seen.len() as f64)
    };
    let seconds =
        windows.iter().map(|(from, until)| (*until - *from).as_secs_f64()).sum::<f64>() / windows.len() as f64;
    Some(StudyGain {
        rows_per_minute: RunDifference::of_pairs(&rows),
        iops: mean(|seen| seen.iops),
        queue_depth: mean(|seen| seen.queue_depth),
        seconds,
    })
}

/// What a stretch of a run showed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Seen {
    pub(crate) rows_per_minute: f64,
    pub(crate) iops: f64,
    pub(crate) queue_depth: f64,
    pub(crate) balance: Option<f64>,
}

impl Seen {
    /// The window counts from when the run was measured. `None` where no rows were counted.
    pub(crate) fn of(found: &SqlRun, (from, until): (Nanos, Nanos)) -> Option<Self> {
        let (from, until) = (found.from + from, found.from + until);
        let seconds = (until - from).as_secs_f64();
        let value = |name: &str| found.timeline.select(name, DATA).find_map(|series| series.value(from, until));
        let rows = found.timeline.find("rows_added_per_second", &[])?.value(from, until)?;
        Some(Self {
            rows_per_minute: 60.0 * rows,
            iops: (value("read_ops").unwrap_or(0.0) + value("write_ops").unwrap_or(0.0)) / seconds,
            queue_depth: value("queue_depth").unwrap_or(0.0),
            balance: crate::counters::last(&found.timeline, "io_balance", until),
        })
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::collections::BTreeMap;

    use timeline::{MergeRule, Series, SeriesPoint, SeriesPoints, SeriesUnit, Timeline};

    use super::*;

    /// A run of 30 s after 10 s of something else: rows a second and the balance of each second, twice the rows as writes.
    pub(crate) fn run(rows: impl Fn(u64) -> f64, balance: Option<fn(u64) -> f64>) -> SqlRun {
        let series = |name: &str, merge, labels: &[(&str, &str)], value: &dyn Fn(u64) -> f64| Series {
            name: name.to_owned(),
            labels: labels.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect(),
            unit: SeriesUnit::None,
            points: SeriesPoints::Values(
                merge,
                (0..40)
                    .map(|at| SeriesPoint { from: Nanos::secs(at), until: Nanos::secs(at + 1), value: value(at) })
                    .collect(),
            ),
        };
        let data = [("disk", "data"), ("node", "n1")];
        let mut all = vec![
            series("rows_added_per_second", MergeRule::Mean, &[], &rows),
            series("write_ops", MergeRule::Sum, &data, &|at| 2.0 * rows(at)),
            series("queue_depth", MergeRule::Mean, &data, &|_| 7.0),
        ];
        all.extend(balance.map(|balance| series("io_balance", MergeRule::Mean, &data, &balance)));
        SqlRun {
            timeline: Timeline { series: all, ..Timeline::default() },
            from: Nanos::secs(10),
            until: Nanos::secs(40),
            ..crate::findings::testing::nothing()
        }
    }

    #[test]
    fn the_phases_part_where_the_first_sides_credits_are_gone() {
        let gp2 = || run(|at| if at < 20 { 100.0 } else { 80.0 }, Some(|at| if at < 20 { 1.0 } else { 0.0 }));
        let io1 = || run(|_| 100.0, None);
        let found = phases(&[[gp2(), io1()], [gp2(), io1()]]);
        assert_eq!(found.exhausted_s, [Some(10.0), Some(10.0)]);
        let (before, after) = (found.before.unwrap(), found.after.unwrap());
        assert!((before.rows_per_minute.ratio - 1.0).abs() < 1e-9);
        assert!((after.rows_per_minute.ratio - 100.0 / 80.0).abs() < 1e-9);
        assert_eq!((after.rows_per_minute.a, after.rows_per_minute.b), (60.0 * 80.0, 60.0 * 100.0));
        assert_eq!((after.iops, after.queue_depth), ([160.0, 200.0], [7.0, 7.0]));
    }

    #[test]
    fn credits_that_last_leave_no_phase_after() {
        let found = phases(&[[run(|_| 5.0, Some(|_| 50.0)), run(|_| 5.0, None)]]);
        assert_eq!((found.exhausted_s, found.after), (vec![None], None));
        assert!(found.before.is_some());
    }

    #[test]
    fn credits_gone_before_the_measuring_leave_no_phase_before() {
        let found = phases(&[[run(|_| 5.0, Some(|_| 0.0)), run(|_| 6.0, None)]]);
        assert_eq!(found.exhausted_s, [Some(0.0)]);
        assert!(found.before.is_none() && found.after.is_some());
    }

    #[test]
    fn labels_of_other_disks_do_not_count() {
        let mut found = run(|_| 5.0, Some(|_| 50.0));
        let redo = BTreeMap::from([("disk".to_owned(), "redo".to_owned())]);
        let mut other = found.timeline.series.last().cloned().unwrap();
        other.labels = redo;
        other.points = SeriesPoints::Values(
            MergeRule::Mean,
            vec![SeriesPoint { from: Nanos::secs(15), until: Nanos::secs(16), value: 0.0 }],
        );
        found.timeline.series.push(other);
        assert_eq!(exhausted(&found), None);
    }
}
