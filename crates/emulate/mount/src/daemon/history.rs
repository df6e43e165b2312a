//! The past of a node's counters, bounded: every second of the last hour, every minute of the 14 days before.

use std::collections::VecDeque;

use metrics::NodeSample;
use units::Nanos;

/// How long every sample is kept.
const FINE: Nanos = Nanos::secs(3600);

/// How long one sample of each minute is kept: as long as CloudWatch keeps minutes (15 days), nearly.
const COARSE: Nanos = Nanos::secs(14 * 86_400);

const MINUTE: Nanos = Nanos::secs(60);

/// The samples of the past, in order. A disk takes some 15 MB once it is full: 3,600 and 20,160 samples of about 600 bytes.
#[derive(Debug, Default)]
pub(crate) struct History {
    minutes: VecDeque<NodeSample>,
    seconds: VecDeque<NodeSample>,
}

impl History {
    /// Adds the newest sample, and forgets what is too old.
    pub(crate) fn push(&mut self, sample: NodeSample) {
        let now = sample.at;
        self.seconds.push_back(sample);
        while let Some(old) = pop_older(&mut self.seconds, now, FINE) {
            if self.minutes.back().is_none_or(|last| last.at + MINUTE <= old.at) {
                self.minutes.push_back(old);
            }
        }
        while pop_older(&mut self.minutes, now, COARSE).is_some() {}
    }

    /// All samples after an instant.
    pub(crate) fn since(&self, since: Nanos) -> Vec<NodeSample> {
        self.minutes.iter().chain(&self.seconds).filter(|sample| sample.at > since).cloned().collect()
    }
}

fn pop_older(samples: &mut VecDeque<NodeSample>, now: Nanos, age: Nanos) -> Option<NodeSample> {
    if samples.front()?.at + age < now { samples.pop_front() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(second: u64) -> NodeSample {
        NodeSample {
            at: Nanos::secs(second),
            instance: None,
            instance_ios: None,
            instance_bytes: None,
            disks: Vec::new(),
        }
    }

    #[test]
    fn the_last_hour_is_kept_by_the_second_and_the_days_before_by_the_minute() {
        let mut history = History::default();
        let last = 16 * 86_400;
        (0..=last).for_each(|second| history.push(sample(second)));
        let at: Vec<u64> = history.since(Nanos(0)).iter().map(|sample| sample.at.0 / 1_000_000_000).collect();
        assert!(at.is_sorted());
        assert_eq!(at.len(), 3601 + 14 * 24 * 60 - 60);
        assert!(at[0] >= last - 14 * 86_400 && at.ends_with(&[last - 2, last - 1, last]));
        assert!(at.windows(2).all(|pair| matches!(pair[1] - pair[0], 1..=60)));
    }

    #[test]
    fn only_what_came_later_is_told() {
        let mut history = History::default();
        (0..10).for_each(|second| history.push(sample(second)));
        assert_eq!(history.since(Nanos::secs(7)), [sample(8), sample(9)]);
    }
}
