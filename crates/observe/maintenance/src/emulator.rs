//! The three metadata servers in one, with their status codes, tags, tokens and delays, so that a watcher can be rehearsed
//! on any machine. It decides on what was planned and the time alone; [`Server`] gives it a socket, [`Twin`] a virtual clock.

mod aws;
mod azure;
mod gcp;
mod request;
mod server;
mod twin;

use std::time::Duration;

use jiff::Timestamp;

pub use request::{EmulatorRequest, EmulatorResponse, LongPollReply};
pub use server::MetadataServer;
pub use twin::MetadataTwin;

use crate::table::{self, Event};
use crate::{MachineCloud, MaintenanceError};

/// An event that is to be told of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnnouncedEvent {
    /// By whom.
    pub cloud: MachineCloud,
    /// In which of the cloud's words: `MIGRATE_ON_HOST_MAINTENANCE`, `system-reboot`, `terminate`, `Freeze` ….
    pub word: String,
    /// When it is told.
    pub announced: Timestamp,
    /// When it begins.
    pub starts: Timestamp,
    /// When it is over.
    pub ends: Timestamp,
    /// Other machines of the same event.
    pub others: Vec<String>,
}

impl AnnouncedEvent {
    /// An event with the notice that the cloud gives, told at `announced`; where the cloud gives none, `lead` is it.
    ///
    /// # Errors
    /// When the cloud has no such word.
    pub fn usual(
        cloud: MachineCloud,
        word: &str,
        announced: Timestamp,
        lead: Option<Duration>,
        takes: Duration,
    ) -> Result<Self, MaintenanceError> {
        let known = table::meaning(cloud, word).ok_or_else(|| {
            let words: Vec<_> = table::words(cloud).collect();
            let word = MaintenanceError::quoted(word);
            MaintenanceError::Input(format!("{cloud} has no event {word}: expected one of {}", words.join(", ")))
        })?;
        let starts = announced + lead.or(known.notice).unwrap_or_default();
        let word = word.to_owned();
        Ok(Self { cloud, word, announced, starts, ends: starts + takes, others: Vec::new() })
    }
}

/// A planned event and what came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedEvent {
    /// As it was planned; an approval moves its start and end.
    pub planned: AnnouncedEvent,
    /// What the cloud calls it.
    pub id: String,
    /// When it was first read.
    pub read: Option<Timestamp>,
    /// When it was approved.
    pub approved: Option<Timestamp>,
}

impl PlannedEvent {
    fn is_of(&self, cloud: MachineCloud, key: &str) -> bool {
        let event = table::meaning(cloud, &self.planned.word);
        self.planned.cloud == cloud && event.is_some_and(|event: &Event| event.key == key)
    }

    /// Whether it is told now.
    fn is_told(&self, now: Timestamp) -> bool {
        self.planned.announced <= now && now < self.planned.ends
    }

    fn has_begun(&self, now: Timestamp) -> bool {
        self.planned.starts <= now
    }
}

/// The metadata server of one machine, of whichever cloud is asked for.
#[derive(Debug)]
pub struct MetadataEmulator {
    machine: String,
    happenings: Vec<PlannedEvent>,
    busy: Option<(Timestamp, Timestamp)>,
    aws: aws::Tokens,
    azure: azure::Switch,
    gcp: gcp::Keys,
}

impl MetadataEmulator {
    /// For a machine of that name, with nothing planned.
    pub fn new(machine: impl Into<String>) -> Self {
        Self {
            machine: machine.into(),
            happenings: Vec::new(),
            busy: None,
            aws: aws::Tokens::default(),
            azure: azure::Switch::default(),
            gcp: gcp::Keys::default(),
        }
    }

    /// Plans an event.
    pub fn plan(&mut self, planned: AnnouncedEvent) {
        let number = self.happenings.len() + 1;
        let id = match planned.cloud {
            MachineCloud::Gcp => format!("{}-{number}", planned.word),
            MachineCloud::Aws => format!("instance-event-{number:017x}"),
            MachineCloud::Azure => format!("00000000-0000-4000-8000-{number:012X}"),
        };
        self.happenings.push(PlannedEvent { planned, id, read: None, approved: None });
    }

    /// All that was planned, in that order.
    pub fn happenings(&self) -> &[PlannedEvent] {
        &self.happenings
    }

    /// Ends all that is told now, sooner than it was planned.
    pub fn finish(&mut self, now: Timestamp) {
        self.happenings.iter_mut().filter(|one| one.is_told(now)).for_each(|one| one.planned.ends = now);
    }

    /// Answers 503 in that time, as GCP's does while it moves a machine.
    pub fn busy(&mut self, from: Timestamp, until: Timestamp) {
        self.busy = Some((from, until));
    }

    /// Makes all tokens of AWS invalid.
    pub fn expire_tokens(&mut self) {
        self.aws.expire();
    }

    /// How long Azure's first answer takes; two minutes if not said.
    pub fn azure_takes(&mut self, first: Duration) {
        self.azure.first = first;
    }

    /// The next time at which an answer changes by itself.
    pub fn next_change(&self, now: Timestamp) -> Option<Timestamp> {
        let times = |one: &PlannedEvent| [one.planned.announced, one.planned.starts, one.planned.ends];
        let busy = self.busy.iter().flat_map(|(from, until)| [*from, *until]);
        self.happenings.iter().flat_map(times).chain(busy).filter(|at| *at > now).min()
    }

    /// Answers a request, or says until when it waits: then, or when something was planned, it is to be asked again.
    pub fn answer(&mut self, now: Timestamp, request: &EmulatorRequest) -> LongPollReply {
        self.gcp.advance(&self.happenings, now);
        if self.busy.is_some_and(|(from, until)| from <= now && now < until) {
            return EmulatorResponse::new(503, "Service Unavailable").into();
        }
        let path = request.path.as_str();
        if path.starts_with("/computeMetadata/") {
            gcp::answer(self, now, request)
        } else if path.starts_with("/latest/") {
            aws::answer(self, now, request).into()
        } else if path.starts_with("/metadata/") {
            azure::answer(self, now, request)
        } else {
            EmulatorResponse::new(404, "there is nothing here").into()
        }
    }

    /// The events under a key that are told now; they count as read.
    fn told(&mut self, cloud: MachineCloud, key: &'static str, now: Timestamp) -> Vec<PlannedEvent> {
        let told = self.happenings.iter_mut().filter(|one| one.is_of(cloud, key) && one.is_told(now));
        told.map(|one| {
            one.read.get_or_insert(now);
            one.clone()
        })
        .collect()
    }
}

#[cfg(test)]
mod tests;
