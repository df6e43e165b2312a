//! Who tunes the limit on what flushes and compactions write.

use std::str::FromStr;

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

/// A text that names nobody who tunes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` tunes no limit; {}", textfile::did_you_mean(text, &WriteRateTuner::ALL.map(|(name, _)| name)))]
pub struct UnknownTuner {
    /// What was written.
    pub text: String,
}

impl FromStr for WriteRateTuner {
    type Err = UnknownTuner;

    fn from_str(text: &str) -> Result<Self, UnknownTuner> {
        let found = Self::ALL.into_iter().find(|(name, _)| *name == text);
        found.map(|(_, tuner)| tuner).ok_or_else(|| UnknownTuner { text: text.to_owned() })
    }
}
