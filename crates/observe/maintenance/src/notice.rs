//! One thing that a cloud will do to one machine.

use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Whose machines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MachineCloud {
    /// Google Compute Engine.
    Gcp,
    /// EC2.
    Aws,
    /// Azure's virtual machines.
    Azure,
}

impl MachineCloud {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Gcp, Self::Aws, Self::Azure];
}

impl fmt::Display for MachineCloud {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Gcp => "GCP",
            Self::Aws => "AWS",
            Self::Azure => "Azure",
        })
    }
}

/// What happens to the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MaintenanceKind {
    /// It goes on elsewhere, slower for a while and still for up to seconds.
    Migrate,
    /// It stands still for seconds and goes on where it is.
    Freeze,
    /// Its network or power may fail for a moment.
    Disrupt,
    /// It starts again with its disks.
    Reboot,
    /// It starts again on another host; what is on local disks is lost.
    Redeploy,
    /// It is stopped, and can be started on another host; what is on local disks is lost.
    Stop,
    /// Its host is taken out of service.
    Retire,
    /// It is deleted by its owner's order.
    Terminate,
    /// It is taken away because it was bought as spare capacity.
    Preempt,
    /// It may be taken away sooner than others: nothing is decided.
    Advice,
    /// A word that this version does not know. Nothing is done about it.
    Unknown,
}

impl MaintenanceKind {
    /// As tables and messages name it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Migrate => "migrate",
            Self::Freeze => "freeze",
            Self::Disrupt => "disrupt",
            Self::Reboot => "reboot",
            Self::Redeploy => "redeploy",
            Self::Stop => "stop",
            Self::Retire => "retire",
            Self::Terminate => "terminate",
            Self::Preempt => "preempt",
            Self::Advice => "advice",
            Self::Unknown => "unknown",
        }
    }
}

impl fmt::Display for MaintenanceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// How sure it is that it happens, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EventCertainty {
    /// It may not happen at all.
    Possible,
    /// It is announced as well as can be: a spot notice may come late or never.
    BestEffort,
    /// It is announced with a time, and the cloud keeps to it.
    Announced,
}

/// How far it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NoticeState {
    /// It has not begun.
    Scheduled,
    /// It goes on.
    Started,
}

/// One thing that a cloud will do to one machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MaintenanceNotice {
    /// The same as long as it is the same event: the cloud's own identifier where it has one.
    pub id: String,
    /// Who says so.
    pub cloud: MachineCloud,
    /// The machine, as the cloud names it.
    pub subject: String,
    /// What happens.
    pub kind: MaintenanceKind,
    /// The cloud's own word for it.
    pub word: String,
    /// Not before that time, if the cloud says one.
    pub not_before: Option<Timestamp>,
    /// When the machine may be touched first, as it is reckoned here: what is to be done must be done before. None if the
    /// cloud tells too little.
    pub deadline: Option<Timestamp>,
    /// When it should be over, if the cloud says so.
    pub until: Option<Timestamp>,
    /// How sure it is.
    pub certainty: EventCertainty,
    /// How far it is.
    pub state: NoticeState,
    /// Whether the machine comes back as the one it was.
    pub returns: bool,
    /// All machines of the same event, this one among them; those who approve it approve it for all.
    pub machines: Vec<String>,
}

impl fmt::Display for MaintenanceNotice {
    /// One line: `AWS reboot of i-1 (system-reboot) not before 2026-01-21T09:00:43Z`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { cloud, kind, subject, word, .. } = self;
        write!(f, "{cloud} {kind} of {} ({})", subject.escape_debug(), word.escape_debug())?;
        match (self.state, self.not_before.or(self.deadline)) {
            (NoticeState::Started, _) => f.write_str(", under way"),
            (NoticeState::Scheduled, Some(at)) => write!(f, " not before {at}"),
            (NoticeState::Scheduled, None) => f.write_str(" at a time that is not told"),
        }
    }
}
