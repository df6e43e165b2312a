//! A procedure on its way: what is done, what came of it, and what comes next. All of it follows from the journal's lines, so that
//! a run after a crash and one without are the same.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

use crate::journal::{Came, Ended, Entry, Undone};
use crate::procedure::{Ending, Found, Late, Stage};
use crate::{Condition, Procedure, Reversal, Step, Wait};

/// A procedure on its way.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Run {
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
    pub steps: BTreeMap<usize, Made>,
    /// Which waits are over, and whether what was waited for came.
    pub waited: BTreeMap<usize, bool>,
    /// Why it is undone, if it is.
    pub turned: Option<String>,
    /// Whether even what others changed since is set back.
    pub force: bool,
    /// How it ended; `None` while it is under way.
    pub ended: Option<Ended>,
}

/// A step that was begun.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Made {
    /// When it was written down.
    pub at: Timestamp,
    /// What was there.
    pub before: Value,
    /// When it was known how it came.
    pub told: Option<Timestamp>,
    /// How it came; `None` while that is not known.
    pub came: Option<Came>,
    /// What was there after.
    pub found: Option<Value>,
    /// Whether its undoing was begun.
    pub undoing: bool,
    /// How its undoing came; `None` while it is not over.
    pub undone: Option<Undone>,
}

/// What comes next in a run.
#[derive(Debug, Clone, PartialEq)]
pub enum Next<'r> {
    /// A step is to be made.
    Make(usize, &'r Step),
    /// A step was begun, and what came of it is not known.
    Settle(usize, &'r Step, &'r Made),
    /// Something is waited for.
    Await(usize, &'r Wait),
    /// It is to be undone from here on, for this reason.
    Turn(String),
    /// A step is to be undone.
    Undo(usize, &'r Step, &'r Made),
    /// It is over.
    End(Ended),
    /// Nothing: it has ended.
    Nothing,
}

impl Run {
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
    pub(crate) fn apply(&mut self, entry: &Entry) -> Result<(), String> {
        let number = self.number;
        self.last = entry.at();
        let unknown = |stage: &usize| format!("stage {stage} of run {number} did not begin");
        match entry {
            Entry::Header { .. } | Entry::Began { .. } => return Err(format!("run {number} began before")),
            Entry::Intent { stage, at, before, .. } => {
                if !matches!(self.procedure.stages.get(*stage), Some(Stage::Do(_))) {
                    return Err(format!("stage {stage} of run {number} is no step"));
                }
                let (at, before) = (*at, before.clone());
                let made = Made { at, before, told: None, came: None, found: None, undoing: false, undone: None };
                self.steps.insert(*stage, made);
            }
            Entry::Outcome { stage, at, came, found, .. } => {
                let made = self.steps.get_mut(stage).ok_or_else(|| unknown(stage))?;
                (made.told, made.came, made.found) = (Some(*at), Some(came.clone()), found.clone());
            }
            Entry::Waited { stage, met, .. } => drop(self.waited.insert(*stage, *met)),
            Entry::Turned { why, force, .. } => {
                self.turned = Some(why.clone());
                self.force |= *force;
                self.ended = None;
                if *force {
                    // What was left before may be set back now.
                    self.steps.values_mut().filter(|made| made.was_left()).for_each(|made| made.undone = None);
                }
            }
            Entry::UndoIntent { stage, .. } => self.steps.get_mut(stage).ok_or_else(|| unknown(stage))?.undoing = true,
            Entry::UndoOutcome { stage, came, .. } => {
                self.steps.get_mut(stage).ok_or_else(|| unknown(stage))?.undone = Some(came.clone());
            }
            Entry::Ended { ended, .. } => self.ended = Some(*ended),
        }
        Ok(())
    }

    /// What comes next.
    pub fn next(&self) -> Next<'_> {
        match (&self.ended, &self.turned) {
            (Some(_), _) => Next::Nothing,
            (None, None) => self.forward(),
            (None, Some(_)) => self.back(),
        }
    }

    fn forward(&self) -> Next<'_> {
        for (at, stage) in self.procedure.stages.iter().enumerate() {
            match stage {
                Stage::Do(step) => match self.steps.get(&at) {
                    None => return Next::Make(at, step),
                    Some(made) => match &made.came {
                        None => return Next::Settle(at, step, made),
                        Some(Came::Failed(why)) => return Next::Turn(format!("{step} failed: {why}")),
                        Some(Came::Done | Came::Already) => {}
                    },
                },
                Stage::Wait(wait) => match self.waited.get(&at) {
                    None => return Next::Await(at, wait),
                    Some(false) if wait.late == Late::Undo => {
                        return Next::Turn(format!("waited {} in vain for {}", wait.within, wait.until));
                    }
                    Some(_) => {}
                },
            }
        }
        match self.procedure.ending {
            Ending::Keep | Ending::WithPilot => Next::End(Ended::Kept),
            Ending::Restore => Next::Turn("its stages are over".to_owned()),
        }
    }

    fn back(&self) -> Next<'_> {
        for (at, step) in self.procedure.steps().rev() {
            if let Some(made) = self.steps.get(&at).filter(|made| made.undone.is_none() && made.is_ours()) {
                return Next::Undo(at, step, made);
            }
        }
        let offset = self.procedure.stages.len();
        // Nothing comes back that never left.
        let touched = self.steps.values().any(|made| made.undone == Some(Undone::Done));
        let left = self.procedure.afterwards.iter().enumerate().filter(|_| touched);
        let mut left = left.filter(|(at, _)| !self.waited.contains_key(&(offset + at)));
        match left.next() {
            Some((at, wait)) => Next::Await(offset + at, wait),
            None => Next::End(Ended::Undone),
        }
    }

    /// Whether it holds changes that could be undone.
    pub fn holds(&self) -> bool {
        let reversible = |at: &usize| match self.procedure.stages.get(*at) {
            Some(Stage::Do(step)) => step.reversal() == Reversal::Write,
            _ => false,
        };
        self.steps.iter().any(|(at, made)| reversible(at) && made.is_ours() && made.undone.is_none())
    }

    /// Whether all of its stages came as they were meant, whatever became of them after.
    pub fn went_all_the_way(&self) -> bool {
        self.procedure.stages.iter().enumerate().all(|(at, stage)| match stage {
            Stage::Do(_) => {
                self.steps.get(&at).is_some_and(|made| matches!(made.came, Some(Came::Done | Came::Already)))
            }
            Stage::Wait(wait) => self.waited.get(&at).is_some_and(|met| *met || wait.late == Late::GoOn),
        })
    }

    /// Whether all is done that is to stay, and only waited for: a modification of a volume, which nobody can call off.
    pub(crate) fn only_waits(&self) -> bool {
        let made = |(at, _): (usize, &Step)| {
            self.steps.get(&at).is_some_and(|made| matches!(made.came, Some(Came::Done | Came::Already)))
        };
        self.ended.is_none()
            && self.turned.is_none()
            && (self.procedure.ending, self.procedure.found) == (Ending::Keep, Found::GoOn)
            && self.procedure.steps().all(made)
    }

    /// The event whose end it waits for, if all that was to be done before it is.
    pub(crate) fn is_ready_for(&self) -> Option<&str> {
        match self.next() {
            Next::Await(_, Wait { until: Condition::EventOver { event }, .. }) => {
                self.waited.values().all(|met| *met).then_some(event)
            }
            _ => None,
        }
    }

    /// Whether something of it was left as somebody else had set it since.
    pub fn was_left(&self) -> bool {
        self.steps.values().any(Made::was_left)
    }

    /// How it stands, in a word or a clause.
    pub fn standing(&self) -> String {
        match self.next() {
            Next::Nothing => match self.ended {
                Some(Ended::Kept) => "done".to_owned(),
                _ => "undone".to_owned(),
            },
            Next::Await(_, wait) if self.only_watches() => match self.watched_until() {
                Some(until) => format!("undone; watched until {until:.0} for {}", wait.until),
                None => format!("undone; watched for {}", wait.until),
            },
            Next::Make(_, step) => format!("about to {step}"),
            Next::Settle(_, step, _) => format!("not known yet what came of: {step}"),
            Next::Await(_, wait) => format!("waits for {}", wait.until),
            Next::Turn(why) => format!("about to be undone: {why}"),
            Next::Undo(_, step, _) => format!("is undoing: {step}"),
            Next::End(_) => "about to end".to_owned(),
        }
    }
}

impl Made {
    /// Whether this pilot changed something, or may have.
    fn is_ours(&self) -> bool {
        self.came != Some(Came::Already)
    }

    /// Whether it was left as somebody else had set it.
    pub(crate) fn was_left(&self) -> bool {
        matches!(self.undone, Some(Undone::Left(_)))
    }
}
