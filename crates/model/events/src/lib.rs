//! What happens to a deployment while it runs, as people write it: a TOML file of `[[events]]`, each an instant and one thing.
//! It is read here; whether it can be is for those to say who make it happen.

#![forbid(unsafe_code)]

mod names;
mod read;
mod setting;

use textfile::{InputError, Text};
use units::Nanos;

pub use names::{DeploymentNames, node_name, sql_node_name, zone_name};
pub use setting::OnlineSetting;

/// The events of a run, read but not yet held against a deployment.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EventScript {
    /// Where they were read from; `None` if there are none.
    text: Option<Text>,
    events: Vec<EventEntry>,
}

/// Something that happens.
#[derive(Debug, Clone, PartialEq)]
pub struct EventEntry {
    /// When, from the start of the run; its warm-up is part of it.
    pub at: Nanos,
    /// What.
    pub what: EventKind,
}

/// Event; names are as written.
#[derive(Debug, Clone, PartialEq)]
pub enum EventKind {
    /// Multiple of the load at the start.
    Load(f64),
    /// An operation has so many times the reads, scans and writes of the beginning.
    Mix([f64; 3]),
    /// Something goes wrong with a disk.
    Fault {
        /// A storage node, or `all`.
        node: String,
        /// `data` or `log`.
        disk: String,
        /// Requested fault or rate.
        wish: disk::RequestedRate,
    },
    /// A disk becomes another.
    Modify {
        /// A storage node, or `all`.
        node: String,
        /// `data` or `log`.
        disk: String,
        /// New disk.
        to: disk::Disk,
    },
    /// A setting that TiKV changes while it runs.
    Setting(OnlineSetting),
    /// All nodes of a zone are away for a while.
    ZoneDown {
        /// The zone.
        zone: String,
        /// For how long; [`Nanos::MAX`] is to the end.
        lasts: Nanos,
    },
    /// A node is away for a while.
    NodeDown {
        /// A storage node, or `all`.
        node: String,
        /// For how long; [`Nanos::MAX`] is to the end.
        lasts: Nanos,
    },
    /// A node leads no range for a while.
    EvictLeaders {
        /// A storage node, or `all`.
        node: String,
        /// For how long; [`Nanos::MAX`] is to the end.
        lasts: Nanos,
    },
}

/// An event for a reader of the run's Timeline.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct TimelineMark {
    /// When it happens.
    pub at: Nanos,
    /// What, as it was written: `n1/data slow 20x for 60s`.
    pub what: String,
}

impl EventScript {
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

    /// Its file, if there is one: to point into, and to keep.
    pub fn text(&self) -> Option<&Text> {
        self.text.as_ref()
    }

    /// The events, in the order of the file.
    pub fn events(&self) -> &[EventEntry] {
        &self.events
    }

    /// An error at the line of an event, counted from 0.
    ///
    /// # Panics
    /// When there is no such event.
    pub fn error(&self, number: usize, why: impl std::fmt::Display) -> InputError {
        let key = format!("events.{number}.{}", self.events[number].what.key());
        self.error_at(&key, &why)
    }

    /// That an event, counted from 0, comes after the end of the run; `longer` says what to do about it.
    pub fn too_late(&self, number: usize, ends: Nanos, longer: &str) -> InputError {
        let key = format!("events.{number}.at");
        self.error_at(&key, &format!("the run ends at {ends}, so this never happens")).help(longer)
    }

    fn error_at(&self, key: &str, why: &dyn std::fmt::Display) -> InputError {
        let why = format!("`{key}`: {why}");
        match &self.text {
            Some(text) => text.error_at_key(key, why),
            None => InputError::new("events", why),
        }
    }

    /// The events for people, in order of time.
    pub fn marks(&self) -> Vec<TimelineMark> {
        let mut marks: Vec<TimelineMark> =
            self.events.iter().map(|event| TimelineMark { at: event.at, what: event.what.to_string() }).collect();
        marks.sort_by_key(|mark| mark.at);
        marks
    }
}

impl EventKind {
    /// The key that it is written under.
    pub fn key(&self) -> &'static str {
        match self {
            Self::Load(_) => "load",
            Self::Mix(_) => "mix",
            Self::Fault { .. } => "fault",
            Self::Modify { .. } => "modify",
            Self::Setting(_) => "setting",
            Self::ZoneDown { .. } => "zone-down",
            Self::NodeDown { .. } => "node-down",
            Self::EvictLeaders { .. } => "evict-leaders",
        }
    }
}

/// ` for 60s`, or nothing if it lasts to the end.
fn lasting(lasts: Nanos) -> String {
    if lasts == Nanos::MAX { String::new() } else { format!(" for {lasts}") }
}

impl std::fmt::Display for EventKind {
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
