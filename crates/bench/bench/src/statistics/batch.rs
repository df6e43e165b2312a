//! The mean of a series whose neighbours resemble each other: the method of batch means (Law and Carson, "A sequential
//! procedure for determining the length of a steady-state simulation", Operations Research 27, 1979).

use super::mean::{MeanEstimate, mean};

/// The mean of a series and how sure it is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BatchMeans {
    /// The mean of the batches with its 95 % interval.
    pub mean: MeanEstimate,
    /// Numbers of the series in each batch.
    pub size: usize,
    /// The autocorrelation of neighbouring batches, -1 to 1.
    pub lag1: f64,
    /// Whether `lag1` is small enough for the interval to be trusted.
    pub independent: bool,
}

/// Fewer batches make the interval wide without need; more gain little (Schmeiser, "Batch size effects in the analysis of
/// simulation output", Operations Research 30, 1982: 10 to 30).
const FEWEST: usize = 10;

/// Batches double until neighbours show no correlation at this many standard errors: one-sided 5 %.
const SIGMAS: f64 = 1.645;

/// Joins neighbours, two and two, until batches do not resemble each other or fewer than twenty are left. `None` if the
/// series has fewer than ten numbers.
pub fn batch_means(series: &[f64]) -> Option<BatchMeans> {
    if series.len() < FEWEST {
        return None;
    }
    let mut batches = series.to_vec();
    let mut size = 1;
    loop {
        let found = mean(&batches)?;
        let lag1 = lag1(&batches, found.mean);
        // The correlation of independent numbers deviates by the root of their number (von Neumann 1941).
        let independent = lag1 < SIGMAS / (batches.len() as f64).sqrt();
        if independent || batches.len() < 2 * FEWEST {
            return Some(BatchMeans { mean: found, size, lag1, independent });
        }
        // What does not fill a batch is the oldest: nearest to the warm-up.
        let odd = batches.len() % 2;
        batches = batches[odd..].chunks_exact(2).map(|pair| (pair[0] + pair[1]) / 2.0).collect();
        size *= 2;
    }
}

/// Autocorrelation of neighbours; 0 for numbers that are all the same.
fn lag1(numbers: &[f64], mean: f64) -> f64 {
    let squares: f64 = numbers.iter().map(|number| (number - mean).powi(2)).sum();
    let products: f64 = numbers.windows(2).map(|pair| (pair[0] - mean) * (pair[1] - mean)).sum();
    if squares > 0.0 { products / squares } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::testing::{autoregressive, random};

    /// Of 1000 series, how many intervals hold the true mean.
    fn held(memory: f64, length: usize) -> usize {
        let mut random = random(11);
        let holds = |_: &u32| {
            let series = autoregressive(50.0, memory, length, &mut random);
            let found = batch_means(&series).unwrap().mean;
            (found.mean - 50.0).abs() <= found.half_width
        };
        (0..1000).filter(holds).count()
    }

    #[test]
    fn intervals_hold_the_mean_of_independent_and_of_correlated_series() {
        // A 95 % interval holds 950; the test for correlation lets some through, as Law and Carson found.
        assert!(held(0.0, 200) > 930, "{}", held(0.0, 200));
        assert!(held(0.5, 400) > 890, "{}", held(0.5, 400));
        assert!(held(0.8, 1000) > 880, "{}", held(0.8, 1000));
    }

    #[test]
    fn correlated_numbers_are_joined() {
        let series = autoregressive(0.0, 0.9, 2000, &mut random(3));
        let found = batch_means(&series).unwrap();
        assert!(found.size >= 8 && found.mean.count >= FEWEST, "{found:?}");
    }

    #[test]
    fn a_trend_is_not_taken_for_independent() {
        let series: Vec<f64> = (0..100).map(f64::from).collect();
        assert!(!batch_means(&series).unwrap().independent);
    }

    #[test]
    fn nine_numbers_are_too_few_and_equal_ones_are_certain() {
        assert_eq!(batch_means(&[1.0; 9]), None);
        let same = batch_means(&[3.0; 10]).unwrap();
        assert_eq!((same.mean.mean, same.mean.half_width, same.independent), (3.0, 0.0, true));
    }
}
