//! What is compared.

use toml::Table;

use crate::setup::{Setup, set};

/// Who limits flushes and compactions; rates are MiB/s as they are on the whole disk.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Who {
    /// `diskwright pilot run --limit`, on a store that begins with this rate.
    Pilot(f64),
    /// A rate that stays.
    Fixed(f64),
    /// RocksDB, which tunes itself below a ceiling.
    Rocksdb(f64),
    /// TiKV's formula, below a ceiling.
    Tikv(f64),
}

/// A way to limit compactions.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Arm {
    /// In tables; rates are those that the share of the disk is given.
    pub(crate) name: String,
    pub(crate) who: Who,
}

/// TiKV's own ceiling, which no disk reaches.
const NONE: f64 = 10.0 * 1024.0;
/// The disk's throughput.
const WHOLE: f64 = 125.0;
/// What `diskwright render` lets a store begin with on it (`rate-limit-share` of crates/operate/render/tables/advice.toml). Without a limit
/// RocksDB's limiter keeps a tenth of a second of that as credit, 256 MiB here, which passes whatever rate is set later.
const RENDERED: f64 = 0.8 * WHOLE;

impl Arm {
    /// All of them, the pilot first, with these fixed rates.
    pub(crate) fn all(setup: &Setup, fixed: &[f64]) -> Vec<Self> {
        let whose = [Who::Pilot(RENDERED)].into_iter().chain(fixed.iter().map(|rate| Who::Fixed(*rate)));
        let others = [Who::Fixed(NONE), Who::Rocksdb(WHOLE), Who::Tikv(NONE)];
        whose.chain(others).map(|who| Self { name: name(who, setup), who }).collect()
    }

    /// TiKV's keys with which the store starts.
    pub(crate) fn keys(&self, setup: &Setup) -> Table {
        let (rate, tuned) = match self.who {
            Who::Pilot(rate) | Who::Fixed(rate) | Who::Tikv(rate) => (rate, false),
            Who::Rocksdb(ceiling) => (ceiling, true),
        };
        let mut keys = Table::new();
        set(&mut keys, "rocksdb.rate-bytes-per-sec", (setup.rate(rate).0.round() as i64).into());
        set(&mut keys, "rocksdb.rate-limiter-auto-tuned", tuned.into());
        keys
    }

    /// The keys with which a store works off what a run left, as fast as it can.
    pub(crate) fn free(setup: &Setup) -> Table {
        Self { name: String::new(), who: Who::Fixed(NONE) }.keys(setup)
    }
}

fn name(who: Who, setup: &Setup) -> String {
    let mib = |rate: f64| format!("{} MiB/s", rate * setup.share);
    match who {
        Who::Pilot(_) => "pilot".to_owned(),
        Who::Fixed(rate) if rate >= NONE => "no limit".to_owned(),
        Who::Fixed(rate) => format!("fixed at {}", mib(rate)),
        Who::Rocksdb(ceiling) => format!("RocksDB's auto-tune, ceiling {}", mib(ceiling)),
        Who::Tikv(ceiling) if ceiling >= NONE => "TiKV's formula".to_owned(),
        Who::Tikv(ceiling) => format!("TiKV's formula, ceiling {}", mib(ceiling)),
    }
}
