//! What happens to a deployment while it runs, as people write it: a TOML file of `[[events]]`, each an instant and one thing.

mod bind;
mod knob;
mod read;
#[cfg(test)]
mod tests;

use input::{InputError, Text};
use units::{Bytes, BytesPerSec, Nanos};

pub(crate) use bind::Action;
pub(crate) use knob::Knob;

/// The events of a run, read but not yet held against a deployment.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Script {
    /// Where they were read from; `None` if there are none.
    text: Option<Text>,
    events: Vec<Event>,
}

/// Something that happens.
#[derive(Debug, Clone, PartialEq)]
struct Event {
    at: Nanos,
    what: What,
}

/// What happens; names are as written.
#[derive(Debug, Clone, PartialEq)]
enum What {
    /// So many times the load that the run began with.
    Load(f64),
    /// An operation has so many times the reads, scans and writes of the beginning.
    Mix([f64; 3]),
    /// Something goes wrong with a disk.
    Fault { node: String, disk: String, wish: disk::Wish },
    /// A disk becomes another.
    Modify { node: String, disk: String, to: disk::Disk },
    /// A setting that TiKV changes while it runs.
    Setting(Setting),
    /// All nodes of a zone are away for a while.
    ZoneDown { zone: String, lasts: Nanos },
    /// A node is away for a while.
    NodeDown { node: String, lasts: Nanos },
    /// A node leads no range for a while.
    EvictLeaders { node: String, lasts: Nanos },
}

/// A setting that TiKV changes while it runs.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Setting {
    /// rocksdb.rate-bytes-per-sec.
    RateLimit(BytesPerSec),
    /// rocksdb.max-background-jobs.
    BackgroundJobs(u32),
    /// storage.flow-control.enable.
    FlowControl(bool),
    /// storage.block-cache.capacity.
    BlockCache(Bytes),
}

/// An event for a reader of the run's Timeline.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Mark {
    /// When it happens.
    pub at: Nanos,
    /// What, as it was written: `n1/data slow 20x for 60s`.
    pub what: String,
}

impl Script {
    /// Reads a file of events.
    ///
    /// # Errors
    /// When it is not one; with file, line and key.
    pub fn from_text(text: &Text) -> Result<Self, InputError> {
        Ok(Self { text: Some(text.clone()), events: read::events(text)? })
    }

    /// Whether nothing happens.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// Its file's text, if there is one.
    pub fn source(&self) -> Option<&str> {
        self.text.as_ref().map(Text::content)
    }

    /// The events for people, in order of time.
    pub fn marks(&self) -> Vec<Mark> {
        let mut marks: Vec<Mark> =
            self.events.iter().map(|event| Mark { at: event.at, what: event.what.to_string() }).collect();
        marks.sort_by_key(|mark| mark.at);
        marks
    }
}

/// ` for 60s`, or nothing if it lasts to the end.
fn lasting(lasts: Nanos) -> String {
    if lasts == Nanos::MAX { String::new() } else { format!(" for {lasts}") }
}

impl std::fmt::Display for What {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Load(factor) => write!(f, "load {factor}"),
            Self::Mix([reads, scans, writes]) => write!(f, "reads {reads}x, scans {scans}x, writes {writes}x"),
            Self::Fault { node, disk, wish } => write!(f, "{node}/{disk} {wish}"),
            Self::Modify { node, disk, to } => write!(f, "{node}/{disk} becomes {to}"),
            Self::Setting(setting) => write!(f, "{setting}"),
            Self::ZoneDown { zone, lasts } => write!(f, "zone {zone} down{}", lasting(*lasts)),
            Self::NodeDown { node, lasts } => write!(f, "{node} down{}", lasting(*lasts)),
            Self::EvictLeaders { node, lasts } => write!(f, "{node} leads nothing{}", lasting(*lasts)),
        }
    }
}

impl std::fmt::Display for Setting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::RateLimit(rate) => write!(f, "rocksdb.rate-bytes-per-sec = {rate}"),
            Self::BackgroundJobs(jobs) => write!(f, "rocksdb.max-background-jobs = {jobs}"),
            Self::FlowControl(on) => write!(f, "storage.flow-control.enable = {on}"),
            Self::BlockCache(size) => write!(f, "storage.block-cache.capacity = {size}"),
        }
    }
}
