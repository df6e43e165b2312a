//! A change of one thing of a cluster, small enough to be undone: what it is about, what it wants, and what undoes it.

use std::fmt;

use disk::Disk;
use maintenance::NoticeState;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::value::same;

/// A change of one thing. Written down before it is made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case")]
pub enum PilotStep {
    /// Sets a key of one TiKV online, without writing it to TiKV's file: a restart of TiKV undoes it too.
    SetTikvConfig {
        /// PD's number of the store.
        store: u64,
        /// The key with dots, as in the file.
        key: String,
        /// A text, a number or a truth; sizes as text, `100MiB`.
        value: Value,
    },
    /// Sets an item of PD's configuration; PD keeps it.
    SetPdConfig {
        /// The key with its section: `schedule.leader-schedule-limit`.
        key: String,
        /// A text, a number or a truth.
        value: Value,
    },
    /// Moves all leaderships off a store and lets none come back, until it is undone.
    EvictLeaders {
        /// PD's number of the store.
        store: u64,
    },
    /// Makes a member of PD give up its leadership.
    ResignPdLeader {
        /// The member's name.
        member: String,
    },
    /// Lets Kubernetes put nothing new on a node, until it is undone.
    CordonNode {
        /// The node's name.
        node: String,
    },
    /// Deletes a pod, for its controller to make a new one elsewhere.
    DeletePod {
        /// The pod's namespace.
        namespace: String,
        /// The pod's name.
        pod: String,
    },
    /// Lets an event of a cloud begin before its time, for all of its machines.
    ApproveEvent {
        /// The name that its notice has.
        event: String,
    },
    /// Changes what a volume of a cloud is provisioned as.
    ModifyVolume {
        /// The cloud's name of it: `vol-0a1b…`.
        volume: String,
        /// As what.
        to: Disk,
    },
    /// Sets a global variable of TiDB.
    SetTidbVariable {
        /// Its name.
        name: String,
        /// Its value, as TiDB prints it.
        value: Value,
    },
}

/// What a step is about. Two runs never change one subject at a time.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(tag = "of", rename_all = "kebab-case")]
pub enum StepSubject {
    /// A key of a TiKV; read as its value.
    TikvConfig {
        /// PD's number of the store.
        store: u64,
        /// The key with dots.
        key: String,
    },
    /// An item of PD's configuration; read as its value.
    PdConfig {
        /// The key with its section.
        key: String,
    },
    /// Whether leaders are kept off a store; read as true or false.
    Leaders {
        /// PD's number of the store.
        store: u64,
    },
    /// Who leads PD; read as the member's name.
    PdLeader,
    /// Whether a node takes no pods; read as true or false.
    Node {
        /// The node's name.
        node: String,
    },
    /// A pod; read as its unique id, null where there is none.
    Pod {
        /// The pod's namespace.
        namespace: String,
        /// The pod's name.
        pod: String,
    },
    /// How far an event of a cloud is; read as `scheduled` or `started`, null where nothing is told of it any more.
    Event {
        /// The name that its notice has.
        event: String,
    },
    /// A volume; read as the text of a [`Disk`].
    Volume {
        /// The cloud's name of it.
        volume: String,
    },
    /// A variable of TiDB; read as its value.
    TidbVariable {
        /// Its name.
        name: String,
    },
}

/// How a step is undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepReversal {
    /// By writing what was there before.
    Write,
    /// Never; this says why.
    Never(&'static str),
}

impl PilotStep {
    /// What it is about.
    pub fn subject(&self) -> StepSubject {
        match self.clone() {
            Self::SetTikvConfig { store, key, .. } => StepSubject::TikvConfig { store, key },
            Self::SetPdConfig { key, .. } => StepSubject::PdConfig { key },
            Self::EvictLeaders { store } => StepSubject::Leaders { store },
            Self::ResignPdLeader { .. } => StepSubject::PdLeader,
            Self::CordonNode { node } => StepSubject::Node { node },
            Self::DeletePod { namespace, pod } => StepSubject::Pod { namespace, pod },
            Self::ApproveEvent { event } => StepSubject::Event { event },
            Self::ModifyVolume { volume, .. } => StepSubject::Volume { volume },
            Self::SetTidbVariable { name, .. } => StepSubject::TidbVariable { name },
        }
    }

    /// What undoing it makes of a volume that was so before; nothing of other subjects.
    pub(crate) fn back(&self, before: &Value) -> Option<Self> {
        match self {
            Self::ModifyVolume { volume, .. } => {
                Some(Self::ModifyVolume { volume: volume.clone(), to: before.as_str()?.parse().ok()? })
            }
            _ => None,
        }
    }

    /// What is written to its subject, where `before` was read there.
    pub fn writes(&self, before: &Value) -> Value {
        match self {
            Self::SetTikvConfig { value, .. }
            | Self::SetPdConfig { value, .. }
            | Self::SetTidbVariable { value, .. } => value.clone(),
            Self::EvictLeaders { .. } | Self::CordonNode { .. } => json!(true),
            // The one that shall go, so that no other is hit.
            Self::ResignPdLeader { member } => json!(member),
            Self::DeletePod { .. } => before.clone(),
            Self::ApproveEvent { .. } => json!(NoticeState::Started),
            Self::ModifyVolume { to, .. } => json!(to.to_string()),
        }
    }

    /// Whether what is read `now` is what it wants, where `before` was read when it was written down.
    pub fn reached(&self, before: &Value, now: &Value) -> bool {
        match self {
            Self::ResignPdLeader { member } => now.as_str() != Some(member),
            Self::DeletePod { .. } => before.is_null() || now != before,
            // It may be over when it is looked at.
            Self::ApproveEvent { .. } => *now != json!(NoticeState::Scheduled),
            _ => same(&self.writes(before), now),
        }
    }

    /// Whether what was before can be written once more although it is there. A cloud counts each modification of a volume.
    pub(crate) fn can_be_rewritten(&self) -> bool {
        self.reversal() == StepReversal::Write && !matches!(self, Self::ModifyVolume { .. })
    }

    /// How it is undone.
    pub fn reversal(&self) -> StepReversal {
        match self {
            Self::ResignPdLeader { .. } => StepReversal::Never("PD may be led by any of its members"),
            Self::DeletePod { .. } => StepReversal::Never("a pod that is gone is made anew by its controller"),
            Self::ApproveEvent { .. } => StepReversal::Never("what a cloud has begun cannot be held back"),
            _ => StepReversal::Write,
        }
    }
}

impl fmt::Display for PilotStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SetTikvConfig { store, key, value } => write!(f, "set {key} = {} on store {store}", Shown(value)),
            Self::SetPdConfig { key, value } => write!(f, "set PD's {key} = {}", Shown(value)),
            Self::EvictLeaders { store } => write!(f, "evict leaders from store {store}"),
            Self::ResignPdLeader { member } => write!(f, "make {member} resign as PD's leader"),
            Self::CordonNode { node } => write!(f, "cordon node {node}"),
            Self::DeletePod { namespace, pod } => write!(f, "delete pod {namespace}/{pod}"),
            Self::ApproveEvent { event } => write!(f, "let event {} begin", event.escape_debug()),
            Self::ModifyVolume { volume, to } => write!(f, "change {volume} to {to}"),
            Self::SetTidbVariable { name, value } => write!(f, "set TiDB's {name} = {}", Shown(value)),
        }
    }
}

impl fmt::Display for StepSubject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TikvConfig { store, key } => write!(f, "{key} of store {store}"),
            Self::PdConfig { key } => write!(f, "PD's {key}"),
            Self::Leaders { store } => write!(f, "eviction of leaders from store {store}"),
            Self::PdLeader => f.write_str("PD's leader"),
            Self::Node { node } => write!(f, "cordon of node {node}"),
            Self::Pod { namespace, pod } => write!(f, "pod {namespace}/{pod}"),
            Self::Event { event } => write!(f, "event {}", event.escape_debug()),
            Self::Volume { volume } => write!(f, "volume {volume}"),
            Self::TidbVariable { name } => write!(f, "TiDB's {name}"),
        }
    }
}

/// A value without the quotes of JSON.
pub(crate) struct Shown<'v>(pub(crate) &'v Value);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Value::String(text) => f.write_str(text),
            Value::Bool(true) => f.write_str("yes"),
            Value::Bool(false) => f.write_str("no"),
            Value::Null => f.write_str("none"),
            value => write!(f, "{value}"),
        }
    }
}
