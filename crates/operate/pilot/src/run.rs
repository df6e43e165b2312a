//! A procedure on its way: what is done, what came of it, and what comes next. All of it follows from the journal's lines, so that
//! a run after a crash and one without are the same.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

use crate::journal::{JournalEntry, RunEnd, StepOutcome, UndoOutcome};
use crate::procedure::{LatePolicy, ProcedureEnding, ProcedureStage, UnfinishedPolicy};
use crate::{PilotStep, PilotWait, Procedure, StepReversal, WaitCondition};

/// A procedure on its way.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ProcedureRun {
    /// Its number in the journal.
    pub number: u64,
    /// When it began, by the clock on the wall.
    pub began: Timestamp,
    /// When its last line was written.
    pub last: Timestamp,
    /// Who wanted it.
    pub controller: String,
    /// Why.
    pub reason: String,
    /// What is meant.
    pub procedure: Procedure,
    /// What it should bring.
    pub expects: Value,
    /// What became of its steps, by stage.
    pub steps: BTreeMap<usize, BegunStep>,
    /// Which waits are over, and whether what was waited for came.
    pub waited: BTreeMap<usize, bool>,
    /// Why it is undone, if it is.
    pub turned: Option<String>,
    /// Whether even what others changed since is set back.
    pub force: bool,
    /// How it ended; `None` while it is under way.
    pub ended: Option<RunEnd>,
}

/// A step that was begun.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BegunStep {
    /// When it was written down.
    pub at: Timestamp,
    /// What was there.
    pub before: Value,
    /// When it was known how it came.
    pub told: Option<Timestamp>,
    /// How it came; `None` while that is not known.
    pub came: Option<StepOutcome>,
    /// What was there after.
    pub found: Option<Value>,
    /// Whether its undoing was begun.
    pub undoing: bool,
    /// How its undoing came; `None` while it is not over.
    pub undone: Option<UndoOutcome>,
}

/// What comes next in a run.
#[derive(Debug, Clone, PartialEq)]
pub enum NextMove<'r> {
    /// A step is to be made.
    Make(usize, &'r PilotStep),
    /// A step was begun, and what came of it is not known.
    Settle(usize, &'r PilotStep, &'r BegunStep),
    /// Something is waited for.
    Await(usize, &'r PilotWait),
    /// It is to be undone from here on, for this reason.
    Turn(String),
    /// A step is to be undone.
    Undo(usize, &'r PilotStep, &'r BegunStep),
    /// It is over.
    End(RunEnd),
    /// Nothing: it has ended.
    Nothing,
}

impl ProcedureRun {
    pub(crate) fn new(
        number: u64,
        at: Timestamp,
        controller: &str,
        reason: &str,
        procedure: &Procedure,
        expects: &Value,
    ) -> Self {
        Self {
            number,
            began: at,
            last: at,
            controller: controller.to_owned(),
            reason: reason.to_owned(),
            procedure: procedure.clone(),
            expects: expects.clone(),
            steps: BTreeMap::new(),
            waited: BTreeMap::new(),
            turned: None,
            force: false,
            ended: None,
        }
    }

    /// Takes a line of its own in; an error says in a clause why it cannot follow.
    pub(crate) fn apply(&mut self, entry: &JournalEntry) -> Result<(), String> {
        let number = self.number;
        self.last = entry.at();
        let unknown = |stage: &usize| format!("stage {stage} of run {number} did not begin");
        match entry {
            JournalEntry::Header { .. } | JournalEntry::Began { .. } => {
                return Err(format!("run {number} began before"));
            }
            JournalEntry::Intent { stage, at, before, .. } => {
                if !matches!(self.procedure.stages.get(*stage), Some(ProcedureStage::Do(_))) {
                    return Err(format!("stage {stage} of run {number} is no step"));
                }
                let (at, before) = (*at, before.clone());
                let made = BegunStep { at, before, told: None, came: None, found: None, undoing: false, undone: None };
                self.steps.insert(*stage, made);
            }
            JournalEntry::Outcome { stage, at, came, found, .. } => {
                let made = self.steps.get_mut(stage).ok_or_else(|| unknown(stage))?;
                (made.told, made.came, made.found) = (Some(*at), Some(came.clone()), found.clone());
            }
            JournalEntry::Waited { stage, met, .. } => drop(self.waited.insert(*stage, *met)),
            JournalEntry::Turned { why, force, .. } => {
                self.turned = Some(why.clone());
                self.force |= *force;
                self.ended = None;
                if *force {
                    // What was left before may be set back now.
                    self.steps.values_mut().filter(|made| made.was_left()).for_each(|made| made.undone = None);
                }
            }
            JournalEntry::UndoIntent { stage, .. } => {
                self.steps.get_mut(stage).ok_or_else(|| unknown(stage))?.undoing = true
            }
            JournalEntry::UndoOutcome { stage, came, .. } => {
                self.steps.get_mut(stage).ok_or_else(|| unknown(stage))?.undone = Some(came.clone());
            }
            JournalEntry::Ended { ended, .. } => self.ended = Some(*ended),
        }
        Ok(())
    }

    /// What comes next.
    pub fn next(&self) -> NextMove<'_> {
        match (&self.ended, &self.turned) {
            (Some(_), _) => NextMove::Nothing,
            (None, None) => self.forward(),
            (None, Some(_)) => self.back(),
        }
    }

    fn forward(&self) -> NextMove<'_> {
        for (at, stage) in self.procedure.stages.iter().enumerate() {
            match stage {
                ProcedureStage::Do(step) => match self.steps.get(&at) {
                    None => return NextMove::Make(at, step),
                    Some(made) => match &made.came {
                        None => return NextMove::Settle(at, step, made),
                        Some(StepOutcome::Failed(why)) => return NextMove::Turn(format!("{step} failed: {why}")),
                        Some(StepOutcome::Done | StepOutcome::Already) => {}
                    },
                },
                ProcedureStage::Wait(wait) => match self.waited.get(&at) {
                    None => return NextMove::Await(at, wait),
                    Some(false) if wait.late == LatePolicy::Undo => {
                        return NextMove::Turn(format!("waited {} in vain for {}", wait.within, wait.until));
                    }
                    Some(_) => {}
                },
            }
        }
        match self.procedure.ending {
            ProcedureEnding::Keep | ProcedureEnding::WithPilot => NextMove::End(RunEnd::Kept),
            ProcedureEnding::Restore => NextMove::Turn("its stages are over".to_owned()),
        }
    }

    fn back(&self) -> NextMove<'_> {
        for (at, step) in self.procedure.steps().rev() {
            if let Some(made) = self.steps.get(&at).filter(|made| made.undone.is_none() && made.is_ours()) {
                return NextMove::Undo(at, step, made);
            }
        }
        let offset = self.procedure.stages.len();
        // Nothing comes back that never left.
        let touched = self.steps.values().any(|made| made.undone == Some(UndoOutcome::Done));
        let left = self.procedure.afterwards.iter().enumerate().filter(|_| touched);
        let mut left = left.filter(|(at, _)| !self.waited.contains_key(&(offset + at)));
        match left.next() {
            Some((at, wait)) => NextMove::Await(offset + at, wait),
            None => NextMove::End(RunEnd::Undone),
        }
    }

    /// Whether it holds changes that could be undone.
    pub fn holds(&self) -> bool {
        let reversible = |at: &usize| match self.procedure.stages.get(*at) {
            Some(ProcedureStage::Do(step)) => step.reversal() == StepReversal::Write,
            _ => false,
        };
        self.steps.iter().any(|(at, made)| reversible(at) && made.is_ours() && made.undone.is_none())
    }

    /// Whether all of its stages came as they were meant, whatever became of them after.
    pub fn went_all_the_way(&self) -> bool {
        self.procedure.stages.iter().enumerate().all(|(at, stage)| match stage {
            ProcedureStage::Do(_) => self
                .steps
                .get(&at)
                .is_some_and(|made| matches!(made.came, Some(StepOutcome::Done | StepOutcome::Already))),
            ProcedureStage::Wait(wait) => self.waited.get(&at).is_some_and(|met| *met || wait.late == LatePolicy::GoOn),
        })
    }

    /// Whether all is done that is to stay, and only waited for: a modification of a volume, which nobody can call off.
    pub(crate) fn only_waits(&self) -> bool {
        let made = |(at, _): (usize, &PilotStep)| {
            self.steps.get(&at).is_some_and(|made| matches!(made.came, Some(StepOutcome::Done | StepOutcome::Already)))
        };
        self.ended.is_none()
            && self.turned.is_none()
            && (self.procedure.ending, self.procedure.found) == (ProcedureEnding::Keep, UnfinishedPolicy::GoOn)
            && self.procedure.steps().all(made)
    }

    /// The event whose end it waits for, if all that was to be done before it is.
    pub(crate) fn is_ready_for(&self) -> Option<&str> {
        match self.next() {
            NextMove::Await(_, PilotWait { until: WaitCondition::EventOver { event }, .. }) => {
                self.waited.values().all(|met| *met).then_some(event)
            }
            _ => None,
        }
    }

    /// Whether something of it was left as somebody else had set it since.
    pub fn was_left(&self) -> bool {
        self.steps.values().any(BegunStep::was_left)
    }

    /// How it stands, in a word or a clause.
    pub fn standing(&self) -> String {
        match self.next() {
            NextMove::Nothing => match self.ended {
                Some(RunEnd::Kept) => "done".to_owned(),
                _ => "undone".to_owned(),
            },
            NextMove::Await(_, wait) if self.only_watches() => match self.watched_until() {
                Some(until) => format!("undone; watched until {until:.0} for {}", wait.until),
                None => format!("undone; watched for {}", wait.until),
            },
            NextMove::Make(_, step) => format!("about to {step}"),
            NextMove::Settle(_, step, _) => format!("not known yet what came of: {step}"),
            NextMove::Await(_, wait) => format!("waits for {}", wait.until),
            NextMove::Turn(why) => format!("about to be undone: {why}"),
            NextMove::Undo(_, step, _) => format!("is undoing: {step}"),
            NextMove::End(_) => "about to end".to_owned(),
        }
    }
}

impl BegunStep {
    /// Whether this pilot changed something, or may have.
    fn is_ours(&self) -> bool {
        self.came != Some(StepOutcome::Already)
    }

    /// Whether it was left as somebody else had set it.
    pub(crate) fn was_left(&self) -> bool {
        matches!(self.undone, Some(UndoOutcome::Left(_)))
    }
}
