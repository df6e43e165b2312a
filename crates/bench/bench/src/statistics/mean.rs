//! Means of independent numbers, with Student's interval.

use statrs::distribution::{ContinuousCDF, StudentsT};

/// A mean and how far it may be off.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeanEstimate {
    /// The mean.
    pub mean: f64,
    /// Standard deviation of one number.
    pub deviation: f64,
    /// How many there are.
    pub count: usize,
    /// Half the width of the 95 % interval of the mean; infinite for a single number.
    pub half_width: f64,
}

impl MeanEstimate {
    /// Standard error of the mean.
    pub fn standard_error(&self) -> f64 {
        self.deviation / (self.count.max(1) as f64).sqrt()
    }
}

/// The value below which Student's t lies with probability `share`, `freedom` degrees given. Not a number unless the
/// freedom is above zero.
pub fn t_quantile(share: f64, freedom: f64) -> f64 {
    StudentsT::new(0.0, 1.0, freedom).map_or(f64::NAN, |student| student.inverse_cdf(share))
}

/// The mean of independent numbers; `None` if there are none.
pub fn mean(numbers: &[f64]) -> Option<MeanEstimate> {
    let count = numbers.len();
    if count == 0 {
        return None;
    }
    let mean = numbers.iter().sum::<f64>() / count as f64;
    if count == 1 {
        return Some(MeanEstimate { mean, deviation: f64::NAN, count, half_width: f64::INFINITY });
    }
    let squares: f64 = numbers.iter().map(|number| (number - mean).powi(2)).sum();
    let deviation = (squares / (count - 1) as f64).sqrt();
    let half_width = t_quantile(0.975, (count - 1) as f64) * deviation / (count as f64).sqrt();
    Some(MeanEstimate { mean, deviation, count, half_width })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::testing::{autoregressive, random};

    #[test]
    fn quantiles_are_those_of_the_tables() {
        for (freedom, expected) in [(1.0, 12.706), (4.0, 2.776), (9.0, 2.262), (30.0, 2.042), (1e6, 1.960)] {
            assert!((t_quantile(0.975, freedom) - expected).abs() < 6e-4, "{freedom}: {}", t_quantile(0.975, freedom));
        }
        assert!(t_quantile(0.975, 0.0).is_nan());
    }

    #[test]
    fn nineteen_of_twenty_intervals_hold_the_true_mean() {
        let mut random = random(1);
        let holds = |_: &u32| {
            let found = mean(&autoregressive(100.0, 0.0, 5, &mut random)).unwrap();
            (found.mean - 100.0).abs() <= found.half_width
        };
        let held = (0..4000).filter(holds).count();
        // 3800 ± 4 standard errors of 14.
        assert!((3744..3856).contains(&held), "{held} of 4000");
    }

    #[test]
    fn one_number_says_nothing_of_its_error() {
        assert_eq!(mean(&[5.0]).unwrap().half_width, f64::INFINITY);
        assert_eq!(mean(&[]), None);
    }
}
