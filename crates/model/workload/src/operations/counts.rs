//! Whole numbers with a given mean.

use rand::RngExt;

/// `mean` rounded up or down by chance, so that its mean is kept.
pub(crate) fn rounded(mean: f64, random: &mut impl RngExt) -> u32 {
    let whole = mean as u32;
    let part = mean - f64::from(whole);
    whole + u32::from(part > 0.0 && random.random_bool(part.min(1.0)))
}

/// From 1 evenly up to as many as keep the mean: YCSB's lengths of scans (mean 50.5: 1 to 100).
pub(crate) fn evenly(mean: f64, random: &mut impl RngExt) -> u32 {
    let most = rounded(2.0 * mean - 1.0, random).max(1);
    random.random_range(1..=most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operations::statistics::random;

    #[test]
    fn means_are_kept() {
        let mut random = random(1);
        for mean in [1.0, 1.3, 2.75, 50.5] {
            for draw in [rounded, evenly] {
                let sum: f64 = (0..100_000).map(|_| f64::from(draw(mean, &mut random))).sum();
                // The widest deviation is 29, of the scans: five standard errors.
                assert!((sum / 1e5 - mean).abs() < 5.0 * mean / 316.0, "{mean}: {}", sum / 1e5);
            }
        }
    }
}
