//! What the pilot may do: bounds from a table, and gates that a cluster must pass.

use std::str::FromStr;
use std::sync::LazyLock;

use render::{SettingsTable, TikvVersion};
use serde::Deserialize;
use units::Nanos;

use crate::procedure::ProcedureStage;
use crate::{ClockReading, ClusterHealth, JournalReplay, PilotStep, Procedure, StepSubject};

const HOUR: Nanos = Nanos::secs(3600);

/// The table of bounds.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct SettingBounds {
    controller: Vec<ControllerBound>,
    step: Vec<StepBound>,
    pub(crate) retries: Retries,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct ControllerBound {
    name: String,
    actions_per_hour: usize,
    why: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct StepBound {
    name: String,
    settles_within: Nanos,
}

/// When something is tried again.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Retries {
    pub(crate) grace: Nanos,
    pub(crate) outstanding: Nanos,
    pub(crate) sends: u32,
    pub(crate) first: Nanos,
    pub(crate) most: Nanos,
    pub(crate) stuck_after: u32,
}

static BOUNDS: LazyLock<SettingBounds> = LazyLock::new(|| {
    toml::from_str(include_str!("../tables/guard.toml")).expect("tables that ship with the program are read by a test")
});

impl SettingBounds {
    /// The table that ships with the program.
    pub fn embedded() -> &'static Self {
        &BOUNDS
    }

    /// How many actions an hour a controller has, and why.
    pub fn actions(&self, controller: &str) -> (usize, &str) {
        let named = |name: &str| self.controller.iter().find(|bound| bound.name == name);
        named(controller).or_else(|| named("*")).map_or((0, ""), |bound| (bound.actions_per_hour, bound.why.as_str()))
    }

    /// How long a step may take until it can be read back.
    pub(crate) fn settles_within(&self, step: &PilotStep) -> Nanos {
        let name = match step {
            PilotStep::ResignPdLeader { .. } => "resign-pd-leader",
            PilotStep::DeletePod { .. } => "delete-pod",
            PilotStep::ApproveEvent { .. } => "approve-event",
            PilotStep::ModifyVolume { .. } => "modify-volume",
            _ => "*",
        };
        self.step.iter().find(|bound| bound.name == name).map_or(Nanos(0), |bound| bound.settles_within)
    }
}

/// Lets things through, or says why not.
#[derive(Debug, Default)]
pub struct ActionGuard {
    /// Until when each action of the last hour counts, on the clock that never jumps, and whose it was.
    recent: Vec<(Nanos, String)>,
}

impl ActionGuard {
    /// One that remembers the actions of a journal's last hour.
    pub fn new(replay: &JournalReplay, now: ClockReading) -> Self {
        let mut guard = Self::default();
        for run in replay.runs.values() {
            let age = now.since_wall(run.last);
            if age < HOUR {
                let own = (now.mono + (HOUR - age), run.controller.clone());
                guard.recent.extend(std::iter::repeat_n(own, run.steps.len()));
            }
        }
        guard
    }

    /// Takes note of an action.
    pub(crate) fn count(&mut self, controller: &str, now: ClockReading) {
        self.recent.retain(|(until, _)| *until > now.mono);
        self.recent.push((now.mono + HOUR, controller.to_owned()));
    }

    /// Whether a procedure may begin; the error says why not, in a sentence for people.
    ///
    /// # Errors
    /// When it may not.
    pub fn admit(
        &self,
        controller: &str,
        procedure: &Procedure,
        health: Option<&ClusterHealth>,
        replay: &JournalReplay,
        now: ClockReading,
    ) -> Result<(), String> {
        let Some(health) = health else {
            return Err("PD does not tell how the cluster is".to_owned());
        };
        // What is wholly undone, and only watched, holds nothing up.
        let changing = || replay.open().filter(|run| !run.only_watches());
        for subject in procedure.subjects() {
            if let Some(run) = changing().find(|run| run.procedure.subjects().any(|other| other == subject)) {
                return Err(format!("run {} is changing the {subject}", run.number));
            }
        }
        for step in procedure.steps().map(|(_, step)| step) {
            vet(step, health)?;
            gate(step, health)?;
            if let PilotStep::EvictLeaders { store } = step
                && let Some((run, other)) =
                    changing().find_map(|run| Some((run.number, evicted(&run.procedure, *store)?)))
            {
                return Err(format!("run {run} evicts leaders from store {other}, and never two stores do"));
            }
        }
        let (most, _) = SettingBounds::embedded().actions(controller);
        let had = self.recent.iter().filter(|(until, of)| *until > now.mono && of == controller).count();
        let wanted = procedure.steps().count();
        if had + wanted > most {
            return Err(format!("{controller} has made {had} changes in the last hour, and its bound is {most}"));
        }
        Ok(())
    }
}

/// A store other than this one that a procedure evicts leaders from.
fn evicted(procedure: &Procedure, store: u64) -> Option<u64> {
    procedure.steps().find_map(|(_, step)| match step {
        PilotStep::EvictLeaders { store: other } if *other != store => Some(*other),
        _ => None,
    })
}

/// Whether a cluster is well enough for a step; the error says what is not, in a sentence for people.
///
/// # Errors
/// When it is not.
pub fn gate(step: &PilotStep, health: &ClusterHealth) -> Result<(), String> {
    if let Some(trouble) = health.trouble() {
        return Err(format!("the cluster is in trouble already: {trouble}"));
    }
    match step {
        PilotStep::EvictLeaders { store } => match health.evicting_beside(*store) {
            Some(other) => Err(format!("leaders are evicted from store {other} already, and never from two stores")),
            None if !health.stores.contains_key(store) => Err(format!("PD knows no store {store}")),
            None => Ok(()),
        },
        PilotStep::SetTikvConfig { store, .. } if !health.stores.contains_key(store) => {
            Err(format!("PD knows no store {store}"))
        }
        PilotStep::ResignPdLeader { .. } if health.members.len() < 2 => {
            Err("PD has one member: nobody else could lead".to_owned())
        }
        _ => Ok(()),
    }
}

/// Whether a step changes something that is known, and changes while the program runs; the error says what is not so, in a
/// sentence for people.
///
/// # Errors
/// When it is not so.
pub fn vet(step: &PilotStep, health: &ClusterHealth) -> Result<(), String> {
    let mut oldest: Option<TikvVersion> = None;
    for (id, store) in &health.stores {
        let version = release(&store.version).map_err(|why| format!("store {id}: {why}"))?;
        oldest = Some(oldest.map_or(version, |other| other.min(version)));
        if let PilotStep::SetTikvConfig { store, key, .. } = step
            && store == id
        {
            online(SettingsTable::tikv(), version, key)?;
        }
    }
    match (step, oldest) {
        (PilotStep::SetPdConfig { key, .. }, Some(version)) => online(SettingsTable::pd(), version, key),
        (PilotStep::SetPdConfig { .. }, None) => {
            Err("PD knows no store, and its settings' version is not known".to_owned())
        }
        (PilotStep::SetTikvConfig { store, .. }, _) if !health.stores.contains_key(store) => {
            Err(format!("PD knows no store {store}"))
        }
        _ => Ok(()),
    }
}

/// The release that a store tells, if its line is known.
fn release(version: &str) -> Result<TikvVersion, String> {
    let known = || TikvVersion::ALL.map(TikvVersion::line).join(", ");
    TikvVersion::from_str(version).map_err(|_| {
        let says = if version.is_empty() { "nothing".to_owned() } else { format!("`{version}`") };
        format!("says {says} of its version; the pilot knows the settings of {}, and acts on no guess", known())
    })
}

fn online(table: &SettingsTable, version: TikvVersion, key: &str) -> Result<(), String> {
    let known = table.key(version, key).map_err(|error| error.to_string())?;
    if known.is_online(version) {
        return Ok(());
    }
    let program = table.program;
    Err(format!(
        "{program} {version} reads `{key}` only when it starts: write it with `diskwright render`, and restart one node after \
         the other"
    ))
}

/// Stages of a procedure that could never come true, in a clause; for who writes one.
///
/// # Errors
/// When there is one.
pub fn sound(procedure: &Procedure) -> Result<(), String> {
    let mut seen: Vec<StepSubject> = Vec::new();
    for stage in &procedure.stages {
        if let ProcedureStage::Do(step) = stage {
            let subject = step.subject();
            if seen.contains(&subject) {
                return Err(format!(
                    "`{}` changes the {subject} twice: its undoing would not be known",
                    procedure.name
                ));
            }
            seen.push(subject);
        }
    }
    if seen.is_empty() { Err(format!("`{}` changes nothing", procedure.name)) } else { Ok(()) }
}

#[cfg(test)]
#[path = "guard_tests.rs"]
mod tests;
