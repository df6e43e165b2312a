//! Settings of TiKV that are changed while it runs, by TiKV's own names. Which can be changed so is of TiKV v8.5's
//! `online_config` attributes.

use std::fmt::{self, Display};
use std::str::FromStr;

use units::{Bytes, BytesPerSec};

/// A setting that TiKV changes while it runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum OnlineSetting {
    /// rocksdb.rate-bytes-per-sec.
    RateLimit(BytesPerSec),
    /// rocksdb.max-background-jobs.
    BackgroundJobs(u32),
    /// storage.flow-control.enable.
    FlowControl(bool),
    /// storage.block-cache.capacity.
    BlockCache(Bytes),
}

impl OnlineSetting {
    /// TiKV's name of it.
    pub fn name(&self) -> &'static str {
        let [rate, jobs, flow, cache] = ROWS.map(|(name, _)| name);
        match self {
            Self::RateLimit(_) => rate,
            Self::BackgroundJobs(_) => jobs,
            Self::FlowControl(_) => flow,
            Self::BlockCache(_) => cache,
        }
    }
}

impl Display for OnlineSetting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = ", self.name())?;
        match self {
            Self::RateLimit(rate) => write!(f, "{rate}"),
            Self::BackgroundJobs(jobs) => write!(f, "{jobs}"),
            Self::FlowControl(on) => write!(f, "{on}"),
            Self::BlockCache(size) => write!(f, "{size}"),
        }
    }
}

/// A name, and what its values are read as.
type Row = (&'static str, fn(&str) -> Result<OnlineSetting, String>);

const ROWS: [Row; 4] = [
    ("rocksdb.rate-bytes-per-sec", |text| match text.parse::<Bytes>() {
        Ok(size) => above_zero(size.as_f64()).map(|rate| OnlineSetting::RateLimit(BytesPerSec(rate))),
        Err(_) => read::<BytesPerSec>(text)
            .and_then(|rate| above_zero(rate.0))
            .map(|r| OnlineSetting::RateLimit(BytesPerSec(r))),
    }),
    ("rocksdb.max-background-jobs", |text| match text.parse() {
        Ok(jobs @ 2..=1024) => Ok(OnlineSetting::BackgroundJobs(jobs)),
        _ => Err(format!("`{text}` is no number of jobs: expected 2 to 1024")),
    }),
    ("storage.flow-control.enable", |text| match text {
        "true" => Ok(OnlineSetting::FlowControl(true)),
        "false" => Ok(OnlineSetting::FlowControl(false)),
        _ => Err(format!("`{text}` is neither true nor false")),
    }),
    ("storage.block-cache.capacity", |text| {
        read::<Bytes>(text).and_then(|size| above_zero(size.as_f64()).map(|_| OnlineSetting::BlockCache(size)))
    }),
];

/// Reads `name = value`.
pub(super) fn setting(text: &str) -> Result<OnlineSetting, String> {
    let example = "such as `rocksdb.rate-bytes-per-sec = 20MiB`";
    let (name, value) =
        text.split_once('=').ok_or_else(|| format!("`{text}`: expected a name and a value, {example}"))?;
    let (name, value) = (name.trim(), value.trim().trim_matches('"'));
    let names = ROWS.map(|(name, _)| name);
    match ROWS.iter().find(|(known, _)| *known == name) {
        Some((_, read)) => read(value),
        None => Err(format!(
            "`{name}` is none of the settings that TiKV changes while it runs and that mean something here; {}",
            textfile::did_you_mean(name, &names)
        )),
    }
}

fn read<T: FromStr<Err: Display>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|error: T::Err| error.to_string())
}

fn above_zero(value: f64) -> Result<f64, String> {
    if value > 0.0 { Ok(value) } else { Err("must be more than zero".to_owned()) }
}
