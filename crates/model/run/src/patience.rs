//! Patience for an answer that is computed: its duration, estimated from its first seconds, against what a person is willing to wait.
//!
//! Elapsed real time comes in as an argument; nothing here reads a clock.

use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use units::Nanos;

/// No estimate before this: the first steps of a run are not like the others.
const FIRST: Duration = Duration::from_secs(5);
/// No estimate after this: a person who has waited so long waits on.
const LAST: Duration = Duration::from_secs(60);

/// What is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ComputedAnswer {
    /// A simulation, or a sweep of them. Its cluster is built before any share of it is done.
    Simulation,
    /// Plans. The first are found before any share of the sampled futures is done.
    Plan,
}

impl ComputedAnswer {
    /// Why no share is done yet, and how to ask for less.
    fn not_begun(self) -> &'static str {
        match self {
            Self::Simulation => "its time has not begun yet; simulate fewer nodes or less load",
            Self::Plan => {
                "the first plans are not found yet; leave fewer choices with --pin or --exclude, or show less with --top"
            }
        }
    }

    /// How to ask for less.
    fn less(self) -> &'static str {
        match self {
            Self::Simulation => "simulate less with --for",
            Self::Plan => "sample less with --futures",
        }
    }
}

/// Decides whether a computation goes on.
#[derive(Debug)]
pub struct AnswerPatience {
    answer: ComputedAnswer,
    most: Duration,
    /// Elapsed time when the first share was done.
    built: OnceLock<Duration>,
    gave_up: Mutex<Option<PatienceError>>,
}

/// Why a computation was given up.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum PatienceError {
    /// No share was done.
    #[error(
        "after {:.0} s {}, or wait with --patience {}",
        .elapsed.as_secs_f64(),
        .answer.not_begun(),
        rounded(.most.saturating_mul(10))
    )]
    NotBegun {
        /// What was waited for.
        answer: ComputedAnswer,
        /// Time waited.
        elapsed: Duration,
        /// The patience.
        most: Duration,
    },
    /// The estimate exceeds the patience.
    #[error(
        "this would take about {} here, of which {done:.2e} is done after {:.0} s; {}, or wait with --patience {}",
        rounded(*.takes),
        .elapsed.as_secs_f64(),
        .answer.less(),
        rounded(.takes.saturating_add(*.takes / 2))
    )]
    TooLong {
        /// What was waited for.
        answer: ComputedAnswer,
        /// Estimated duration of all of it.
        takes: Duration,
        /// Share that was done, 0 to 1.
        done: f64,
        /// Time waited.
        elapsed: Duration,
    },
}

impl AnswerPatience {
    /// A patience of `most`.
    pub fn new(answer: ComputedAnswer, most: Nanos) -> Self {
        Self { answer, most: Duration::from_nanos(most.0), built: OnceLock::new(), gave_up: Mutex::new(None) }
    }

    /// Whether to go on when the share `done` (0 to 1) is done after `elapsed`. Once it says no, it stays with that.
    pub fn lasts(&self, elapsed: Duration, done: f64) -> bool {
        let mut gave_up = self.gave_up.lock().unwrap_or_else(PoisonError::into_inner);
        if gave_up.is_some() {
            return false;
        }
        if done <= 0.0 {
            *gave_up = (elapsed > self.most).then_some(PatienceError::NotBegun {
                answer: self.answer,
                elapsed,
                most: self.most,
            });
            return gave_up.is_none();
        }
        let built = *self.built.get_or_init(|| elapsed);
        let computing = elapsed.saturating_sub(built);
        if computing < FIRST.min(self.most) || elapsed > LAST.max(self.most) {
            return true;
        }
        let takes = Duration::try_from_secs_f64(built.as_secs_f64() + computing.as_secs_f64() / done.max(1e-12));
        let takes = takes.unwrap_or(Duration::MAX);
        *gave_up = (takes > self.most).then_some(PatienceError::TooLong { answer: self.answer, takes, done, elapsed });
        gave_up.is_none()
    }

    /// Estimated time left when the share `done` is done after `elapsed`.
    pub fn left(&self, elapsed: Duration, done: f64) -> Nanos {
        let built = self.built.get().copied().unwrap_or_default();
        let computing = elapsed.saturating_sub(built).as_secs_f64();
        Nanos::from_secs_f64(computing * (1.0 - done).max(0.0) / done.max(1e-12))
    }

    /// Whether it lasted to the end.
    ///
    /// # Errors
    /// When it was given up.
    pub fn lasted(&self) -> Result<(), PatienceError> {
        self.gave_up.lock().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }
}

/// A span as people wait it: whole days, hours, minutes or seconds, rounded up.
fn rounded(span: Duration) -> Nanos {
    let seconds = span.as_secs_f64();
    let unit = [86_400.0, 3600.0, 60.0].into_iter().find(|unit| seconds >= 2.0 * unit).unwrap_or(1.0);
    Nanos::from_secs_f64((seconds / unit).ceil() * unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn building_a_cluster_is_waited_for_no_longer_than_the_patience() {
        let patience = AnswerPatience::new(ComputedAnswer::Simulation, Nanos::millis(20));
        assert!(patience.lasts(ms(20), 0.0), "the time has not passed");
        assert!(!patience.lasts(ms(30), 0.0) && !patience.lasts(ms(31), 0.5), "it has, and nothing begins after it");
        assert!(patience.lasted().unwrap_err().to_string().contains("its time has not begun yet"));
    }

    #[test]
    fn the_time_of_building_does_not_enter_the_estimate() {
        let patience = AnswerPatience::new(ComputedAnswer::Simulation, Nanos::secs(2));
        assert!(patience.lasts(ms(2100), 1e-9), "nothing has been simulated for a time yet");
    }

    #[test]
    fn a_simulation_that_would_take_too_long_is_given_up_with_the_estimate() {
        let patience = AnswerPatience::new(ComputedAnswer::Simulation, Nanos::secs(100));
        assert!(patience.lasts(ms(1000), 1e-9));
        assert!(patience.lasts(ms(11_000), 0.5), "ten seconds more are left");
        assert_eq!(patience.left(ms(11_000), 0.5), Nanos::secs(10));
        assert!(!patience.lasts(ms(11_000), 0.01));
        let takes = Duration::from_secs(1001);
        let answer = ComputedAnswer::Simulation;
        assert_eq!(patience.lasted(), Err(PatienceError::TooLong { answer, takes, done: 0.01, elapsed: ms(11_000) }));
    }

    #[test]
    fn what_is_given_up_says_how_to_ask_for_less_of_it() {
        for (answer, options) in
            [(ComputedAnswer::Simulation, ["nodes", "--for"]), (ComputedAnswer::Plan, ["--pin", "--futures"])]
        {
            for (done, option) in [0.0, 0.001].into_iter().zip(options) {
                let patience = AnswerPatience::new(answer, Nanos::secs(10));
                let _ = patience.lasts(ms(0), done) && patience.lasts(ms(11_000), done);
                let told = patience.lasted().unwrap_err().to_string();
                assert!(told.contains(option) && told.contains("--patience"), "{told}");
            }
        }
    }

    #[test]
    fn a_span_is_rounded_to_the_largest_unit_of_which_it_has_two() {
        for (seconds, text) in [(1, "1s"), (100, "100s"), (7000, "117m"), (90_000, "25h"), (400_000, "5d")] {
            assert_eq!(rounded(Duration::from_secs(seconds)), text.parse().unwrap());
        }
    }
}
