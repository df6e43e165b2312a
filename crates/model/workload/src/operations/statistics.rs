//! What the tests ask of draws.

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

pub(crate) fn random(seed: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed)
}

/// Pearson's chi-squared test of counts against shares at the level of 1 in 10,000; since the seed is fixed it never
/// flakes. Cells are joined until each expects five, as the test asks. The bound is Wilson and Hilferty's (1931).
pub(crate) fn chi_squared_fits(seen: &[u64], shares: &[f64]) {
    const SIGMAS: f64 = 3.719;
    let total: u64 = seen.iter().sum();
    let whole: f64 = shares.iter().sum();
    assert!((whole - 1.0).abs() < 1e-6, "shares sum to {whole}");
    let (mut statistic, mut cells) = (0.0, 0u32);
    let (mut got, mut expected) = (0.0, 0.0);
    for (seen, share) in seen.iter().zip(shares) {
        got += *seen as f64;
        expected += share * total as f64;
        if expected >= 5.0 {
            statistic += (got - expected) * (got - expected) / expected;
            cells += 1;
            (got, expected) = (0.0, 0.0);
        }
    }
    assert!(cells > 1, "too few draws");
    let freedom = f64::from(cells - 1);
    let spread = 2.0 / (9.0 * freedom);
    let bound = freedom * (1.0 - spread + SIGMAS * spread.sqrt()).powi(3);
    assert!(statistic < bound, "chi-squared is {statistic:.1}, expected below {bound:.1} in {cells} cells");
}
