//! Where the warm-up ends: MSER-5 (White, Cobb and Spratt, "A comparison of five steady-state truncation heuristics for
//! simulation", Winter Simulation Conference 2000), the rule that Hoad, Robinson and Davies (WSC 2008) recommend for
//! automation.

/// What the rule says of a series.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WarmUpTruncation {
    /// Numbers at the start that belong to the warm-up.
    pub cut: usize,
    /// Whether the rest is steady: the cut lies in the first half. Otherwise the series is too short to tell.
    pub steady: bool,
}

/// Numbers that are joined before the rule is asked.
pub const JOINED: usize = 5;

/// Of the end of a series the rule says nothing: few numbers resemble each other by chance. Hoad, Robinson and Davies
/// leave out five.
const IGNORED: usize = 5;

/// Cuts where the mean of what is left has the smallest standard error. `None` for fewer than 50 numbers.
pub fn mser5(series: &[f64]) -> Option<WarmUpTruncation> {
    let joined: Vec<f64> = series.chunks_exact(JOINED).map(|few| few.iter().sum::<f64>() / JOINED as f64).collect();
    if joined.len() < 2 * IGNORED {
        return None;
    }
    let middle = joined.iter().sum::<f64>() / joined.len() as f64;
    let (mut sum, mut squares, mut least, mut cut) = (0.0, 0.0, f64::INFINITY, 0);
    for (at, value) in joined.iter().enumerate().rev() {
        // Deviations from a number nearby, so that squares do not cancel.
        let value = value - middle;
        sum += value;
        squares += value * value;
        let left = (joined.len() - at) as f64;
        let error = (squares - sum * sum / left).max(0.0) / (left * left);
        // From equals the earlier: a series without noise is steady from its start.
        if joined.len() - at >= IGNORED && error <= least {
            (least, cut) = (error, at);
        }
    }
    Some(WarmUpTruncation { cut: cut * JOINED, steady: cut < joined.len() / 2 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::testing::{autoregressive, random};

    #[test]
    fn a_steady_series_is_steady_from_early_on() {
        let mut random = random(5);
        let early = (0..200).filter(|_| mser5(&autoregressive(100.0, 0.3, 200, &mut random)).unwrap().steady).count();
        assert!(early > 170, "{early} of 200");
    }

    #[test]
    fn a_warm_up_is_cut_off_and_little_more() {
        let mut random = random(6);
        let mut series = autoregressive(100.0, 0.0, 300, &mut random);
        series.iter_mut().take(60).enumerate().for_each(|(at, value)| *value -= 40.0 * (1.0 - at as f64 / 60.0));
        let found = mser5(&series).unwrap();
        assert!(found.steady && (45..100).contains(&found.cut), "{found:?}");
    }

    #[test]
    fn a_series_that_still_rises_is_not_steady() {
        let series: Vec<f64> = (0..200).map(f64::from).collect();
        assert!(!mser5(&series).unwrap().steady);
    }

    #[test]
    fn equal_numbers_are_steady_and_few_say_nothing() {
        assert_eq!(mser5(&[7.0; 100]), Some(WarmUpTruncation { cut: 0, steady: true }));
        assert_eq!(mser5(&[7.0; 49]), None);
    }
}
