//! Latencies as fio counts them: in bins of a 64th of an octave.

use std::collections::BTreeMap;

use units::Nanos;

/// Bins in an octave: fio's `FIO_IO_U_PLAT_VAL` (stat.h), 2 to the power of 6.
const BINS: u64 = 64;

/// A latency distribution. fio's `lat`: from the submission of a request to its completion, as the program sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct LatencyDistribution {
    /// Requests counted.
    pub count: u64,
    /// Mean.
    pub mean: Nanos,
    /// Least.
    pub min: Nanos,
    /// Median. Percentiles lie within 0.8 % of the true ones: they are interpolated in bins 0.8 to 1.6 % wide.
    pub p50: Nanos,
    /// 95th percentile.
    pub p95: Nanos,
    /// 99th percentile.
    pub p99: Nanos,
    /// 99.9th percentile.
    pub p999: Nanos,
    /// Greatest.
    pub max: Nanos,
    /// Requests by the middle of their bin, in nanoseconds.
    bins: BTreeMap<u64, u64>,
}

impl LatencyDistribution {
    /// Of fio's bins, mean and extremes; `None` without requests.
    pub(crate) fn of_bins(bins: BTreeMap<u64, u64>, mean: f64, min: u64, max: u64) -> Option<Self> {
        let count: u64 = bins.values().sum();
        if count == 0 {
            return None;
        }
        let mut all = Self {
            count,
            mean: Nanos(mean.round() as u64),
            min: Nanos(min),
            p50: Nanos(0),
            p95: Nanos(0),
            p99: Nanos(0),
            p999: Nanos(0),
            max: Nanos(max),
            bins,
        };
        all.p50 = all.percentile(50.0);
        all.p95 = all.percentile(95.0);
        all.p99 = all.percentile(99.0);
        all.p999 = all.percentile(99.9);
        Some(all)
    }

    /// Of single latencies in nanoseconds, put in the same bins; `None` without any.
    pub(crate) fn of_samples(samples: &[u64]) -> Option<Self> {
        let mut bins = BTreeMap::new();
        for sample in samples {
            *bins.entry(middle(*sample)).or_default() += 1;
        }
        let mean = samples.iter().map(|s| *s as f64).sum::<f64>() / samples.len().max(1) as f64;
        Self::of_bins(bins, mean, *samples.iter().min()?, *samples.iter().max()?)
    }

    /// The latency that `percent` (0 to 100) of the requests do not exceed.
    pub fn percentile(&self, percent: f64) -> Nanos {
        let wanted = (percent / 100.0).clamp(0.0, 1.0) * self.count as f64;
        let mut before = 0.0;
        for (middle, count) in &self.bins {
            let count = *count as f64;
            if before + count >= wanted {
                let width = width(*middle) as f64;
                let at = *middle as f64 - width / 2.0 + width * ((wanted - before) / count);
                return Nanos(at.round().max(0.0) as u64).clamp(self.min, self.max);
            }
            before += count;
        }
        self.max
    }

    /// Both distributions together.
    #[must_use]
    pub fn and(mut self, other: &Self) -> Self {
        for (middle, count) in &other.bins {
            *self.bins.entry(*middle).or_default() += count;
        }
        let (here, there) = (self.count as f64, other.count as f64);
        let mean = (self.mean.0 as f64 * here + other.mean.0 as f64 * there) / (here + there);
        let (min, max) = (self.min.min(other.min).0, self.max.max(other.max).0);
        Self::of_bins(std::mem::take(&mut self.bins), mean, min, max).unwrap_or(self)
    }
}

/// The width of the bin that holds a value.
fn width(value: u64) -> u64 {
    let octave = value.max(1).ilog2();
    1 << octave.saturating_sub(BINS.ilog2())
}

/// The middle of the bin that holds a value.
fn middle(value: u64) -> u64 {
    let width = width(value);
    value / width * width + width / 2
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn percentiles_are_within_a_bin_of_the_sorted_samples(
            mut samples in proptest::collection::vec(1u64..10_000_000_000, 1..300),
            percent in 1.0f64..100.0,
        ) {
            let latency = LatencyDistribution::of_samples(&samples).unwrap();
            samples.sort_unstable();
            let rank = (percent / 100.0 * samples.len() as f64).ceil() as usize - 1;
            let (ours, theirs) = (latency.percentile(percent).0 as f64, samples[rank] as f64);
            prop_assert!((ours - theirs).abs() <= theirs / 63.0 + 1.0, "{ours} {theirs}");
        }

        #[test]
        fn two_halves_together_are_the_whole(
            samples in proptest::collection::vec(1u64..10_000_000, 2..100), cut in 1usize..99,
        ) {
            let cut = cut.min(samples.len() - 1);
            let whole = LatencyDistribution::of_samples(&samples).unwrap();
            let [one, other] = [&samples[..cut], &samples[cut..]].map(|half| LatencyDistribution::of_samples(half).unwrap());
            let both = one.and(&other);
            prop_assert_eq!(both.bins, whole.bins);
            prop_assert_eq!((both.p50, both.max, both.count), (whole.p50, whole.max, whole.count));
            prop_assert!(both.mean.0.abs_diff(whole.mean.0) <= 1);
        }
    }
}
