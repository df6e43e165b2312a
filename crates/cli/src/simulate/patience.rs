//! How long a simulation may take, guessed from its first seconds.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use units::Nanos;

use crate::failure::Failure;

/// Nothing is guessed before: the first steps of a run are not like the others.
const FIRST: Duration = Duration::from_secs(5);
/// Nor after: who has waited so long waits on.
const LAST: Duration = Duration::from_secs(60);

/// Whoever waits for a simulation.
#[derive(Debug)]
pub(super) struct Patience {
    began: Instant,
    most: Duration,
    gave_up: Mutex<Option<(Duration, f64)>>,
}

impl Patience {
    /// For so long.
    pub(super) fn new(most: Nanos) -> Self {
        Self { began: Instant::now(), most: Duration::from_nanos(most.0), gave_up: Mutex::new(None) }
    }

    /// Whether to go on when a share (0 to 1) is done.
    pub(super) fn lasts(&self, done: f64) -> bool {
        let elapsed = self.began.elapsed();
        if elapsed < FIRST.min(self.most) || elapsed > LAST.max(self.most) {
            return true;
        }
        let mut gave_up = self.gave_up.lock().expect("nobody panics with it");
        let takes = Duration::try_from_secs_f64(elapsed.as_secs_f64() / done.max(1e-12)).unwrap_or(Duration::MAX);
        if takes > self.most && gave_up.is_none() {
            *gave_up = Some((takes, done));
        }
        gave_up.is_none()
    }

    /// How long is left when a share is done.
    pub(super) fn left(&self, done: f64) -> Nanos {
        Nanos::from_secs_f64(self.seconds() * (1.0 - done).max(0.0) / done.max(1e-12))
    }

    /// Seconds since the beginning.
    pub(super) fn seconds(&self) -> f64 {
        self.began.elapsed().as_secs_f64()
    }

    /// Refuses what was given up.
    pub(super) fn kept(&self) -> Result<(), Failure> {
        match *self.gave_up.lock().expect("nobody panics with it") {
            None => Ok(()),
            Some((takes, done)) => Err(Failure::input(format!(
                "this would take about {} here, of which {:.2e} is done after {:.0} s; simulate less with --for, or wait \
                 with --patience {}",
                rounded(takes),
                done,
                self.seconds(),
                rounded(takes + takes / 2)
            ))),
        }
    }
}

/// A span that people wait: whole days, hours, minutes or seconds, rounded up.
fn rounded(span: Duration) -> Nanos {
    let seconds = span.as_secs_f64();
    let unit = [86_400.0, 3600.0, 60.0].into_iter().find(|unit| seconds >= 2.0 * unit).unwrap_or(1.0);
    Nanos::from_secs_f64((seconds / unit).ceil() * unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_is_told_in_the_largest_unit_of_which_it_has_two() {
        for (seconds, text) in [(1, "1s"), (100, "100s"), (7000, "117m"), (90_000, "25h"), (400_000, "5d")] {
            let said = rounded(Duration::from_secs(seconds));
            assert_eq!(said, text.parse().unwrap());
        }
    }
}
