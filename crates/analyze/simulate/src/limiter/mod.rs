//! RocksDB's limit on the bytes that flushes and compactions write, and who tunes it.

mod pilot;
mod rocksdb;
mod tikv;

use std::str::FromStr;

use units::Nanos;

pub(crate) use pilot::Pilot;

/// Refill period: what may pass at once.
const PERIOD: f64 = 0.1;

/// Who tunes the limit on the bytes that flushes and compactions write, below `rocksdb.rate-bytes-per-sec`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum WriteRateTuner {
    /// TiKV, by what the writes of the last minutes needed: `rocksdb.rate-limiter-auto-tuned = true`.
    Tikv,
    /// RocksDB itself, by how often the limit is reached: what the same setting means without TiKV's own limiter.
    Rocksdb,
    /// Nobody: the rate holds as it is.
    Fixed,
    /// Diskwright's pilot, which sets the rate of each node from what a pilot can read.
    Pilot,
}

impl WriteRateTuner {
    /// All, with their names.
    const ALL: [(&'static str, Self); 4] =
        [("tikv", Self::Tikv), ("rocksdb", Self::Rocksdb), ("fixed", Self::Fixed), ("pilot", Self::Pilot)];
}

/// A name that no tuner has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` tunes no limit; {help}")]
pub struct UnknownTuner {
    /// The name.
    pub name: String,
    /// The name meant, or all.
    pub help: String,
}

impl FromStr for WriteRateTuner {
    type Err = UnknownTuner;

    fn from_str(text: &str) -> Result<Self, UnknownTuner> {
        let found = Self::ALL.into_iter().find(|(name, _)| *name == text);
        found.map(|(_, tuner)| tuner).ok_or_else(|| {
            let names = Self::ALL.map(|(name, _)| name);
            UnknownTuner { name: text.to_owned(), help: textfile::did_you_mean(text, &names) }
        })
    }
}

/// Who tunes, with what he has seen.
#[derive(Debug, Clone)]
enum Tuning {
    Tikv(Box<tikv::Tuning>),
    Rocksdb(rocksdb::Tuning),
    Fixed,
}

/// The limiter of a node.
#[derive(Debug, Clone)]
pub(crate) struct Limiter {
    most: f64,
    rate: f64,
    /// When all flushes that were granted, and all requests, would have passed at exactly the rate, in seconds.
    flushes: f64,
    all: f64,
    tuning: Tuning,
    /// Compaction is behind: more is allowed at once.
    hurry: bool,
}

impl Limiter {
    /// With `rate-bytes-per-sec`, which is the rate if nobody or the pilot tunes it, and else its ceiling.
    pub(crate) fn new(most: f64, tuner: WriteRateTuner) -> Self {
        let (rate, tuning) = match tuner {
            WriteRateTuner::Tikv => (most / 2.0, Tuning::Tikv(Box::new(tikv::Tuning::new()))),
            WriteRateTuner::Rocksdb => (most / 2.0, Tuning::Rocksdb(rocksdb::Tuning::default())),
            WriteRateTuner::Fixed | WriteRateTuner::Pilot => (most, Tuning::Fixed),
        };
        Self { most, rate, flushes: 0.0, all: 0.0, tuning, hurry: false }
    }

    /// Changes `rate-bytes-per-sec`, which binds at once.
    pub(crate) fn limit(&mut self, most: f64) {
        self.most = most;
        self.rate = if matches!(self.tuning, Tuning::Fixed) { most } else { self.rate.min(most) };
    }

    /// Tells that compaction is behind.
    pub(crate) fn hurry(&mut self, hurry: bool) {
        self.hurry = hurry;
    }

    /// Bytes a second that are allowed now.
    pub(crate) fn rate(&self) -> f64 {
        self.rate
    }

    /// When bytes of a flush (`high`) or a compaction may be written. Flushes go first, and both together get the rate.
    pub(crate) fn request(&mut self, now: Nanos, bytes: f64, high: bool) -> Nanos {
        let seconds = now.as_secs_f64();
        let passes = match &mut self.tuning {
            Tuning::Tikv(tuning) => {
                self.rate = tuning.tune(seconds, self.rate, self.most, self.hurry).unwrap_or(self.rate);
                tuning.add(bytes, high);
                high && tuning.passes(self.most)
            }
            Tuning::Rocksdb(tuning) => {
                self.rate = tuning.tune(seconds, self.rate, self.most, PERIOD).unwrap_or(self.rate);
                false
            }
            Tuning::Fixed => false,
        };
        if passes {
            return now;
        }
        // Flushes wait for flushes only, and compactions for both.
        let took = bytes / self.rate;
        let line = if high { self.flushes } else { self.all };
        let start = seconds.max(line - PERIOD);
        if high {
            self.flushes = self.flushes.max(start) + took;
        }
        self.all = self.all.max(seconds.max(self.all - PERIOD)) + took;
        if start <= seconds {
            return now;
        }
        if let Tuning::Rocksdb(tuning) = &mut self.tuning {
            tuning.waits(seconds, PERIOD);
        }
        Nanos::from_secs_f64(start).max(now)
    }
}

#[cfg(test)]
mod tests;
