//! What every Timeline keeps to, so that no verb has to ask again, and how large one may be.

use std::collections::BTreeSet;

use units::Nanos;

use crate::{LatencyHistogram, Series, SeriesPoints, Timeline, TimelineError, TimelineInfo};

/// The most points of a Timeline: 1.2 GB of numbers in memory. A day of 40 series, second by second, is a fourteenth.
pub(crate) const MOST_POINTS: u64 = 50_000_000;

/// The latest end of a point: files hold times as signed 64-bit nanoseconds, which every tool reads.
pub(crate) const LATEST: Nanos = Nanos(i64::MAX as u64);

/// The longest name of a series or label, in bytes. CloudWatch allows 255 characters.
const LONGEST_NAME: usize = 1024;

/// The longest set of labels of one series, in bytes of text.
pub(crate) const LONGEST_LABELS: usize = 8 * 1024;

/// The longest title and notes of a Timeline, in bytes of text.
pub(crate) const LONGEST_ABOUT: usize = 1024 * 1024;

/// Significant decimal digits of every histogram: values are off by a thousandth at most.
pub(crate) const DIGITS: u8 = 3;

impl Timeline {
    /// Whether points are intervals, in order, not overlapping, finite; names are such as every format can hold; no
    /// series is there twice; and histograms are as [`crate::latencies`] makes them.
    ///
    /// # Errors
    /// The first that is not so, with series and time.
    pub fn validate(&self) -> Result<(), TimelineError> {
        self.about.validate()?;
        let points = self.series.iter().map(|series| series.points.len() as u64).sum();
        if points > MOST_POINTS {
            return Err(TimelineError::TooManyPoints { points, most: MOST_POINTS });
        }
        let mut seen = BTreeSet::new();
        for series in &self.series {
            series.validate()?;
            if !seen.insert((&series.name, &series.labels)) {
                return Err(TimelineError::Twice { series: series.to_string() });
            }
        }
        Ok(())
    }
}

impl TimelineInfo {
    fn validate(&self) -> Result<(), TimelineError> {
        let bytes = self.title.len() + self.notes.iter().map(|(key, value)| key.len() + value.len()).sum::<usize>();
        if bytes > LONGEST_ABOUT {
            let what = "the title with the notes".to_owned();
            return Err(TimelineError::TooLong { what, bytes, longest: LONGEST_ABOUT });
        }
        Ok(())
    }
}

impl Series {
    fn validate(&self) -> Result<(), TimelineError> {
        name(&self.name)?;
        self.labels.keys().try_for_each(|key| name(key))?;
        let bytes = self.labels.iter().map(|(key, value)| key.len() + value.len()).sum();
        if bytes > LONGEST_LABELS {
            let what = format!("the labels of {}", self.name);
            return Err(TimelineError::TooLong { what, bytes, longest: LONGEST_LABELS });
        }
        match &self.points {
            SeriesPoints::Values(_, points) => {
                self.intervals(points.iter().map(|point| (point.from, point.until)))?;
                points.iter().find(|point| !point.value.is_finite()).map_or(Ok(()), |point| {
                    Err(TimelineError::NotFinite { series: self.to_string(), from: point.from, value: point.value })
                })
            }
            SeriesPoints::Latencies(points) => {
                self.intervals(points.iter().map(|point| (point.from, point.until)))?;
                points.iter().try_for_each(|point| {
                    histogram(&point.histogram).map_err(|fault| TimelineError::Histogram {
                        series: self.to_string(),
                        from: point.from,
                        fault,
                    })
                })
            }
        }
    }

    fn intervals(&self, intervals: impl Iterator<Item = (Nanos, Nanos)>) -> Result<(), TimelineError> {
        let mut before = Nanos(0);
        for (from, until) in intervals {
            if until <= from {
                return Err(TimelineError::NoInterval { series: self.to_string(), from, until });
            }
            if until > LATEST {
                return Err(TimelineError::TooLate { series: self.to_string(), until });
            }
            if from < before {
                return Err(TimelineError::Overlap { series: self.to_string(), from, until: before });
            }
            before = until;
        }
        Ok(())
    }
}

/// A first character of `=`, `+`, `-` or `@` would make a spreadsheet calculate instead of show.
fn name(name: &str) -> Result<(), TimelineError> {
    let starts_well = name.starts_with(|first: char| first.is_alphanumeric() || first == '_' || first == ':');
    if starts_well && name.len() <= LONGEST_NAME && !name.contains(char::is_control) {
        return Ok(());
    }
    let shown = name.chars().take(100).collect();
    Err(TimelineError::Name { name: shown, longest: LONGEST_NAME })
}

/// Histograms merge without loss only if all have the same buckets.
fn histogram(latency: &LatencyHistogram) -> Result<(), String> {
    if latency.sigfig() != DIGITS || latency.low() != 1 {
        let (digits, low) = (latency.sigfig(), latency.low());
        return Err(format!("has {digits} digits from {low} ns up, expected {DIGITS} from 1 ns up"));
    }
    if latency.len() > i64::MAX as u64 { Err("counts more than 2^63 latencies".to_owned()) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{point, timeline, values};
    use crate::{LatencyPoint, MergeRule, SeriesUnit, latencies};

    fn message(series: Series) -> String {
        timeline(vec![series]).validate().unwrap_err().to_string()
    }

    #[test]
    fn points_that_touch_are_in_order() {
        timeline(vec![values("ops", MergeRule::Sum, vec![point(0, 1, 5.0), point(1, 2, 5.0)])]).validate().unwrap();
    }

    #[test]
    fn points_that_overlap_are_refused_with_their_times() {
        let series = values("ops", MergeRule::Sum, vec![point(0, 2, 5.0), point(1, 3, 5.0)]);
        assert_eq!(message(series), "ops: the point from 1s starts before the one before it ends, at 2s");
    }

    #[test]
    fn a_point_without_length_is_refused() {
        let series = values("ops", MergeRule::Sum, vec![point(2, 2, 5.0)]);
        assert_eq!(message(series), "ops: the point from 2s ends at 2s, expected a later end");
    }

    #[test]
    fn infinity_is_refused() {
        let series = values("ops", MergeRule::Mean, vec![point(0, 1, f64::INFINITY)]);
        assert!(message(series).starts_with("ops: the point from 0ns is inf, expected a finite number"));
    }

    #[test]
    fn a_time_that_no_file_holds_is_refused() {
        let series =
            values("ops", MergeRule::Sum, vec![crate::SeriesPoint { from: Nanos(0), until: Nanos::MAX, value: 1.0 }]);
        assert!(message(series).contains("expected at most 292 years"));
    }

    #[test]
    fn a_name_that_a_spreadsheet_would_calculate_is_refused() {
        for name in ["=1+1", "-x", "", "two\nlines"] {
            assert!(message(values(name, MergeRule::Sum, vec![])).contains("cannot name a series"), "{name:?}");
        }
    }

    #[test]
    fn a_series_that_is_there_twice_is_refused() {
        let series = values("ops", MergeRule::Sum, vec![]);
        let message = timeline(vec![series.clone(), series]).validate().unwrap_err().to_string();
        assert_eq!(message, "ops is there twice: give one of them another label");
    }

    #[test]
    fn a_coarser_histogram_is_refused() {
        let point = |histogram| LatencyPoint { from: Nanos(0), until: Nanos(1), histogram };
        let series = |histogram| Series {
            points: SeriesPoints::Latencies(vec![point(histogram)]),
            unit: SeriesUnit::None,
            ..values("read_latency", MergeRule::Sum, vec![])
        };
        timeline(vec![series(latencies())]).validate().unwrap();
        assert_eq!(
            message(series(LatencyHistogram::new(2).unwrap())),
            "read_latency: the histogram from 0ns has 2 digits from 1 ns up, expected 3 from 1 ns up"
        );
    }
}
