//! A sliding window of samples, none older than five minutes but the last two.

use std::collections::VecDeque;

use units::Nanos;

/// Older samples are forgotten: `SMOOTHER_STALE_RECORD_THRESHOLD`.
const STALE: Nanos = Nanos::secs(300);

/// The last samples of something.
#[derive(Debug, Clone)]
pub(super) struct Window {
    samples: VecDeque<(f64, Nanos)>,
    most: usize,
    sum: f64,
}

impl Window {
    /// Of so many samples.
    pub(super) fn new(most: usize) -> Self {
        Self { samples: VecDeque::new(), most, sum: 0.0 }
    }

    /// Adds one.
    pub(super) fn add(&mut self, value: f64, now: Nanos) {
        self.samples.push_back((value, now));
        self.sum += value;
        let old = |samples: &VecDeque<(f64, Nanos)>| samples.front().is_some_and(|(_, at)| now - *at > STALE);
        while self.samples.len() > self.most || (self.samples.len() > 2 && old(&self.samples)) {
            self.sum -= self.samples.pop_front().map_or(0.0, |(value, _)| value);
        }
    }

    /// The last one, or 0.
    pub(super) fn recent(&self) -> f64 {
        self.samples.back().map_or(0.0, |(value, _)| *value)
    }

    /// Their mean, or 0.
    pub(super) fn mean(&self) -> f64 {
        if self.samples.is_empty() { 0.0 } else { self.sum / self.samples.len() as f64 }
    }

    /// The largest, or 0.
    pub(super) fn largest(&self) -> f64 {
        self.samples.iter().map(|(value, _)| *value).fold(0.0, f64::max)
    }

    /// The 90th percentile, rounded down to a sample, or 0.
    pub(super) fn ninetieth(&self) -> f64 {
        let mut values: Vec<f64> = self.samples.iter().map(|(value, _)| *value).collect();
        values.sort_by(f64::total_cmp);
        values.get(values.len().saturating_sub(1) * 9 / 10).copied().unwrap_or(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_samples_count_and_none_that_are_stale_but_two() {
        let mut window = Window::new(3);
        [100.0, 1.0, 2.0, 3.0].into_iter().zip(0..).for_each(|(value, at)| window.add(value, Nanos::secs(at)));
        assert_eq!((window.recent(), window.mean(), window.largest()), (3.0, 2.0, 3.0));
        window.add(9.0, Nanos::secs(400));
        assert_eq!(window.mean(), 6.0, "the last old one and the new one");
    }
}
