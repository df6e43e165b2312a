//! Intervals of numbers that follow no known law, such as percentiles: the bootstrap (Efron 1979), over blocks of
//! consecutive seconds where neighbours resemble each other (Künsch 1989).

use hdrhistogram::Histogram;
use rand::RngExt;

/// Histograms of consecutive seconds, packed so that thousands of resamples are quick.
#[derive(Debug, Clone)]
pub struct HistogramBlocks {
    /// Values that occur, rising.
    values: Vec<u64>,
    /// Of each second: places in `values` and counts.
    seconds: Vec<Vec<(u32, u64)>>,
}

impl HistogramBlocks {
    /// Packs the histograms; `None` if they hold nothing.
    pub fn new<'a>(seconds: impl IntoIterator<Item = &'a Histogram<u64>>) -> Option<Self> {
        let counted: Vec<Vec<(u64, u64)>> = seconds
            .into_iter()
            .map(|second| second.iter_recorded().map(|one| (one.value_iterated_to(), one.count_at_value())).collect())
            .collect();
        let mut values: Vec<u64> = counted.iter().flatten().map(|(value, _)| *value).collect();
        values.sort_unstable();
        values.dedup();
        let place = |value: u64| values.partition_point(|one| *one < value) as u32;
        let pack = |second: Vec<(u64, u64)>| second.into_iter().map(|(value, count)| (place(value), count)).collect();
        let seconds = counted.into_iter().map(pack).collect();
        (!values.is_empty()).then_some(Self { values, seconds })
    }

    /// The quantile of all seconds together.
    pub fn quantile(&self, share: f64) -> f64 {
        let mut counts = vec![0; self.values.len()];
        (0..self.seconds.len()).for_each(|at| self.add(at, &mut counts));
        self.quantile_of(&counts, share)
    }

    /// The quantile of a resample of blocks. They are as long as the cube root of the seconds, the order that Künsch
    /// found best.
    pub fn resampled(&self, share: f64, random: &mut impl RngExt) -> f64 {
        let all = self.seconds.len();
        let length = (all as f64).cbrt().ceil() as usize;
        let mut counts = vec![0; self.values.len()];
        let mut taken = 0;
        while taken < all {
            let from = random.random_range(0..all);
            for at in 0..length.min(all - taken) {
                // Blocks run on from the end to the start, so that all seconds are taken equally often.
                self.add((from + at) % all, &mut counts);
            }
            taken += length;
        }
        self.quantile_of(&counts, share)
    }

    fn add(&self, second: usize, counts: &mut [u64]) {
        self.seconds[second].iter().for_each(|(place, count)| counts[*place as usize] += count);
    }

    fn quantile_of(&self, counts: &[u64], share: f64) -> f64 {
        let all: u64 = counts.iter().sum();
        let wanted = ((all as f64 * share).ceil() as u64).max(1);
        let mut before = 0;
        let place = counts.iter().position(|count| {
            before += count;
            before >= wanted
        });
        place.map_or(f64::NAN, |place| self.values[place] as f64)
    }
}

/// The 95 % interval of resampled numbers, by their percentiles; `None` if there are none or some are not numbers.
pub fn percentile_interval(mut resampled: Vec<f64>) -> Option<(f64, f64)> {
    if resampled.is_empty() || resampled.iter().any(|number| number.is_nan()) {
        return None;
    }
    resampled.sort_unstable_by(f64::total_cmp);
    let at = |share: f64| resampled[((resampled.len() - 1) as f64 * share).round() as usize];
    Some((at(0.025), at(0.975)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::testing::random;
    use rand_distr::Exp1;

    fn seconds(count: usize, random: &mut rand_xoshiro::Xoshiro256PlusPlus) -> Vec<Histogram<u64>> {
        let second = |_| {
            let mut histogram = timeline::latencies();
            for _ in 0..50 {
                let latency: f64 = random.sample(Exp1);
                histogram.record((latency * 1e6) as u64 + 1).unwrap();
            }
            histogram
        };
        (0..count).map(second).collect()
    }

    #[test]
    fn quantiles_are_the_histograms_own() {
        let seconds = seconds(20, &mut random(1));
        let mut all = timeline::latencies();
        seconds.iter().for_each(|second| all.add(second).unwrap());
        let blocks = HistogramBlocks::new(&seconds).unwrap();
        for share in [0.5, 0.9, 0.99] {
            let expected = all.value_at_quantile(share) as f64;
            assert!((blocks.quantile(share) / expected - 1.0).abs() < 0.001, "{share}");
        }
    }

    #[test]
    fn intervals_of_the_90th_percentile_hold_the_true_one() {
        let mut random = random(2);
        // Of an exponential law with mean 1 ms.
        let truth = 1e6 * 10f64.ln();
        let holds = |_: &u32| {
            let blocks = HistogramBlocks::new(&seconds(27, &mut random)).unwrap();
            let resampled = (0..200).map(|_| blocks.resampled(0.9, &mut random)).collect();
            let (low, high) = percentile_interval(resampled).unwrap();
            low <= truth && truth <= high
        };
        let held = (0..200).filter(holds).count();
        assert!(held > 170, "{held} of 200");
    }

    #[test]
    fn nothing_has_no_quantile() {
        assert!(HistogramBlocks::new(&[timeline::latencies()]).is_none());
        assert_eq!(percentile_interval(vec![]), None);
    }
}
