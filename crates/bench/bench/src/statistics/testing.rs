//! Series with known properties.

use rand::{RngExt, SeedableRng};
use rand_distr::StandardNormal;
use rand_xoshiro::Xoshiro256PlusPlus;

pub(crate) fn random(seed: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed)
}

/// A normal autoregressive series around `mean`: each deviation keeps the share `memory` of the one before. Its
/// deviation is 1 whatever the memory.
pub(crate) fn autoregressive(mean: f64, memory: f64, length: usize, random: &mut Xoshiro256PlusPlus) -> Vec<f64> {
    let mut deviation: f64 = random.sample(StandardNormal);
    let fresh = (1.0 - memory * memory).sqrt();
    let step = |_| {
        let noise: f64 = random.sample(StandardNormal);
        deviation = memory * deviation + fresh * noise;
        mean + deviation
    };
    (0..length).map(step).collect()
}
