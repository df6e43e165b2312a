//! One number of A and of B, and what lies between them.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

use super::Pair;
use crate::statistics::{HistogramBlocks, mean, pairs_needed, percentile_interval, t_quantile};

/// How B differs from A. Ratios are B over A; their mean and interval are those of the logarithms, so that half and
/// double weigh the same.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunDifference {
    /// The mean of A's runs.
    pub a: f64,
    /// The mean of B's runs.
    pub b: f64,
    /// The mean of B less A over the pairs.
    pub difference: f64,
    /// The lower end of its 95 % interval; `None` where that is not known.
    pub difference_low: Option<f64>,
    /// The upper end.
    pub difference_high: Option<f64>,
    /// The geometric mean of B over A.
    pub ratio: f64,
    /// The lower end of its 95 % interval.
    pub ratio_low: Option<f64>,
    /// The upper end.
    pub ratio_high: Option<f64>,
    /// Where the intervals come from.
    pub method: IntervalMethod,
    /// What it comes to.
    pub verdict: DifferenceVerdict,
}

/// Where an interval comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum IntervalMethod {
    /// Student's t over the differences of pairs.
    PairedT,
    /// One run each: batch means within the runs, joined by Welch's t.
    WithinRuns,
    /// The bootstrap over pairs, and within them over seconds where these are known.
    Bootstrap,
    /// There is none.
    None,
}

/// What a difference comes to.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "is")]
pub enum DifferenceVerdict {
    /// B's number is higher: the interval lies above no difference.
    Higher,
    /// B's number is lower.
    Lower,
    /// The interval holds no difference at all.
    NotSeen {
        /// How many more pairs would show a difference of 5 % in four of five cases; `None` where that is not known.
        more_pairs: Option<usize>,
    },
}

/// The difference that further runs are to show.
pub(crate) const WORTH_SEEING: f64 = 0.05;

/// Resamples of the bootstrap: Efron and Tibshirani ask for a thousand or more for percentiles.
const RESAMPLES: usize = 2000;

impl RunDifference {
    pub(crate) fn of_throughput(pairs: &[Pair<'_>]) -> Self {
        let numbers: Vec<_> = pairs.iter().map(|(a, b)| (a.throughput, b.throughput)).collect();
        match pairs {
            [(a, b)] => Self::new(
                &numbers,
                IntervalMethod::WithinRuns,
                welch(a.error, b.error).map(|half| {
                    // The error of a ratio's logarithm is that of each, over its mean.
                    let relative =
                        |error: Option<(f64, f64)>, of: f64| error.map(|(error, freedom)| (error / of, freedom));
                    let ratio =
                        welch(relative(a.error, a.throughput), relative(b.error, b.throughput)).unwrap_or(f64::NAN);
                    (half, ratio)
                }),
            ),
            _ => Self::of_pairs(&numbers),
        }
    }

    /// `None` unless all runs have latencies of this kind.
    pub(crate) fn of_p99(pairs: &[Pair<'_>], kind: &str, seed: u64) -> Option<Self> {
        let of: Vec<_> =
            pairs.iter().map(|(a, b)| Some((a.kinds.get(kind)?, b.kinds.get(kind)?))).collect::<Option<_>>()?;
        let numbers: Vec<_> = of.iter().map(|(a, b)| (a.p99_ns, b.p99_ns)).collect();
        let blocks: Option<Vec<_>> = of
            .iter()
            .map(|(a, b)| Some((HistogramBlocks::new(&a.seconds)?, HistogramBlocks::new(&b.seconds)?)))
            .collect();
        let mut found = Self::new(&numbers, IntervalMethod::None, None);
        if numbers.len() < 2 && blocks.is_none() {
            return Some(found);
        }
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let (mut ratios, mut differences) = (Vec::with_capacity(RESAMPLES), Vec::with_capacity(RESAMPLES));
        for _ in 0..RESAMPLES {
            let (mut log, mut plain) = (0.0, 0.0);
            for _ in &numbers {
                let pair = random.random_range(0..numbers.len());
                let (a, b) = match &blocks {
                    Some(blocks) => {
                        let (a, b) = &blocks[pair];
                        (a.resampled(0.99, &mut random), b.resampled(0.99, &mut random))
                    }
                    None => numbers[pair],
                };
                log += (b / a).ln() / numbers.len() as f64;
                plain += (b - a) / numbers.len() as f64;
            }
            ratios.push(log.exp());
            differences.push(plain);
        }
        found.method = IntervalMethod::Bootstrap;
        (found.ratio_low, found.ratio_high) = percentile_interval(ratios).unzip();
        (found.difference_low, found.difference_high) = percentile_interval(differences).unzip();
        found.judge(&numbers);
        Some(found)
    }

    /// Of numbers of A and of B, one pair for each pair of runs: Student's t over the pairs, so that one pair has no interval.
    pub fn of_pairs(numbers: &[(f64, f64)]) -> Self {
        let half = |of: fn((f64, f64)) -> f64| {
            mean(&numbers.iter().copied().map(of).collect::<Vec<_>>()).map_or(f64::NAN, |found| found.half_width)
        };
        Self::new(numbers, IntervalMethod::PairedT, Some((half(|(a, b)| b - a), half(|(a, b)| (b / a).ln()))))
    }

    /// `halves` are half the widths of the intervals of the difference and of the ratio's logarithm.
    fn new(numbers: &[(f64, f64)], method: IntervalMethod, halves: Option<(f64, f64)>) -> Self {
        let count = numbers.len() as f64;
        let of = |one: fn(&(f64, f64)) -> f64| numbers.iter().map(one).sum::<f64>() / count;
        let (a, b, log) = (of(|(a, _)| *a), of(|(_, b)| *b), of(|(a, b)| (b / a).ln()));
        let halves = halves.filter(|(plain, log)| plain.is_finite() && log.is_finite());
        let mut found = Self {
            a,
            b,
            difference: b - a,
            difference_low: halves.map(|(half, _)| b - a - half),
            difference_high: halves.map(|(half, _)| b - a + half),
            ratio: log.exp(),
            ratio_low: halves.map(|(_, half)| (log - half).exp()),
            ratio_high: halves.map(|(_, half)| (log + half).exp()),
            method: if halves.is_some() { method } else { IntervalMethod::None },
            verdict: DifferenceVerdict::NotSeen { more_pairs: None },
        };
        found.judge(numbers);
        found
    }

    fn judge(&mut self, numbers: &[(f64, f64)]) {
        self.verdict = match (self.ratio_low, self.ratio_high) {
            (Some(low), _) if low > 1.0 => DifferenceVerdict::Higher,
            (_, Some(high)) if high < 1.0 => DifferenceVerdict::Lower,
            _ => {
                let logs: Vec<_> = numbers.iter().map(|(a, b)| (b / a).ln()).collect();
                let deviation = mean(&logs).map_or(f64::NAN, |found| found.deviation);
                let needed = pairs_needed(WORTH_SEEING.ln_1p(), deviation);
                DifferenceVerdict::NotSeen { more_pairs: needed.map(|needed| needed.saturating_sub(numbers.len())) }
            }
        };
    }
}

/// Half the 95 % interval of the difference of two means with these errors and degrees of freedom (Welch 1947).
fn welch(a: Option<(f64, f64)>, b: Option<(f64, f64)>) -> Option<f64> {
    let ((a, a_freedom), (b, b_freedom)) = a.zip(b)?;
    let (a, b) = (a * a, b * b);
    if a + b == 0.0 {
        return Some(0.0);
    }
    let freedom = (a + b).powi(2) / (a * a / a_freedom + b * b / b_freedom);
    Some(t_quantile(0.975, freedom) * (a + b).sqrt())
}
