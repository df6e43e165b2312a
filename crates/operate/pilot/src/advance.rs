//! A run driven on: one read or write of the cluster at a time, each written down before and after.

use std::collections::BTreeMap;

use serde_json::Value;
use units::Nanos;

use crate::audit::PilotEvent;
use crate::guard::{SettingBounds, gate};
use crate::journal::{JournalEntry, RunEnd, StepOutcome, UndoOutcome};
use crate::step::Shown;
use crate::unanswered::is_unanswered;
use crate::{
    BegunStep, ClockReading, NextMove, Pilot, PilotError, PilotStep, ProcedureRun, StepReversal, WorldError, same,
};

/// What is known of a run beside the journal, and gone with the program.
#[derive(Debug)]
pub(crate) struct Fresh {
    /// When this program took it up, on the clock that never jumps.
    since: Nanos,
    /// How long it had run before.
    spent: Nanos,
    /// The stage that is waited for, since when in this program, and how long before.
    pub(crate) waiting: Option<(usize, Nanos, Nanos)>,
    /// By stage, when a request was sent of which no answer came: it may be carried out some time yet.
    pub(crate) unanswered: BTreeMap<usize, Nanos>,
    /// The stage that was written to last, when, how often, and what the answer was.
    wrote: Option<Wrote>,
    /// Nothing is tried before.
    not_before: Nanos,
    /// How often something was tried in vain.
    pub(crate) tries: u32,
}

#[derive(Debug, Clone)]
struct Wrote {
    stage: usize,
    at: Nanos,
    sends: u32,
    error: Option<WorldError>,
}

impl Fresh {
    pub(crate) fn new(now: ClockReading) -> Self {
        let (waiting, unanswered, wrote) = (None, BTreeMap::new(), None);
        Self { since: now.mono, spent: Nanos(0), waiting, unanswered, wrote, not_before: Nanos(0), tries: 0 }
    }

    /// One that another program began. The wall may have jumped since: then at worst it is undone early, or given its time again.
    pub(crate) fn resumed(run: &ProcedureRun, now: ClockReading) -> Self {
        let unanswered = run.steps.iter().filter(|(_, made)| made.may_be_on_its_way(now));
        let unanswered = unanswered.map(|(stage, _)| (*stage, now.mono)).collect();
        Self { spent: now.since_wall(run.began).min(run.procedure.within), unanswered, ..Self::new(now) }
    }

    /// What was in vain forward does not count backward.
    pub(crate) fn calm(&mut self) {
        (self.tries, self.not_before) = (0, Nanos(0));
    }

    fn elapsed(&self, now: ClockReading) -> Nanos {
        self.spent + now.since(self.since)
    }
}

impl Pilot {
    /// Drives a run on as far as it goes at once.
    pub(crate) fn advance(&mut self, number: u64, now: ClockReading) -> Result<(), PilotError> {
        let Some(run) = self.runs().get(&number) else { return Ok(()) };
        // Each stage is made, settled and undone once at most; what is tried again waits for a later turn.
        let most = 8 * (run.procedure.stages.len() + run.procedure.afterwards.len()) + 8;
        for _ in 0..most {
            let Some(run) = self.runs().get(&number).cloned() else { break };
            let now = self.moment(now);
            if self.is_frozen() {
                break;
            }
            if self.fresh(number, now).not_before > now.mono || !self.once(&run, now)? {
                break;
            }
        }
        Ok(())
    }

    pub(crate) fn fresh(&mut self, run: u64, now: ClockReading) -> &mut Fresh {
        self.fresh.entry(run).or_insert_with(|| Fresh::new(now))
    }

    /// Does what comes next; whether something was done.
    fn once(&mut self, run: &ProcedureRun, now: ClockReading) -> Result<bool, PilotError> {
        let (number, at) = (run.number, now.wall);
        let next = run.next();
        let forward = matches!(next, NextMove::Make(..) | NextMove::Settle(..))
            || (run.turned.is_none() && matches!(next, NextMove::Await(..)));
        if forward && self.fresh(number, now).elapsed(now) > run.procedure.within {
            self.turn(number, format!("it took longer than {}", run.procedure.within), false, now)?;
            return Ok(true);
        }
        match next {
            NextMove::Make(stage, step) => self.make(run, stage, step, now),
            NextMove::Settle(stage, step, made) => self.settle(run, stage, step, made, now),
            NextMove::Await(stage, wait) => self.wait(run, stage, wait, now),
            NextMove::Turn(why) => self.turn(number, why, false, now).map(|()| true),
            NextMove::Undo(stage, step, made) => self.take_back(run, stage, step, made, now),
            NextMove::End(ended) => {
                if ended == RunEnd::Kept
                    && run.procedure.stages.len() > 1
                    && let Some(done) = self.set_again(run, now)?
                {
                    return Ok(done);
                }
                self.write(&JournalEntry::Ended { run: number, at, ended }, now)?;
                self.fresh.remove(&number);
                Ok(false)
            }
            NextMove::Nothing => Ok(false),
        }
    }

    fn make(
        &mut self,
        run: &ProcedureRun,
        stage: usize,
        step: &PilotStep,
        now: ClockReading,
    ) -> Result<bool, PilotError> {
        let (number, at) = (run.number, now.wall);
        let seen = self.world.health().and_then(|health| {
            let before = self.world.read(&step.subject())?;
            Ok((gate(step, &health), before))
        });
        let before = match seen {
            Ok((Ok(()), before)) => before,
            Ok((Err(why), _)) => return self.turn(number, why, false, now).map(|()| true),
            Err(error) if error.is_passing() => return Ok(self.later(number, &error.to_string(), now)),
            Err(error) => return self.turn(number, error.to_string(), false, now).map(|()| true),
        };
        // It was waited for its peers.
        if self.is_frozen() {
            return Ok(false);
        }
        let already = step.reached(&before, &before);
        self.write(&JournalEntry::Intent { run: number, stage, at, before: before.clone() }, now)?;
        if already {
            let found = Some(before);
            self.write(&JournalEntry::Outcome { run: number, stage, at, came: StepOutcome::Already, found }, now)?;
            return Ok(true);
        }
        self.guard.count(&run.controller, now);
        self.send(number, stage, step, &before, now);
        Ok(true)
    }

    fn send(&mut self, run: u64, stage: usize, step: &PilotStep, before: &Value, now: ClockReading) {
        let error = self.world.write(&step.subject(), &step.writes(before)).err();
        let now = self.moment(now);
        let fresh = self.fresh(run, now);
        if error.as_ref().is_some_and(is_unanswered) {
            fresh.unanswered.insert(stage, now.mono);
        }
        let sends = fresh.wrote.as_ref().filter(|wrote| wrote.stage == stage).map_or(0, |wrote| wrote.sends) + 1;
        fresh.wrote = Some(Wrote { stage, at: now.mono, sends, error });
    }

    /// What was written for a stage last. A program that did not write it itself knows nothing of the answer.
    fn wrote(&mut self, run: u64, stage: usize, now: ClockReading) -> Wrote {
        let (began, fresh) = (self.began.mono, self.fresh(run, now));
        let why = "its pilot ended before it was told".to_owned();
        let unknown = Wrote {
            stage,
            at: began,
            sends: 0,
            error: Some(WorldError::Silent { peer: "the cluster".to_owned(), why }),
        };
        fresh.wrote.clone().filter(|wrote| wrote.stage == stage).unwrap_or(unknown)
    }

    fn settle(
        &mut self,
        run: &ProcedureRun,
        stage: usize,
        step: &PilotStep,
        made: &BegunStep,
        now: ClockReading,
    ) -> Result<bool, PilotError> {
        let (number, at) = (run.number, now.wall);
        let wrote = self.wrote(number, stage, now);
        let found = match self.world.read(&step.subject()) {
            Ok(found) => found,
            Err(error) if error.is_passing() => return Ok(self.later(number, &error.to_string(), now)),
            Err(error) => {
                let came = StepOutcome::Failed(format!("it cannot be read back: {error}"));
                self.write(&JournalEntry::Outcome { run: number, stage, at, came, found: None }, now)?;
                return Ok(true);
            }
        };
        let bounds = SettingBounds::embedded();
        let waited = now.since(wrote.at);
        let untouched = same(&found, &made.before);
        let came = if step.reached(&made.before, &found) {
            StepOutcome::Done
        } else {
            match &wrote.error {
                None if waited < bounds.settles_within(step) => return Ok(false),
                None if untouched => StepOutcome::Failed("it was answered with a yes, and nothing changed".to_owned()),
                Some(error) if untouched && is_unanswered(error) => {
                    // It may still be carried out; only then is it known not to be.
                    if waited < bounds.retries.grace {
                        return Ok(false);
                    }
                    if wrote.sends < bounds.retries.sends {
                        self.send(number, stage, step, &made.before, now);
                        return Ok(true);
                    }
                    StepOutcome::Failed(error.to_string())
                }
                Some(error) if untouched => StepOutcome::Failed(error.to_string()),
                _ => StepOutcome::Failed(format!("it was set to {} instead", Shown(&found))),
            }
        };
        let fresh = self.fresh(number, now);
        fresh.calm();
        if came == StepOutcome::Done && wrote.sends == 1 {
            // The only request has arrived, whatever became of its answer.
            fresh.unanswered.remove(&stage);
        }
        self.write(&JournalEntry::Outcome { run: number, stage, at, came, found: Some(found) }, now)?;
        Ok(true)
    }

    /// Before a run of several steps is kept: sets again what a TiKV has lost by a restart meanwhile. `None` if there is nothing to
    /// do, else whether something was done now.
    fn set_again(&mut self, run: &ProcedureRun, now: ClockReading) -> Result<Option<bool>, PilotError> {
        let number = run.number;
        for (stage, step) in run.procedure.steps() {
            let made = run.steps.get(&stage).filter(|made| made.came == Some(StepOutcome::Done));
            let (Some(made), PilotStep::SetTikvConfig { .. }) = (made, step) else { continue };
            match self.world.read(&step.subject()) {
                Ok(found) if same(&found, &made.before) => {
                    self.write(&JournalEntry::Intent { run: number, stage, at: now.wall, before: found }, now)?;
                    self.send(number, stage, step, &made.before, now);
                    return Ok(Some(true));
                }
                Err(error) if error.is_passing() && self.fresh(number, now).elapsed(now) <= run.procedure.within => {
                    return Ok(Some(self.later(number, &error.to_string(), now)));
                }
                // What somebody else has set since is theirs; who stays away holds nothing up.
                Ok(_) | Err(_) => {}
            }
        }
        Ok(None)
    }

    fn take_back(
        &mut self,
        run: &ProcedureRun,
        stage: usize,
        step: &PilotStep,
        made: &BegunStep,
        now: ClockReading,
    ) -> Result<bool, PilotError> {
        let (number, at) = (run.number, now.wall);
        let outcome = |came| JournalEntry::UndoOutcome { run: number, stage, at, came };
        if let StepReversal::Never(why) = step.reversal() {
            self.write(&outcome(UndoOutcome::Never(why.to_owned())), now)?;
            return Ok(true);
        }
        let found = match self.world.read(&step.subject()) {
            Ok(found) => found,
            Err(error) => return Ok(self.later(number, &error.to_string(), now)),
        };
        if same(&found, &made.before) {
            if self.is_on_its_way(number, stage, now) {
                return self.write_again(run, stage, step, made, now);
            }
            self.fresh(number, now).calm();
            self.write(&outcome(if made.undoing { UndoOutcome::Done } else { UndoOutcome::AsItWas }), now)?;
            return Ok(true);
        }
        let known = made.found.as_ref().filter(|_| made.came == Some(StepOutcome::Done) && !made.undoing && !run.force);
        if known.is_some_and(|known| !same(known, &found)) {
            self.write(&outcome(UndoOutcome::Left(Shown(&found).to_string())), now)?;
            return Ok(true);
        }
        // It was waited for its peer.
        if self.is_frozen() {
            return Ok(false);
        }
        if !made.undoing {
            self.write(&JournalEntry::UndoIntent { run: number, stage, at }, now)?;
        }
        match self.world.write(&step.subject(), &made.before) {
            // Read back in the next round.
            Ok(()) if self.fresh(number, now).tries == 0 => {
                self.fresh(number, now).tries = 1;
                Ok(true)
            }
            Ok(()) => Ok(self.later(number, "it was answered with a yes, and nothing changed", now)),
            Err(WorldError::NotYet { until: Some(until), .. }) => {
                let left = Nanos(u64::try_from(until.as_nanosecond() - at.as_nanosecond()).unwrap_or(0));
                self.fresh(number, now).not_before = now.mono + left;
                let why = format!("{step} can be undone from {until:.0} on");
                self.audit.note(self.moment(now).wall, &PilotEvent::Again(number, &why));
                Ok(false)
            }
            Err(error) => Ok(self.later(number, &error.to_string(), now)),
        }
    }

    /// Tries again later, the longer the more often it was in vain.
    fn later(&mut self, run: u64, why: &str, now: ClockReading) -> bool {
        let retries = &SettingBounds::embedded().retries;
        let fresh = self.fresh(run, now);
        fresh.tries = fresh.tries.saturating_add(1);
        let wait = retries.first.0.saturating_mul(1 << fresh.tries.min(16)).min(retries.most.0);
        fresh.not_before = now.mono + Nanos(wait);
        // Said when it begins, and when it seems to last.
        if fresh.tries == 1 || fresh.tries == retries.stuck_after {
            self.audit.note(self.moment(now).wall, &PilotEvent::Again(run, why));
        }
        false
    }
}
