//! Requests of which no answer came: they may be carried out later, also after their pilot was killed.

use crate::audit::PilotEvent;
use crate::guard::SettingBounds;
use crate::journal::{JournalEntry, StepOutcome};
use crate::{BegunStep, ClockReading, Pilot, PilotError, PilotStep, ProcedureRun, WorldError};

impl BegunStep {
    /// Whether a request of a pilot that is gone may still be carried out: what came of it is not known, or was only after it could
    /// have been sent again.
    pub(crate) fn may_be_on_its_way(&self, now: ClockReading) -> bool {
        let retries = &SettingBounds::embedded().retries;
        let Some(told) = self.told else { return true };
        let was_sent_again = told.as_nanosecond() - self.at.as_nanosecond() >= i128::from(retries.grace.0);
        let open = match &self.came {
            None | Some(StepOutcome::Failed(_)) => true,
            Some(StepOutcome::Done) => was_sent_again,
            Some(StepOutcome::Already) => false,
        };
        open && now.since_wall(told) < retries.outstanding
    }
}

impl Pilot {
    /// Whether a request for a stage may still be carried out: its answer never came, and its time is not over.
    pub(crate) fn is_on_its_way(&mut self, run: u64, stage: usize, now: ClockReading) -> bool {
        let outstanding = SettingBounds::embedded().retries.outstanding;
        let sent = self.fresh(run, now).unanswered.get(&stage).copied();
        sent.is_some_and(|sent| now.since(sent) < outstanding)
    }

    /// Writes what was before although it is there, once: a request may be on its way that is carried out after it was read. It is read
    /// again in later turns until that request's time is over.
    pub(crate) fn write_again(
        &mut self,
        run: &ProcedureRun,
        stage: usize,
        step: &PilotStep,
        made: &BegunStep,
        now: ClockReading,
    ) -> Result<bool, PilotError> {
        if !made.undoing {
            self.write(&JournalEntry::UndoIntent { run: run.number, stage, at: now.wall }, now)?;
            let outstanding = SettingBounds::embedded().retries.outstanding;
            let rewritten = step.can_be_rewritten();
            self.audit
                .note(now.wall, &PilotEvent::OnItsWay { run: run.number, step, rewritten, for_up_to: outstanding });
            if rewritten {
                // Whatever is answered: only what is read back later counts.
                let _ = self.world.write(&step.subject(), &made.before);
            }
        }
        Ok(false)
    }
}

/// Whether an error leaves open what became of a request.
pub(crate) fn is_unanswered(error: &WorldError) -> bool {
    error.is_passing() && !matches!(error, WorldError::NotYet { .. })
}
