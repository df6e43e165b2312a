//! Which time, in steps that CloudWatch still has: `tables/retention.csv`.

use std::sync::LazyLock;

use jiff::{SignedDuration, Timestamp};
use units::Nanos;

use crate::AwsError;

/// For so long after a minute some of its points may still be on their way, and a sum over several minutes would be too small:
/// points of a minute take about two (Datadog's guide on the delay of cloud metrics). Those of five minutes may take ten, but
/// are never in parts.
const SETTLING: SignedDuration = SignedDuration::from_mins(5);

/// The longest period that metrics of EBS, EC2 and RDS are published in: windows are cut at its multiples, so that every
/// series has whole periods.
const LONGEST_PUBLISHED: i64 = 300;

/// A row of `tables/retention.csv`: points of that period are kept so long.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Retention {
    age_days: i64,
    period_s: i64,
    #[expect(dead_code, reason = "for readers of the table")]
    source: String,
}

static RETENTION: LazyLock<Vec<Retention>> = LazyLock::new(|| {
    let table = csv::Reader::from_reader(include_str!("../tables/retention.csv").as_bytes()).into_deserialize();
    table.collect::<Result<_, _>>().expect("tested: the table is right")
});

/// A time and the step of its points. It holds whole periods only, none of them still being filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MetricRange {
    from: i64,
    until: i64,
    step: i64,
}

impl MetricRange {
    /// From one instant to another, cut to whole periods, in the finest step that CloudWatch keeps for so old a start: a
    /// minute for 15 days, five for 63, an hour for 455.
    ///
    /// # Errors
    /// When it is empty, or starts before what CloudWatch keeps.
    pub fn new(from: Timestamp, until: Timestamp, now: Timestamp) -> Result<Self, AwsError> {
        let age = now.as_second() - from.as_second();
        let kept = RETENTION.iter().find(|kept| age <= kept.age_days * 86_400);
        let step = kept.ok_or_else(|| refused(format!("{from} is too long ago")))?.period_s;
        Self { from: from.as_second(), until: until.min(now - SETTLING).as_second(), step }.cut()
    }

    /// The last so long.
    ///
    /// # Errors
    /// As [`Range::new`].
    pub fn last(length: Nanos, now: Timestamp) -> Result<Self, AwsError> {
        let seconds = i64::try_from(length.0 / 1_000_000_000).unwrap_or(i64::MAX);
        let from = now.checked_sub(SignedDuration::from_secs(seconds));
        let from = from.map_err(|_| refused(format!("{length} is too long")))?;
        Self::new(from, now, now)
    }

    /// The same with points at least so far apart, rounded up to what every series has: fewer points for many volumes.
    ///
    /// # Errors
    /// When it is shorter than one step.
    pub fn in_steps_of(self, step: Nanos) -> Result<Self, AwsError> {
        let seconds = step.0.div_ceil(1_000_000_000).cast_signed();
        let unit = if seconds <= self.step { self.step } else { self.grid() };
        Self { step: (seconds + unit - 1).div_euclid(unit).max(1) * unit, ..self }.cut()
    }

    fn cut(self) -> Result<Self, AwsError> {
        let grid = self.grid();
        let first = (self.from + grid - 1).div_euclid(grid) * grid;
        let cut = Self { from: first, until: self.until.div_euclid(grid) * grid, ..self };
        if cut.until <= cut.from {
            let what = format!("no whole {} is over between its start and its end", Nanos::secs(grid.unsigned_abs()));
            return Err(refused(what));
        }
        Ok(cut)
    }

    /// What starts and ends are multiples of.
    fn grid(self) -> i64 {
        self.step.max(LONGEST_PUBLISHED)
    }

    /// Its start: that of its Timelines.
    pub fn from(self) -> Timestamp {
        Timestamp::from_second(self.from).expect("cut from a timestamp")
    }

    /// Its end, not part of it.
    pub fn until(self) -> Timestamp {
        Timestamp::from_second(self.until).expect("cut from a timestamp")
    }

    /// How far points are apart at least.
    pub fn step(self) -> Nanos {
        Nanos::secs(self.step.unsigned_abs())
    }

    /// Start and end in seconds of Unix time.
    pub(crate) fn seconds(self) -> (i64, i64) {
        (self.from, self.until)
    }
}

fn refused(what: String) -> AwsError {
    AwsError::Range { what, longest_days: RETENTION.last().map_or(0, |kept| kept.age_days) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    const NOW: &str = "2026-11-21T12:03:20Z";

    #[test]
    fn the_step_is_the_finest_that_is_still_kept() {
        for kept in RETENTION.iter() {
            let days = |days: i64| MetricRange::last(Nanos::secs((days * 86_400).unsigned_abs()), at(NOW));
            assert_eq!(days(kept.age_days).unwrap().step(), Nanos::secs(kept.period_s.unsigned_abs()));
            assert!(days(kept.age_days + 1).map_or(true, |longer| longer.step > kept.period_s));
        }
        let error = MetricRange::last(Nanos::secs(500 * 86_400), at(NOW)).unwrap_err();
        assert!(error.to_string().contains("455 days"), "{error}");
    }

    #[test]
    fn a_range_ends_before_what_is_still_arriving() {
        let range = MetricRange::last(Nanos::secs(3600), at(NOW)).unwrap();
        assert_eq!((range.from(), range.until()), (at("2026-11-21T11:05:00Z"), at("2026-11-21T11:55:00Z")));
    }

    #[test]
    fn an_empty_range_is_refused() {
        for (from, until) in [(NOW, "2026-11-21T11:00:00Z"), ("2026-11-21T12:00:00Z", NOW)] {
            let error = MetricRange::new(at(from), at(until), at(NOW)).unwrap_err();
            assert!(error.to_string().contains("no whole 5m is over"), "{error}");
        }
    }

    #[test]
    fn fewer_points_may_be_asked_for_but_no_more_than_are_kept() {
        let month = MetricRange::last(Nanos::secs(30 * 86_400), at(NOW)).unwrap();
        assert_eq!(month.in_steps_of(Nanos::secs(60)).unwrap().step(), Nanos::secs(300));
        assert_eq!(month.in_steps_of(Nanos::secs(3600)).unwrap().step(), Nanos::secs(3600));
        assert!(month.in_steps_of(Nanos::secs(100 * 86_400)).is_err());
    }

    proptest! {
        #[test]
        fn a_range_is_whole_periods_within_what_was_asked_for(
            seconds in 0u64..500 * 86_400, step in 0u64..8000, now in 1_000_000_000i64..2_000_000_000,
        ) {
            let now = Timestamp::from_second(now).unwrap();
            let range = MetricRange::last(Nanos::secs(seconds), now).and_then(|all| all.in_steps_of(Nanos::secs(step)));
            if let Ok(range) = range {
                prop_assert_eq!((range.until - range.from) % range.step, 0);
                prop_assert!(range.until() <= now - SETTLING);
                prop_assert!(range.from() >= now - SignedDuration::from_secs(seconds.cast_signed()));
                prop_assert!(range.step() >= Nanos::secs(step) && range.from < range.until);
            }
        }
    }
}
