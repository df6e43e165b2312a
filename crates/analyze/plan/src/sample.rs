//! Futures of an uncertain workload, spread evenly over its intervals.

use rand::{RngExt, SeedableRng, seq::SliceRandom};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Quantiles (0 to 1) of `inputs` inputs in each of `futures` futures: a Latin hypercube, so that each input by itself is spread
/// evenly however few the futures (McKay, Beckman and Conover 1979). The same seed gives the same futures.
pub(crate) fn quantiles(inputs: usize, futures: usize, seed: u64) -> Vec<Vec<f64>> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut sampled = vec![Vec::with_capacity(inputs); futures];
    for _ in 0..inputs {
        let mut strata: Vec<usize> = (0..futures).collect();
        strata.shuffle(&mut random);
        for (future, stratum) in sampled.iter_mut().zip(strata) {
            future.push((stratum as f64 + random.random::<f64>()) / futures as f64);
        }
    }
    sampled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_input_meets_every_hundredth_of_its_interval_once_in_a_hundred_futures() {
        let sampled = quantiles(3, 100, 7);
        for input in 0..3 {
            let mut met: Vec<usize> = sampled.iter().map(|future| (future[input] * 100.0) as usize).collect();
            met.sort_unstable();
            assert_eq!(met, (0..100).collect::<Vec<_>>());
        }
    }

    #[test]
    fn the_seed_decides_the_futures() {
        assert_eq!(quantiles(2, 50, 1), quantiles(2, 50, 1));
        assert_ne!(quantiles(2, 50, 1), quantiles(2, 50, 2));
    }
}
