//! What decides: a pure function of what is seen. It proposes, the guard disposes.

use std::collections::BTreeMap;

use diagnose::Finding;
use serde::Serialize;
use serde_json::Value;
use timeline::Timeline;

use crate::volumes_seen::VolumesSeen;
use crate::{ClockReading, ClusterHealth, PilotStep, Procedure, StepSubject, WorldError};

/// Decides what should be changed. It sees only what it is given, so that what it decides can be replayed.
pub trait Controller {
    /// The name that the journal and the guard's table know it by.
    fn name(&self) -> &'static str;

    /// What should be changed, and why; nothing most of the time.
    fn decide(&mut self, now: ClockReading, seen: &ClusterSnapshot) -> Vec<ActionProposal>;

    /// Whether it is asked after glances, too: it decides by what changes within a second.
    fn glances(&self) -> bool {
        false
    }
}

/// Something that should be done.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ActionProposal {
    /// For people: the numbers that call for it, in a sentence.
    pub reason: String,
    /// What to do; `None` where only people can, as with a setting that needs a restart.
    pub procedure: Option<Procedure>,
    /// The run whose changes are to be taken back, in place of anything new.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undoes: Option<u64>,
    /// What it should bring, for the record; the controller's own keys.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub expects: Value,
}

impl ActionProposal {
    /// Something to do.
    pub fn act(reason: impl Into<String>, procedure: Procedure) -> Self {
        Self { reason: reason.into(), procedure: Some(procedure), undoes: None, expects: Value::Null }
    }

    /// Changes that have lost their reason.
    pub fn undo(run: u64, reason: impl Into<String>) -> Self {
        Self { undoes: Some(run), ..Self::tell(reason) }
    }

    /// Something that the pilot cannot do, and tells.
    pub fn tell(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), procedure: None, undoes: None, expects: Value::Null }
    }

    /// What is to be done, in a clause.
    pub(crate) fn what(&self) -> String {
        match (&self.procedure, self.undoes) {
            (Some(procedure), _) => procedure.name.clone(),
            (None, Some(run)) => format!("undo run {run}"),
            (None, None) => "nothing".to_owned(),
        }
    }
}

/// A run that is over, and whose changes stay until somebody takes them back.
#[derive(Debug, Clone, PartialEq)]
pub struct StandingChange {
    /// Its number.
    pub run: u64,
    /// Who wanted it.
    pub controller: String,
    /// What it has changed.
    pub subjects: Vec<StepSubject>,
    /// As the controller proposed it.
    pub expects: Value,
    /// How often the same was done for the same, and taken back.
    pub before: u32,
}

/// What is known of a cluster at a moment.
#[derive(Debug, Clone, Default)]
pub struct ClusterSnapshot {
    /// By PD; `None` if PD does not answer.
    pub health: Option<ClusterHealth>,
    /// PD's configuration.
    pub pd_config: Option<Value>,
    /// The configuration in effect of each TiKV that tells it, by PD's number.
    pub configs: BTreeMap<u64, Value>,
    /// Variables of TiDB, by name.
    pub variables: BTreeMap<String, Value>,
    /// The last while of metrics, where there is a Prometheus.
    pub timeline: Option<Timeline>,
    /// What they say is wrong.
    pub verdicts: Vec<Finding>,
    /// The volumes of a cloud and their use, where they are watched.
    pub volumes: Option<VolumesSeen>,
    /// What the limiter is told of each store whose compactions are limited.
    pub signals: BTreeMap<u64, compaction_control::LimiterSignals>,
    /// The steps of what is under way, and for volumes those that would take them back.
    pub changing: Vec<PilotStep>,
    /// What stays of runs that are over, the last first.
    pub kept: Vec<StandingChange>,
    /// What clouds have announced.
    pub notices: Vec<maintenance::MaintenanceNotice>,
    /// Of the events that something was made ready for: how many procedures have done all that is to be done before them.
    pub ready: BTreeMap<String, usize>,
}

/// Fills in a part of what is seen: Prometheus, a cloud's notices, a volume's counters.
pub trait SnapshotSource {
    /// Looks. What is not known stays as it was given.
    ///
    /// # Errors
    /// When nobody answers; the pilot goes on with what else is seen.
    fn look(&mut self, now: ClockReading, seen: &mut ClusterSnapshot) -> Result<(), WorldError>;

    /// Looks between two looks at what changes within a second, if that costs its peers little. What is not asked for stays as
    /// it was seen last; what could not be told is taken out.
    ///
    /// # Errors
    /// When nobody answers.
    fn glance(&mut self, _now: ClockReading, _seen: &mut ClusterSnapshot) -> Result<(), WorldError> {
        Ok(())
    }
}
