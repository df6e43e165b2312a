//! Waits between steps, and watches when all of a run is undone: a watch changes nothing, and holds nothing up.

use jiff::Timestamp;
use units::Nanos;

use crate::audit::PilotEvent;
use crate::journal::JournalEntry;
use crate::{
    ClockReading, NextMove, Pilot, PilotError, PilotWait, Procedure, ProcedureEnding, ProcedureRun, StepSubject,
    WaitCondition,
};

impl ProcedureRun {
    /// Whether it is wholly undone, and only watched for what comes back by itself: it changes nothing any more, and holds nothing up.
    pub fn only_watches(&self) -> bool {
        matches!(self.next(), NextMove::Await(stage, _) if stage >= self.procedure.stages.len())
    }

    /// Whether it changes the cluster, or holds changes that are still to be undone: then nobody else may.
    pub fn needs_lock(&self) -> bool {
        match self.ended {
            None => !self.only_watches() && !self.only_waits(),
            Some(_) => self.procedure.ending == ProcedureEnding::WithPilot && self.holds(),
        }
    }

    /// Until when a watch lasts, by the clock on the wall; it began with the run's last line.
    pub fn watched_until(&self) -> Option<Timestamp> {
        match self.next() {
            NextMove::Await(_, wait) if self.only_watches() => {
                self.last.checked_add(std::time::Duration::from_nanos(wait.within.0)).ok()
            }
            _ => None,
        }
    }
}

impl Pilot {
    /// Whether something is watched that is wholly undone.
    pub fn is_watching(&self) -> bool {
        self.journal.replay().open().any(ProcedureRun::only_watches)
    }

    /// Ends the runs that only watch: nothing is left to undo of them, and what did not come back by now is told.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub fn end_watches(&mut self, now: ClockReading) -> Result<(), PilotError> {
        let watching = self.journal.replay().open().filter(|run| run.only_watches());
        let watching: Vec<u64> = watching.map(|run| run.number).collect();
        watching.into_iter().try_for_each(|run| self.end_watch(run, now))
    }

    /// Whether a wait came to its end now. A wait begins with its run's last line, whoever wrote it.
    pub(crate) fn wait(
        &mut self,
        run: &ProcedureRun,
        stage: usize,
        wait: &PilotWait,
        now: ClockReading,
    ) -> Result<bool, PilotError> {
        let fresh = self.fresh(run.number, now);
        let (since, before) = match fresh.waiting {
            Some((of, since, before)) if of == stage => (since, before),
            _ => {
                let before = now.since_wall(run.last).min(wait.within);
                fresh.waiting = Some((stage, now.mono, before));
                (now.mono, before)
            }
        };
        let over = before + now.since(since) >= wait.within;
        // Who does not answer has not said yes; the wait's own end decides.
        let met = if wait.until == WaitCondition::Passed { over } else { self.world.met(&wait.until).unwrap_or(false) };
        if met || over {
            self.waited(run.number, (stage, wait), met, wait.within, now)?;
        }
        Ok(met || over)
    }

    /// Ends a wait. What did not come back is told with what is there, and after how long, if all of its time was waited.
    fn waited(
        &mut self,
        run: u64,
        (stage, wait): (usize, &PilotWait),
        met: bool,
        after: Nanos,
        now: ClockReading,
    ) -> Result<(), PilotError> {
        self.write(&JournalEntry::Waited { run, stage, at: now.wall, met }, now)?;
        if let WaitCondition::LeadersBack { store, least } = wait.until
            && !met
        {
            let leads = self.world.pd.as_ref().and_then(|pd| pd.leaders(store).ok());
            self.audit.note(now.wall, &PilotEvent::NotBack { run, store, least, leads, after });
        }
        Ok(())
    }

    /// Ends a run that only watches: what has come back by now counts, the rest is told.
    pub(crate) fn end_watch(&mut self, number: u64, now: ClockReading) -> Result<(), PilotError> {
        while let Some(run) = self.runs().get(&number).filter(|run| run.only_watches()).cloned() {
            let NextMove::Await(stage, wait) = run.next() else { break };
            let met = self.world.met(&wait.until).unwrap_or(false);
            self.waited(number, (stage, wait), met, Nanos(0), now)?;
        }
        self.advance(number, now)
    }

    /// Ends the watches over stores that a procedure clears of leaders again.
    pub(crate) fn leave_to(&mut self, procedure: &Procedure, now: ClockReading) -> Result<(), PilotError> {
        let cleared: Vec<StepSubject> = procedure.subjects().collect();
        let is_over = |run: &&ProcedureRun| {
            let watched = |wait: &PilotWait| match wait.until {
                WaitCondition::LeadersBack { store, .. } => cleared.contains(&StepSubject::Leaders { store }),
                _ => false,
            };
            run.only_watches() && run.procedure.afterwards.iter().any(watched)
        };
        let over: Vec<u64> = self.journal.replay().open().filter(is_over).map(|run| run.number).collect();
        over.into_iter().try_for_each(|run| self.end_watch(run, now))
    }
}
