//! What happened, for people: a sentence each.

use jiff::Timestamp;
use units::Nanos;

use crate::journal::{JournalEntry, RunEnd, StepOutcome, UndoOutcome};
use crate::procedure::{ProcedureStage, WaitCondition};
use crate::step::Shown;
use crate::{ActionProposal, PilotStep, ProcedureRun};

/// Something that people may want to know.
#[derive(Debug)]
pub enum PilotEvent<'e> {
    /// A line was written to the journal; the run is as it was before.
    Wrote(&'e JournalEntry, Option<&'e ProcedureRun>),
    /// A controller's proposal, which only `--act` would carry out.
    Would(&'e str, &'e ActionProposal),
    /// A controller's proposal that the guard does not let through, and why.
    Held(&'e str, &'e ActionProposal, &'e str),
    /// What a controller can only tell.
    Tells(&'e str, &'e ActionProposal),
    /// Something could not be seen.
    Unseen(&'e str),
    /// Something is tried again.
    Again(u64, &'e str),
    /// A step is undone whose request may still be carried out, for up to so long.
    OnItsWay {
        /// The run.
        run: u64,
        /// What was asked for.
        step: &'e PilotStep,
        /// Whether the value of before is written again.
        rewritten: bool,
        /// How long it is read again.
        for_up_to: Nanos,
    },
    /// Leaders that did not come back, once nothing is left to undo.
    NotBack {
        /// The run.
        run: u64,
        /// PD's number of the store.
        store: u64,
        /// How many were waited for.
        least: u64,
        /// How many it leads, if PD tells.
        leads: Option<u64>,
        /// How long they were waited for; nothing where they were not.
        after: Nanos,
    },
    /// Something else that people should know.
    Says(&'e str),
}

/// Takes notes.
pub trait AuditLog {
    /// Takes a note.
    fn note(&mut self, at: Timestamp, event: &PilotEvent<'_>);
}

impl PilotEvent<'_> {
    /// As a sentence; `None` where there is nothing that people need to read.
    pub fn sentence(&self) -> Option<String> {
        match self {
            Self::Wrote(entry, run) => wrote(entry, *run),
            Self::Would(controller, proposal) => {
                Some(format!("{controller} would {}: {}", proposal.what(), proposal.reason))
            }
            Self::Held(controller, proposal, why) => {
                Some(format!("{controller} wants to {}, but may not: {why} ({})", proposal.what(), proposal.reason))
            }
            Self::Tells(controller, proposal) => Some(format!("{controller}: {}", proposal.reason)),
            Self::Unseen(why) => Some(format!("not seen: {why}")),
            Self::Again(run, why) => Some(format!("run {run}: will be tried again: {why}")),
            Self::OnItsWay { run, step, rewritten, for_up_to } => {
                let what = if *rewritten { "what was before is written again, and read" } else { "it is read" };
                Some(format!(
                    "run {run}: no answer came to `{step}`, which may be carried out yet: {what} again for {for_up_to} after that \
                     request"
                ))
            }
            Self::NotBack { run, store, least, leads, after } => {
                let leads =
                    leads.map_or("PD does not tell how many regions".to_owned(), |leads| format!("{leads} regions"));
                let after = if *after > Nanos(0) { format!(" {after} later") } else { String::new() };
                Some(format!(
                    "run {run}: nothing is left to undo; store {store} leads {leads}{after}, and {least} would have shown that \
                     leaders come back: PD moves them only between stores that differ by more than it tolerates, 10 unless \
                     schedule.tolerant-size-ratio is set"
                ))
            }
            Self::Says(what) => Some((*what).to_owned()),
        }
    }
}

fn wrote(entry: &JournalEntry, run: Option<&ProcedureRun>) -> Option<String> {
    let step = |stage: &usize| match run?.procedure.stages.get(*stage)? {
        ProcedureStage::Do(step) => Some(step.to_string()),
        ProcedureStage::Wait(_) => None,
    };
    let wait = |stage: usize| {
        let procedure = &run?.procedure;
        let after = stage.checked_sub(procedure.stages.len());
        match (procedure.stages.get(stage), after) {
            (Some(ProcedureStage::Wait(wait)), _) => Some(wait),
            (None, Some(after)) => procedure.afterwards.get(after),
            _ => None,
        }
    };
    Some(match entry {
        JournalEntry::Header { cluster, .. } => format!("journal of cluster {cluster} begun"),
        JournalEntry::Began { run, controller, reason, procedure, .. } => {
            format!("run {run} begins for {controller}: {}: {reason}", procedure.name)
        }
        JournalEntry::Intent { run, stage, before, .. } => {
            format!("run {run}: about to {}; before: {}", step(stage)?, Shown(before))
        }
        JournalEntry::Outcome { run, stage, came, .. } => match came {
            StepOutcome::Done => format!("run {run}: done, and read back: {}", step(stage)?),
            StepOutcome::Already => format!("run {run}: was so already: {}", step(stage)?),
            StepOutcome::Failed(why) => format!("run {run}: not done: {}: {why}", step(stage)?),
        },
        JournalEntry::Waited { run, stage, met, .. } => {
            let wait = wait(*stage)?;
            if !*met && matches!(wait.until, WaitCondition::LeadersBack { .. }) {
                // Told with what is there.
                return None;
            }
            let came = if *met { "waited for" } else { "waited in vain for" };
            format!("run {run}: {came} {}", wait.until)
        }
        JournalEntry::Turned { run, why, .. } => format!("run {run} is undone: {why}"),
        JournalEntry::UndoIntent { run, stage, .. } => format!("run {run}: about to undo: {}", step(stage)?),
        JournalEntry::UndoOutcome { run, stage, came, .. } => match came {
            UndoOutcome::Done => format!("run {run}: undone, and read back: {}", step(stage)?),
            UndoOutcome::AsItWas => format!("run {run}: is as before: {}", step(stage)?),
            UndoOutcome::Left(now) => {
                format!("run {run}: left as somebody else has set it since, {now}: {}", step(stage)?)
            }
            UndoOutcome::Never(why) => format!("run {run}: cannot be undone: {}: {why}", step(stage)?),
        },
        JournalEntry::Ended { run, ended, .. } => match ended {
            RunEnd::Kept => {
                format!("run {run} is over; its changes stay: `diskwright pilot undo {run}` takes them back")
            }
            RunEnd::Undone => format!("run {run} is over; nothing of it is left"),
        },
    })
}
