//! Combinations of the numbers of several runs into the published ones.

use crate::evaluator::RecipeFault;
use crate::value::ClaimValue;

/// A change of a ratio by less than this share is no trend.
const NO_TREND: f64 = 0.05;

/// How the numbers of several runs become a claim's value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Combination {
    /// Every metric of every run, metric by metric.
    #[default]
    Each,
    /// Every metric of the second run over that of the first.
    Ratio,
    /// Percent by which every metric of the second run exceeds that of the first.
    Gain,
    /// Every metric of the second run less that of the first.
    Difference,
    /// Of pairs of runs, the ratio of the second over the first that is furthest from 1.
    Furthest,
    /// The least of all runs.
    Least,
    /// Whether the ratios of pairs of runs, the second over the first, narrow, widen or stay from the first pair to the last.
    Trend,
}

impl Combination {
    /// Refuses a number of runs that it cannot combine.
    pub(crate) fn check(self, key: &str, runs: usize) -> Result<(), RecipeFault> {
        let (fits, expected) = match self {
            Self::Each | Self::Least => (runs >= 1, "at least one"),
            Self::Ratio | Self::Gain | Self::Difference => (runs == 2, "two"),
            Self::Furthest => (runs >= 2 && runs.is_multiple_of(2), "pairs"),
            Self::Trend => (runs >= 4 && runs.is_multiple_of(2), "at least two pairs"),
        };
        if fits {
            return Ok(());
        }
        let name = format!("{self:?}").to_lowercase();
        Err(RecipeFault::new(key, format!("`{key}` has {runs}; expected {expected}, since `ours` is \"{name}\"")))
    }

    /// Combines metrics by run.
    pub(crate) fn of(self, runs: &[Vec<f64>]) -> ClaimValue {
        let of_two = |combine: fn(f64, f64) -> f64| -> Vec<f64> {
            runs[0].iter().zip(&runs[1]).map(|(first, second)| combine(*first, *second)).collect()
        };
        ClaimValue::Numbers(match self {
            Self::Each => {
                let metrics = runs.iter().map(Vec::len).max().unwrap_or(0);
                (0..metrics).flat_map(|metric| runs.iter().filter_map(move |run| run.get(metric).copied())).collect()
            }
            Self::Ratio => of_two(|first, second| second / first),
            Self::Gain => of_two(|first, second| (second / first - 1.0) * 100.0),
            Self::Difference => of_two(|first, second| second - first),
            Self::Least => vec![runs.iter().flatten().copied().fold(f64::INFINITY, f64::min)],
            Self::Furthest => {
                let ratios = pair_ratios(runs).into_iter();
                ratios.max_by(|a, b| a.ln().abs().total_cmp(&b.ln().abs())).into_iter().collect()
            }
            Self::Trend => return ClaimValue::words([trend(&pair_ratios(runs))]),
        })
    }
}

/// Every metric of the second of each pair of runs over that of the first.
pub(crate) fn pair_ratios(runs: &[Vec<f64>]) -> Vec<f64> {
    let pairs = runs.chunks_exact(2);
    pairs.flat_map(|pair| pair[0].iter().zip(&pair[1]).map(|(first, second)| second / first)).collect()
}

/// `narrows`, `widens` or `stays`, from the first ratio to the last.
fn trend(ratios: &[f64]) -> &'static str {
    match ratios.last().zip(ratios.first()).map_or(f64::NAN, |(last, first)| last / first) {
        change if change < 1.0 - NO_TREND => "narrows",
        change if change > 1.0 + NO_TREND => "widens",
        _ => "stays",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(combination: Combination, runs: &[&[f64]]) -> String {
        combination.of(&runs.iter().map(|run| run.to_vec()).collect::<Vec<_>>()).to_string()
    }

    #[test]
    fn the_second_run_is_compared_with_the_first() {
        assert_eq!(of(Combination::Each, &[&[1.0, 3.0], &[2.0, 4.0]]), "1; 2; 3; 4");
        assert_eq!(of(Combination::Ratio, &[&[2.0, 4.0], &[3.0, 5.0]]), "1.5; 1.25");
        assert_eq!(of(Combination::Gain, &[&[2.0], &[3.0]]), "50");
        assert_eq!(of(Combination::Difference, &[&[2.0], &[5.0]]), "3");
        assert_eq!(of(Combination::Least, &[&[2.0], &[1.5], &[5.0]]), "1.5");
    }

    #[test]
    fn pairs_give_the_ratio_furthest_from_one_in_either_direction() {
        assert_eq!(of(Combination::Furthest, &[&[1.0], &[1.5], &[2.0], &[1.0]]), "0.5");
    }

    #[test]
    fn a_change_by_a_twentieth_is_no_trend() {
        assert_eq!(of(Combination::Trend, &[&[1.0], &[10.0], &[1.0], &[2.0]]), "narrows");
        assert_eq!(of(Combination::Trend, &[&[1.0], &[2.0], &[1.0], &[10.0]]), "widens");
        assert_eq!(of(Combination::Trend, &[&[1.0], &[2.0], &[1.0], &[2.05]]), "stays");
    }

    #[test]
    fn a_number_of_runs_that_cannot_be_combined_is_refused() {
        let fault = Combination::Ratio.check("runs", 3).unwrap_err();
        assert_eq!(fault.problem, "`runs` has 3; expected two, since `ours` is \"ratio\"");
        assert!(Combination::Trend.check("runs", 2).is_err() && Combination::Each.check("runs", 1).is_ok());
    }
}
