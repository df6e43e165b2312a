//! The degraded minutes that a provider's promise leaves room for.

use catalog::ConsistencyPromise;
use rand::{RngExt, SeedableRng};
use rand_distr::Exp1;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::BehaviourConstants;

/// Spells in which a volume delivers less than promised, so often that the promise is just kept.
#[derive(Debug, Clone)]
pub(crate) struct Spells {
    rng: Xoshiro256PlusPlus,
    promise: ConsistencyPromise,
    /// The next spell, or the one that is on.
    from: f64,
    until: f64,
    delivered: f64,
}

impl Spells {
    pub(crate) fn new(promise: ConsistencyPromise, seed: u64) -> Self {
        let rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut spells = Self { rng, promise, from: 0.0, until: 0.0, delivered: 1.0 };
        spells.draw();
        spells
    }

    /// The next spell: gaps are exponential, with a mean that makes the spells' share of the time what the promise leaves;
    /// the length and the delivered share are uniform.
    fn draw(&mut self) {
        let tuning = BehaviourConstants::embedded();
        let (shortest, longest) = (tuning.degraded_spell.0.0 as f64, tuning.degraded_spell.1.0 as f64);
        let kept = self.promise.of_the_time;
        let mean_gap = (shortest + longest) / 2.0 * kept / (1.0 - kept).max(f64::MIN_POSITIVE);
        self.from = self.until + mean_gap * self.rng.sample::<f64, _>(Exp1);
        self.until = self.from + shortest + (longest - shortest) * self.rng.random::<f64>();
        let least = tuning.degraded_least.min(self.promise.delivered);
        self.delivered = least + (self.promise.delivered - least) * self.rng.random::<f64>();
    }

    /// The share of the limits delivered at an instant; instants must not go back.
    pub(crate) fn delivered(&mut self, at: f64) -> f64 {
        while at >= self.until {
            self.draw();
        }
        if at >= self.from { self.delivered } else { 1.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spells_take_the_share_of_the_time_that_the_promise_leaves() {
        let promise = ConsistencyPromise { delivered: 0.9, of_the_time: 0.99 };
        let mut spells = Spells::new(promise, 3);
        let minutes = 10 * 365 * 24 * 60;
        let shares = (0..minutes).map(|m| spells.delivered(f64::from(m) * 60e9));
        let degraded: Vec<f64> = shares.filter(|s| *s < 1.0).collect();
        assert!(degraded.iter().all(|s| *s < promise.delivered));
        let share = degraded.len() as f64 / f64::from(minutes);
        assert!((share - 0.01).abs() < 0.001, "{share}");
    }
}
