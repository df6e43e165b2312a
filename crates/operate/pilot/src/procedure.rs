//! Steps in order, what is waited for between them, and how they end. A procedure is data: it is written down whole before its
//! first step, so that whoever comes after a crash knows what was meant.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use units::Nanos;

use crate::value::amount;
use crate::world::at;
use crate::{PilotStep, StepSubject};

/// What is done, in order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Procedure {
    /// For people: `keep store 3 clear of leaders during maintenance`.
    pub name: String,
    /// Steps and waits.
    pub stages: Vec<ProcedureStage>,
    /// What becomes of the steps after the last stage.
    pub ending: ProcedureEnding,
    /// What is waited for after the steps were undone, to tell whether all came back; lateness is told, no more.
    #[serde(default)]
    pub afterwards: Vec<PilotWait>,
    /// How long the stages may take together; then the steps are undone.
    pub within: Nanos,
    /// What a pilot does that finds it unfinished.
    pub found: UnfinishedPolicy,
}

/// A step, or a wait.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProcedureStage {
    /// Something to change.
    Do(PilotStep),
    /// Something to wait for.
    Wait(PilotWait),
}

/// Something to wait for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct PilotWait {
    /// For what.
    pub until: WaitCondition,
    /// How long.
    pub within: Nanos,
    /// What happens if it has not come by then.
    pub late: LatePolicy,
}

/// What is waited for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "that", rename_all = "kebab-case")]
pub enum WaitCondition {
    /// A store leads nothing.
    LeadersGone {
        /// Which.
        store: u64,
    },
    /// A store leads so many regions again.
    LeadersBack {
        /// Which.
        store: u64,
        /// How many.
        least: u64,
    },
    /// PD is led by anybody but this member.
    PdLedByOther {
        /// Its name.
        member: String,
    },
    /// An event of a cloud is over.
    EventOver {
        /// The name that its notice had.
        event: String,
    },
    /// No modification of a volume is under way.
    VolumeSettled {
        /// Which.
        volume: String,
    },
    /// A pod is gone, or another has its name.
    PodGone {
        /// Its namespace.
        namespace: String,
        /// Its name.
        pod: String,
        /// Its unique id.
        uid: String,
    },
    /// The wait's own time; it is never late.
    Passed,
}

/// What happens when something that is waited for does not come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LatePolicy {
    /// The steps are undone.
    Undo,
    /// The next stage begins all the same.
    GoOn,
}

/// What becomes of the steps after the last stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProcedureEnding {
    /// They stay, until somebody asks for their undoing.
    Keep,
    /// They are undone at once, the last first.
    Restore,
    /// They stay while a pilot runs, and are undone when it ends in good order.
    WithPilot,
}

/// What a pilot does that finds a procedure unfinished, because the one before it was killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum UnfinishedPolicy {
    /// Goes on: the reason still holds, such as an event that is not over.
    GoOn,
    /// Undoes it: the reason may have gone.
    Undo,
}

/// PD's own tolerance for leaders (tikv/pd pkg/schedule/schedulers/utils.go, `leaderTolerantSizeRatio`).
const TOLERANCE: u64 = 5;

impl PilotWait {
    /// For the leaders that PD's balance brings back to a store that led so many and was cleared: half of them, or as many as PD of that
    /// configuration brings at least. Where it need not bring any back, only what is there is told. `None` for a store that led next to
    /// nothing.
    pub fn leaders_back(store: u64, led: u64, config: Option<&Value>, within: Nanos) -> Option<Self> {
        // PD takes its tolerance from the one store and adds it to the other.
        let ratio = config.and_then(|config| at(config, "schedule.tolerant-size-ratio")).and_then(amount);
        let tolerated = 2 * ratio.filter(|ratio| *ratio > 0.0).map_or(TOLERANCE, |ratio| ratio as u64);
        let (half, brought) = (led / 2, led.saturating_sub(tolerated));
        let (least, within) = if brought == 0 { (half, Nanos(0)) } else { (half.min(brought), within) };
        (half > 0).then_some(Self {
            until: WaitCondition::LeadersBack { store, least },
            within,
            late: LatePolicy::GoOn,
        })
    }
}

impl Procedure {
    /// A single step that stays, with a minute to be done in.
    pub fn of_one(step: PilotStep, ending: ProcedureEnding) -> Self {
        Self {
            name: step.to_string(),
            stages: vec![ProcedureStage::Do(step)],
            ending,
            afterwards: Vec::new(),
            within: Nanos::secs(60),
            found: UnfinishedPolicy::Undo,
        }
    }

    /// Its steps, with the number of the stage of each.
    pub fn steps(&self) -> impl DoubleEndedIterator<Item = (usize, &PilotStep)> {
        self.stages.iter().enumerate().filter_map(|(at, stage)| match stage {
            ProcedureStage::Do(step) => Some((at, step)),
            ProcedureStage::Wait(_) => None,
        })
    }

    /// What it changes.
    pub fn subjects(&self) -> impl Iterator<Item = StepSubject> {
        self.steps().map(|(_, step)| step.subject())
    }
}

impl fmt::Display for WaitCondition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LeadersGone { store } => write!(f, "store {store} to lead nothing"),
            Self::LeadersBack { store, least } => write!(f, "store {store} to lead {least} regions again"),
            Self::PdLedByOther { member } => write!(f, "PD to be led by another than {member}"),
            Self::EventOver { event } => write!(f, "event {event} to be over"),
            Self::VolumeSettled { volume } => write!(f, "volume {volume} to be modified"),
            Self::PodGone { namespace, pod, .. } => write!(f, "pod {namespace}/{pod} to be gone"),
            Self::Passed => f.write_str("time to pass"),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn as_many_leaders_are_waited_for_as_pd_brings_back() {
        let wait = |led: u64, config: Option<Value>| {
            let wait = PilotWait::leaders_back(1, led, config.as_ref(), Nanos::secs(600));
            wait.map(|wait| match wait.until {
                WaitCondition::LeadersBack { least, .. } => (least, wait.within.as_secs_f64()),
                other => panic!("{other:?}"),
            })
        };
        let ratio = |ratio: f64| Some(json!({ "schedule": { "tolerant-size-ratio": ratio } }));
        // Of stores that led as many each, one is ten behind at most.
        assert_eq!([40, 20, 15].map(|led| wait(led, None)), [(20, 600.0), (10, 600.0), (5, 600.0)].map(Some));
        assert_eq!([10, 4, 1].map(|led| wait(led, ratio(0.0))), [Some((5, 0.0)), Some((2, 0.0)), None]);
        assert_eq!(wait(4, ratio(0.5)), Some((2, 600.0)), "then nothing is tolerated");
        assert_eq!(wait(40, ratio(15.0)), Some((10, 600.0)));
    }
}
