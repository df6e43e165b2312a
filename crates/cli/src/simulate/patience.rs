//! How long a simulation may take, guessed from its first seconds.

use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

use units::Nanos;

use crate::failure::Failure;

/// Nothing is guessed before: the first steps of a run are not like the others.
const FIRST: Duration = Duration::from_secs(5);
/// Nor after: who has waited so long waits on.
const LAST: Duration = Duration::from_secs(60);

/// How long somebody waits for a simulation.
#[derive(Debug)]
pub(super) struct Patience {
    began: Instant,
    most: Duration,
    /// When virtual time began: until then a cluster is built.
    built: OnceLock<Duration>,
    gave_up: Mutex<Option<GivenUp>>,
}

/// Why a simulation was not waited for.
#[derive(Debug, Clone, Copy)]
enum GivenUp {
    /// Nothing was simulated in all the time.
    Nothing,
    /// It would take so long, going by the share that was done.
    Guess(Duration, f64),
}

impl Patience {
    /// For so long.
    pub(super) fn new(most: Nanos) -> Self {
        let most = Duration::from_nanos(most.0);
        Self { began: Instant::now(), most, built: OnceLock::new(), gave_up: Mutex::new(None) }
    }

    /// Whether to go on when a share (0 to 1) is done.
    pub(super) fn lasts(&self, done: f64) -> bool {
        let elapsed = self.began.elapsed();
        let mut gave_up = self.gave_up.lock().expect("nobody panics with it");
        if gave_up.is_some() {
            return false;
        }
        if done <= 0.0 {
            *gave_up = (elapsed > self.most).then_some(GivenUp::Nothing);
            return gave_up.is_none();
        }
        let built = *self.built.get_or_init(|| elapsed);
        let simulating = elapsed.saturating_sub(built);
        if simulating < FIRST.min(self.most) || elapsed > LAST.max(self.most) {
            return true;
        }
        let takes = Duration::try_from_secs_f64(built.as_secs_f64() + simulating.as_secs_f64() / done.max(1e-12));
        let takes = takes.unwrap_or(Duration::MAX);
        *gave_up = (takes > self.most).then_some(GivenUp::Guess(takes, done));
        gave_up.is_none()
    }

    /// How long is left when a share is done.
    pub(super) fn left(&self, done: f64) -> Nanos {
        let built = self.built.get().copied().unwrap_or_default().as_secs_f64();
        Nanos::from_secs_f64((self.seconds() - built) * (1.0 - done).max(0.0) / done.max(1e-12))
    }

    /// Seconds since the beginning.
    pub(super) fn seconds(&self) -> f64 {
        self.began.elapsed().as_secs_f64()
    }

    /// Refuses what was given up.
    pub(super) fn kept(&self) -> Result<(), Failure> {
        match *self.gave_up.lock().expect("nobody panics with it") {
            None => Ok(()),
            Some(GivenUp::Nothing) => Err(Failure::input(format!(
                "after {:.0} s its time has not begun yet; simulate fewer nodes or less load, or wait with --patience {}",
                self.seconds(),
                rounded(self.most.saturating_mul(10))
            ))),
            Some(GivenUp::Guess(takes, done)) => Err(Failure::input(format!(
                "this would take about {} here, of which {:.2e} is done after {:.0} s; simulate less with --for, or wait \
                 with --patience {}",
                rounded(takes),
                done,
                self.seconds(),
                rounded(takes.saturating_add(takes / 2))
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
    fn who_waits_for_a_cluster_to_be_built_waits_no_longer_than_was_said() {
        let patience = Patience::new(Nanos::millis(20));
        assert!(patience.lasts(0.0), "the time has not passed");
        std::thread::sleep(Duration::from_millis(30));
        assert!(!patience.lasts(0.0) && !patience.lasts(0.5), "it has, and nothing begins after it");
        assert!(patience.kept().unwrap_err().message.contains("its time has not begun yet"));
    }

    #[test]
    fn what_building_took_is_no_measure_of_what_is_simulated() {
        let patience = Patience::new(Nanos::secs(2));
        std::thread::sleep(Duration::from_millis(2100));
        assert!(patience.lasts(1e-9), "nothing has been simulated for a time yet");
    }

    #[test]
    fn a_span_is_told_in_the_largest_unit_of_which_it_has_two() {
        for (seconds, text) in [(1, "1s"), (100, "100s"), (7000, "117m"), (90_000, "25h"), (400_000, "5d")] {
            let said = rounded(Duration::from_secs(seconds));
            assert_eq!(said, text.parse().unwrap());
        }
    }
}
