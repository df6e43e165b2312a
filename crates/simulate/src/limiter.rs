//! RocksDB's limit on the bytes that flushes and compactions write, tuned as TiKV tunes it: to what the writes of the last
//! minutes need and a little more. After `write_amp_based_rate_limiter.cc` of TiKV's RocksDB 8.10.

use std::collections::VecDeque;

use units::Nanos;

/// Refill period: what may pass at once.
const PERIOD: f64 = 0.1;
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

/// The limiter of a node.
#[derive(Debug, Clone)]
pub(crate) struct Limiter {
    most: f64,
    rate: f64,
    /// When all that was granted would have passed at exactly the rate, in seconds.
    scheduled: f64,
    tuned: f64,
    /// Bytes of flushes and of compactions since then.
    high: f64,
    low: f64,
    all: [Window; 2],
    flushed: [Window; 2],
    limits: Window,
    extra: f64,
    /// Compaction is behind: more is allowed at once.
    hurry: bool,
    /// Whether the rate stays as it is: RocksDB's own limiter.
    fixed: bool,
}

impl Limiter {
    /// With `rate-bytes-per-sec` as its ceiling.
    pub(crate) fn new(most: f64) -> Self {
        let pair = || [Window::new(LONG), Window::new(SHORT)];
        Self {
            most,
            rate: most / 2.0,
            scheduled: 0.0,
            tuned: 0.0,
            high: 0.0,
            low: 0.0,
            all: pair(),
            flushed: pair(),
            limits: Window::new(SHORT),
            extra: 0.0,
            hurry: false,
            fixed: false,
        }
    }

    /// One that is not tuned: flushes go first, and both together get the rate.
    pub(crate) fn fixed(rate: f64) -> Self {
        Self { rate, fixed: true, ..Self::new(rate) }
    }

    /// Bytes a second that are allowed now.
    #[cfg(test)]
    pub(crate) fn rate(&self) -> f64 {
        self.rate
    }

    /// Changes the ceiling, which binds at once.
    pub(crate) fn limit(&mut self, most: f64) {
        self.most = most;
        self.rate = self.rate.min(most);
    }

    /// Tells that compaction is behind.
    pub(crate) fn hurry(&mut self, hurry: bool) {
        self.hurry = hurry;
    }

    /// When bytes of a flush (`high`) or a compaction may be written.
    pub(crate) fn request(&mut self, now: Nanos, bytes: f64, high: bool) -> Nanos {
        let seconds = now.as_secs_f64();
        if !self.fixed && seconds - self.tuned >= TUNE {
            self.tune(seconds);
        }
        if high {
            self.high += bytes;
            // Flushes pass by the tokens while both together stay under the ceiling.
            if !self.fixed && self.high + self.low <= self.most * TUNE {
                return now;
            }
        } else {
            self.low += bytes;
        }
        let start = seconds.max(self.scheduled - PERIOD);
        self.scheduled = self.scheduled.max(start) + bytes / self.rate;
        if high && self.fixed {
            return now;
        }
        if start > seconds { Nanos::from_secs_f64(start).max(now) } else { now }
    }

    fn tune(&mut self, now: f64) {
        let span = now - self.tuned;
        self.tuned = now;
        let (through, flushed) = ((self.low + self.high) / span, self.high / span);
        (self.low, self.high) = (0.0, 0.0);
        self.all.iter_mut().for_each(|window| window.add(through));
        self.flushed.iter_mut().for_each(|window| window.add(flushed));
        self.limits.add(self.rate);
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
        if self.hurry {
            self.extra = HURRY;
        }
        let new = needed + padding + needed * self.extra / 100.0;
        self.rate = new.clamp(LEAST, (self.most - recent_flushes).max(LEAST));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compactions ask for `asked` bytes a second; what they get.
    fn granted(limiter: &mut Limiter, from: f64, seconds: f64, asked: f64) -> f64 {
        const CHUNK: f64 = 1_048_576.0;
        let (mut now, mut bytes) = (from, 0.0);
        while now < from + seconds {
            let at = limiter.request(Nanos::from_secs_f64(now), CHUNK, false).as_secs_f64();
            bytes += CHUNK;
            now = (now + CHUNK / asked).max(at);
        }
        bytes / seconds
    }

    #[test]
    fn a_low_ceiling_is_kept() {
        let ceiling = 50.0 * 1024.0 * 1024.0;
        let mut limiter = Limiter::new(ceiling);
        let rate = granted(&mut limiter, 0.0, 100.0, 500e6);
        assert!(rate <= ceiling * 1.02, "{rate}");
    }

    #[test]
    fn a_fixed_rate_is_shared_with_flushes_which_do_not_wait() {
        let mut limiter = Limiter::fixed(20e6);
        assert_eq!(limiter.request(Nanos(0), 20e6, true), Nanos(0));
        let compacted = granted(&mut limiter, 0.0, 10.0, 500e6);
        assert!((compacted / 18e6 - 1.0).abs() < 0.05, "nine seconds of ten are left: {compacted}");
    }

    #[test]
    fn a_burst_after_quiet_is_spread_until_there_is_a_hurry() {
        let mut limiter = Limiter::new(10e9);
        granted(&mut limiter, 0.0, 300.0, 20e6);
        let burst = granted(&mut limiter, 300.0, 5.0, 500e6);
        assert!(burst < 100e6, "{burst}");
        limiter.hurry(true);
        granted(&mut limiter, 305.0, 5.0, 500e6);
        assert!(granted(&mut limiter, 310.0, 5.0, 500e6) > burst, "{}", limiter.rate());
    }
}
