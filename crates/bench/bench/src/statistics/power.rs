//! How many runs would show a difference.

use super::mean::t_quantile;

/// Chance that a difference that is there is seen: the customary 80 % (Cohen, "Statistical power analysis", 1988).
const POWER: f64 = 0.8;

/// More pairs than this nobody runs.
const MOST: usize = 10_000;

/// The least number of pairs for which a paired t-test at 5 % sees `difference`, given the standard deviation of the
/// differences between pairs, in 80 of 100 cases; `None` if that is more than 10,000 or cannot be told.
pub fn pairs_needed(difference: f64, deviation: f64) -> Option<usize> {
    let seen = |pairs: &usize| {
        let freedom = (pairs - 1) as f64;
        let reach = (t_quantile(0.975, freedom) + t_quantile(POWER, freedom)) * deviation / (*pairs as f64).sqrt();
        reach <= difference.abs()
    };
    // Doubling, then halving: the reach falls with the pairs.
    let mut high = 2;
    while !seen(&high) {
        high *= 2;
        if high > MOST || !deviation.is_finite() || difference == 0.0 {
            return None;
        }
    }
    let mut low = 2.max(high / 2);
    while low < high {
        let middle = (low + high) / 2;
        if seen(&middle) { high = middle } else { low = middle + 1 }
    }
    Some(high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::mean;
    use crate::statistics::testing::{autoregressive, random};

    #[test]
    fn one_deviation_needs_ten_pairs() {
        // Cohen's tables, paired test: 10 pairs for an effect of 1, 34 for an effect of 0.5.
        assert!(pairs_needed(1.0, 1.0).is_some_and(|pairs| pairs.abs_diff(10) <= 1));
        assert!(pairs_needed(0.5, 1.0).is_some_and(|pairs| pairs.abs_diff(34) <= 1));
        assert_eq!(pairs_needed(0.0, 1.0), None);
        assert_eq!(pairs_needed(1.0, f64::NAN), None);
        assert_eq!(pairs_needed(1.0, 0.0), Some(2));
    }

    #[test]
    fn that_many_pairs_see_the_difference_four_times_of_five() {
        let pairs = pairs_needed(0.8, 1.0).unwrap();
        let mut random = random(8);
        let seen = |_: &u32| {
            let found = mean(&autoregressive(0.8, 0.0, pairs, &mut random)).unwrap();
            found.mean > found.half_width
        };
        let seen = (0..2000).filter(seen).count();
        assert!((1540..1680).contains(&seen), "{seen} of 2000 with {pairs} pairs");
    }
}
