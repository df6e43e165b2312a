//! Which range is asked for, and how far apart its points are.

use jiff::Timestamp;
use units::Nanos;

use crate::GatherError;

/// The most points of a series in an answer: Prometheus refuses more (web/api/v1: "exceeded maximum resolution of 11,000
/// points per timeseries").
const MOST_POINTS: u64 = 11_000;
/// Samples in a window, so that one that is late or lost leaves enough to tell a growth: what dashboards take for
/// `$__rate_interval`.
const SAMPLES: u64 = 4;
/// Histograms of a series at most, as crate `simulate` records them: each takes up to some hundred kilobytes.
const HISTOGRAMS: u64 = 200;
/// Steps that people can read.
const STEPS: [u64; 17] = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 43_200, 86_400];

/// From when until when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueryRange {
    /// Its beginning.
    pub from: Timestamp,
    /// Its end.
    pub until: Timestamp,
    /// How far apart points are, in whole seconds; else chosen from the range and from how often the server scrapes.
    pub step: Option<Nanos>,
}

/// A range on whole steps, in seconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Grid {
    pub(super) from: u64,
    pub(super) until: u64,
    pub(super) step: u64,
}

impl Grid {
    /// For scrapes so many seconds apart.
    pub(super) fn new(range: &QueryRange, scrapes: u64) -> Result<Self, GatherError> {
        let second = |at: Timestamp| u64::try_from(at.as_second()).unwrap_or(0);
        let (from, until) = (second(range.from), second(range.until));
        let span = until.saturating_sub(from);
        let step = match range.step {
            Some(step) => (step.0 / 1_000_000_000).max(1),
            None => {
                let least = (SAMPLES * scrapes.max(1)).max(span.div_ceil(MOST_POINTS));
                STEPS.into_iter().find(|step| *step >= least).unwrap_or_else(|| least.div_ceil(86_400) * 86_400)
            }
        };
        if span / step > MOST_POINTS {
            return Err(GatherError::Asked(format!(
                "a step of {step}s over {span}s makes {} points, and Prometheus answers at most {MOST_POINTS}; take a \
                 step of at least {}s",
                span / step,
                span.div_ceil(MOST_POINTS)
            )));
        }
        let grid = Self { from: from / step * step, until: until / step * step, step };
        if grid.from >= grid.until {
            return Err(GatherError::Asked(format!(
                "the range from {} to {} is shorter than a step of {step}s; take a longer one",
                range.from, range.until
            )));
        }
        Ok(grid)
    }

    /// The same range in steps long enough for histograms.
    pub(super) fn of_histograms(&self) -> Self {
        let steps = (self.until - self.from) / self.step;
        let step = self.step * steps.div_ceil(HISTOGRAMS).max(1);
        // On whole steps of its own, within the range.
        let (from, until) = (self.from.div_ceil(step) * step, self.until / step * step);
        if from < until { Self { from, until, step } } else { *self }
    }

    /// The times that points are asked for: the end of the first step to the end of the last.
    pub(super) fn form(&self) -> [(&'static str, String); 3] {
        [
            ("start", (self.from + self.step).to_string()),
            ("end", self.until.to_string()),
            ("step", self.step.to_string()),
        ]
    }

    /// A window as long as the step.
    pub(super) fn window(&self) -> String {
        format!("{}s", self.step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn range(from: i64, span: i64, step: Option<u64>) -> QueryRange {
        let at = |second| Timestamp::from_second(second).unwrap();
        QueryRange { from: at(from), until: at(from + span), step: step.map(Nanos::secs) }
    }

    #[test]
    fn the_step_follows_the_range_and_the_scrapes() {
        let step = |span, scrapes| Grid::new(&range(1_800_000_000, span, None), scrapes).unwrap().step;
        assert_eq!(step(3_600, 15), 60);
        assert_eq!(step(3_600, 1), 5);
        assert_eq!(step(14 * 86_400, 15), 120);
        assert_eq!(step(365 * 86_400, 15), 3_600);
    }

    #[test]
    fn a_step_that_makes_too_many_points_is_refused_with_one_that_does_not() {
        let error = Grid::new(&range(1_800_000_000, 86_400, Some(1)), 15).unwrap_err().to_string();
        assert!(error.contains("makes 86400 points") && error.ends_with("at least 8s"), "{error}");
        assert!(Grid::new(&range(1_800_000_000, 86_400, Some(8)), 15).is_ok());
    }

    #[test]
    fn a_range_without_a_step_in_it_is_refused() {
        for span in [-60, 0, 3] {
            let error = Grid::new(&range(1_800_000_000, span, Some(10)), 15).unwrap_err().to_string();
            assert!(error.contains("shorter than a step"), "{error}");
        }
    }

    proptest! {
        #[test]
        fn no_range_makes_too_many_points(from in 0i64..3_000_000_000, span in 0i64..400_000_000, scrapes in 0u64..400) {
            if let Ok(grid) = Grid::new(&range(from, span, None), scrapes) {
                prop_assert!((grid.until - grid.from) / grid.step <= MOST_POINTS + 1);
                prop_assert!(grid.step >= SAMPLES * scrapes);
                let coarse = grid.of_histograms();
                prop_assert!((coarse.until - coarse.from) / coarse.step <= HISTOGRAMS);
                prop_assert!(coarse.from >= grid.from && coarse.until <= grid.until);
            }
        }
    }
}
