//! The limit tuned as TiKV tunes it: to what the writes of the last minutes need and a little more. After
//! `write_amp_based_rate_limiter.cc` of TiKV's RocksDB 8.10.

use std::collections::VecDeque;

/// Samples of the long and the short average: `kSmoothWindowSize`, `kRecentSmoothWindowSize` of raft-kv.
const LONG: usize = 300;
const SHORT: usize = 30;
/// Seconds between two samples.
const TUNE: f64 = 1.0;
/// Flushes count for at least so many bytes a second.
const LEAST_FLUSH: f64 = 8.0 * 1024.0 * 1024.0;
/// The least rate, bytes a second.
const LEAST: f64 = 10.0 * 1024.0 * 1024.0;
/// Percent added in a hurry.
const HURRY: f64 = 150.0;
/// The most percent added when the limit is reached again and again.
const MOST_EXTRA: f64 = 6.0;

/// The mean of the last samples.
#[derive(Debug, Clone)]
struct Window {
    samples: VecDeque<f64>,
    most: usize,
    sum: f64,
}

impl Window {
    fn new(most: usize) -> Self {
        Self { samples: VecDeque::with_capacity(most + 1), most, sum: 0.0 }
    }

    fn add(&mut self, value: f64) {
        self.samples.push_back(value);
        self.sum += value;
        if self.samples.len() > self.most {
            self.sum -= self.samples.pop_front().unwrap_or(0.0);
        }
    }

    fn mean(&self) -> f64 {
        if self.samples.is_empty() { 0.0 } else { (self.sum / self.samples.len() as f64).max(0.0) }
    }
}

/// The tuning of a node's limiter.
#[derive(Debug, Clone)]
pub(super) struct Tuning {
    tuned: f64,
    /// Bytes of flushes and of compactions since then.
    high: f64,
    low: f64,
    all: [Window; 2],
    flushed: [Window; 2],
    limits: Window,
    extra: f64,
}

impl Tuning {
    /// With nothing seen.
    pub(super) fn new() -> Self {
        let pair = || [Window::new(LONG), Window::new(SHORT)];
        Self { tuned: 0.0, high: 0.0, low: 0.0, all: pair(), flushed: pair(), limits: Window::new(SHORT), extra: 0.0 }
    }

    /// Counts a request.
    pub(super) fn add(&mut self, bytes: f64, high: bool) {
        *(if high { &mut self.high } else { &mut self.low }) += bytes;
    }

    /// Whether a flush passes by the tokens: while both together stay under the ceiling.
    pub(super) fn passes(&self, most: f64) -> bool {
        self.high + self.low <= most * TUNE
    }

    /// The rate from now on, if it is time for another.
    pub(super) fn tune(&mut self, now: f64, rate: f64, most: f64, hurry: bool) -> Option<f64> {
        let span = now - self.tuned;
        if span < TUNE {
            return None;
        }
        self.tuned = now;
        let (through, flushed) = ((self.low + self.high) / span, self.high / span);
        (self.low, self.high) = (0.0, 0.0);
        self.all.iter_mut().for_each(|window| window.add(through));
        self.flushed.iter_mut().for_each(|window| window.add(flushed));
        self.limits.add(rate);
        let [all, recent] = [self.all[0].mean(), self.all[1].mean()];
        let [flushes, recent_flushes] = [self.flushed[0].mean(), self.flushed[1].mean()];
        let ratio = (all / flushes.max(LEAST_FLUSH)).max(1.0);
        let needed = all.max(ratio * recent_flushes.max(LEAST_FLUSH));
        // A tenth, and up to 22 MB/s more where little is written.
        let padding = needed / 10.0 + 577_464_606_419_583.0 / (needed + 26_225_305.0);
        let used = recent / self.limits.mean().max(1.0);
        if used >= 0.995 {
            self.extra = (self.extra + 1.0).min(MOST_EXTRA);
        } else if self.extra > 0.0 {
            self.extra -= 1.0;
        }
        if hurry {
            self.extra = HURRY;
        }
        let new = needed + padding + needed * self.extra / 100.0;
        Some(new.clamp(LEAST, (most - recent_flushes).max(LEAST)))
    }
}
