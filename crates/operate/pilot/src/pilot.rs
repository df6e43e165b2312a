//! The pilot: looks, asks its controllers, lets through what its guard admits, and drives what is under way one step at a time.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::StopMode;
use crate::advance::Fresh;
use crate::audit::{AuditLog, PilotEvent};
use crate::guard::{ActionGuard, SettingBounds, sound};
use crate::journal::JournalEntry;
use crate::lease::Lock;
use crate::settings;
use crate::volumes::{FleetBridge, VolumeFleet};
use crate::{
    ActionProposal, Attention, ClockReading, ClusterSnapshot, ClusterWorld, Controller, Journal, JournalReplay,
    NextMove, PilotError, PilotStep, Procedure, ProcedureRun, SnapshotSource, StepSubject, UnfinishedPolicy,
    WorldError,
};

/// Acts on one cluster.
pub struct Pilot {
    pub(crate) world: ClusterWorld,
    pub(crate) journal: Journal,
    pub(crate) guard: ActionGuard,
    pub(crate) audit: Box<dyn AuditLog>,
    /// What is known of runs beside the journal, and gone with the program.
    pub(crate) fresh: BTreeMap<u64, Fresh>,
    pub(crate) began: ClockReading,
    /// The lock of the whole cluster, where there is one.
    pub(crate) lock: Option<Lock>,
    controllers: Vec<Box<dyn Controller>>,
    sources: Vec<Box<dyn SnapshotSource>>,
    /// What was said last of a matter, so that it is said once.
    said: BTreeMap<String, String>,
    /// What was seen last, if nothing was changed since.
    seen: Option<Rc<ClusterSnapshot>>,
    switch: Option<Box<dyn Fn() -> Option<StopMode>>>,
    /// Told to end, nothing new is decided.
    stop: signals::StopSignal,
    /// What it is told to end by.
    pub(crate) attention: Option<Attention>,
}

impl Pilot {
    /// Takes up where a journal ends. Nothing is touched yet.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub fn new(
        world: ClusterWorld,
        journal: Journal,
        audit: Box<dyn AuditLog>,
        now: ClockReading,
    ) -> Result<Self, PilotError> {
        let mut pilot = Self::at_rest(world, journal, audit, now);
        pilot.take_up(now)?;
        Ok(pilot)
    }

    /// One that has not taken up where a journal ends.
    pub(crate) fn at_rest(world: ClusterWorld, journal: Journal, audit: Box<dyn AuditLog>, now: ClockReading) -> Self {
        let guard = ActionGuard::new(journal.replay(), now);
        let (fresh, said) = (BTreeMap::new(), BTreeMap::new());
        let (controllers, sources) = (Vec::new(), Vec::new());
        let (lock, seen, switch, stop) = (None, None, None, signals::StopSignal::never());
        Self {
            world,
            journal,
            guard,
            audit,
            fresh,
            began: now,
            lock,
            controllers,
            sources,
            said,
            seen,
            switch,
            stop,
            attention: None,
        }
    }

    /// Takes up where the journal ends. Nothing is touched yet.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub(crate) fn take_up(&mut self, now: ClockReading) -> Result<(), PilotError> {
        let open: Vec<ProcedureRun> = self.journal.replay().open().cloned().collect();
        for run in open {
            self.fresh.insert(run.number, Fresh::resumed(&run, now));
            if run.turned.is_none() && run.procedure.found == UnfinishedPolicy::Undo && !self.world.read_only {
                self.turn(run.number, "its pilot ended before it did".to_owned(), false, now)?;
            }
        }
        Ok(())
    }

    /// The same, heeding the kill switch before each of its steps, and deciding nothing new once it is told to end: what it saw then
    /// was cut off.
    #[must_use]
    pub fn attends(mut self, attention: &Attention) -> Self {
        (self.stop, self.attention) = (attention.stop(), Some(attention.clone()));
        let attention = attention.clone();
        self.heeding(Box::new(move || attention.switch()))
    }

    /// The same, with another controller.
    #[must_use]
    pub fn controller(mut self, controller: Box<dyn Controller>) -> Self {
        self.controllers.push(controller);
        self
    }

    /// The same, seeing more.
    #[must_use]
    pub fn source(mut self, source: Box<dyn SnapshotSource>) -> Self {
        self.sources.push(source);
        self
    }

    /// The same, heeding a kill switch before each of its steps, also of those that undo.
    #[must_use]
    pub fn heeding(mut self, switch: Box<dyn Fn() -> Option<StopMode>>) -> Self {
        self.switch = Some(switch);
        self
    }

    /// The same, with the volumes of a fleet to see and to change.
    #[must_use]
    pub fn with_volumes<F: VolumeFleet + 'static>(mut self, fleet: &FleetBridge<F>) -> Self {
        self.world.volumes = Some(Box::new(fleet.clone()));
        self.source(Box::new(fleet.clone()))
    }

    /// The runs, and all that the journal says of them.
    pub fn runs(&self) -> &BTreeMap<u64, ProcedureRun> {
        &self.journal.replay().runs
    }

    /// All that the journal says.
    pub fn replay(&self) -> &JournalReplay {
        self.journal.replay()
    }

    /// What its kill switch says now.
    pub fn stopped(&self) -> Option<StopMode> {
        self.switch.as_ref().and_then(|switch| switch())
    }

    /// Whether nothing may be touched any more.
    pub fn is_frozen(&self) -> bool {
        self.stopped() == Some(StopMode::Freeze)
    }

    /// Whether nothing is under way.
    pub fn is_idle(&self) -> bool {
        self.journal.replay().open().next().is_none()
    }

    /// Whether nothing is under way that must be over before the pilot ends: the next one goes on waiting for a modification of
    /// a volume, which nobody can call off, and watching what is wholly undone.
    pub fn is_settled(&self) -> bool {
        self.journal.replay().open().all(|run| run.only_waits() || run.only_watches())
    }

    /// A turn of the loop: what is under way is driven on, then the cluster is looked at and the controllers are asked. Blocks no
    /// longer than its peers' timeouts.
    ///
    /// # Errors
    /// When the journal cannot be written: then nothing more may be done.
    pub fn tick(&mut self, now: ClockReading, stop: Option<StopMode>) -> Result<(), PilotError> {
        match stop {
            Some(StopMode::Freeze) => return Ok(()),
            Some(StopMode::Undo) => self.turn_all("stopped by hand", now)?,
            None => {}
        }
        self.drive(now)?;
        if stop.is_none() {
            self.decide(now)?;
        }
        Ok(())
    }

    /// A short turn between two: of the cluster only what changes within a second is looked at, and only who decides by that is
    /// asked. After a change it is a whole turn, for then what was seen before may not be so any more.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub fn glance(&mut self, now: ClockReading) -> Result<(), PilotError> {
        self.drive(now)?;
        let Some(seen) = self.seen.take() else { return self.decide(now) };
        let mut seen = Rc::unwrap_or_clone(seen);
        for (matter, why) in self.ask_sources(&mut seen, |source, seen| source.glance(now, seen)) {
            // That all is seen is for a look to say: this one asked for less.
            if let Some(why) = why {
                self.say("unseen", &matter, &why, now, &PilotEvent::Unseen(&why));
            }
        }
        self.ask_controllers(now, seen, |controller| controller.glances())
    }

    /// Drives on what is under way, and begins nothing.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub fn drive(&mut self, now: ClockReading) -> Result<(), PilotError> {
        if self.world.read_only || self.is_frozen() {
            return Ok(());
        }
        // What began last goes first: a later run may stand on what an earlier one set.
        let of = |run: &ProcedureRun| (run.number, run.needs_lock().then(|| run.procedure.name.clone()));
        let open: Vec<(u64, Option<String>)> = self.journal.replay().open().rev().map(of).collect();
        for (run, changes) in open {
            match changes.map_or(Ok(()), |name| self.take_lock(&format!("run {run}: {name}"), now)) {
                Ok(()) => self.advance(run, now)?,
                Err(why) => self.say("lock", &format!("run {run}"), &why, now, &PilotEvent::Again(run, &why)),
            }
        }
        self.let_lock_go(now);
        Ok(())
    }

    /// From here on a run is undone. With `force` even what others changed since is set back.
    ///
    /// # Errors
    /// When there is no such run, a line of it is lost, it holds nothing to undo, or the journal cannot be written.
    pub fn undo(&mut self, number: u64, why: &str, force: bool, now: ClockReading) -> Result<(), PilotError> {
        if let Some(refused) = self.journal.replay().refused.get(&number) {
            return Err(PilotError::Input(format!("run {number} cannot be undone by its journal: {refused}")));
        }
        let run = self.runs().get(&number);
        let run = run.ok_or_else(|| {
            let last = self.runs().keys().next_back();
            let there = last.map_or("there is none yet".to_owned(), |last| format!("there are 1 to {last}"));
            PilotError::Input(format!("no run {number}: {there}; see `diskwright pilot status`"))
        })?;
        let left = force && run.was_left();
        match (run.ended.is_some(), run.turned.is_some()) {
            (false, true) if run.only_watches() => self.end_watch(number, now),
            (false, true) => Ok(()),
            (true, _) if !run.holds() && !left => Err(PilotError::Refused(format!(
                "run {number} holds nothing that could be undone: it is {}",
                run.standing()
            ))),
            _ => self.turn(number, why.to_owned(), force, now),
        }
    }

    /// Undoes all that is to stay only while a pilot runs, and all that is under way but waits; [`drive`](Self::drive) does it.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub fn finish(&mut self, now: ClockReading) -> Result<(), PilotError> {
        self.turn_all("its pilot ends", now)
    }

    fn turn_all(&mut self, why: &str, now: ClockReading) -> Result<(), PilotError> {
        let with_pilot = |run: &&ProcedureRun| {
            run.ended.is_some() && run.holds() && run.procedure.ending == crate::ProcedureEnding::WithPilot
        };
        let open = |run: &&ProcedureRun| run.ended.is_none() && run.turned.is_none() && !run.only_waits();
        let turned = self.runs().values().rev().filter(|run| open(run) || with_pilot(run));
        let turned: Vec<u64> = turned.map(|run| run.number).collect();
        turned.into_iter().try_for_each(|run| self.turn(run, why.to_owned(), false, now))
    }

    /// Now, also where the turn waited for its peers since it began at `turn`.
    pub(crate) fn moment(&self, turn: ClockReading) -> ClockReading {
        self.journal.moment(turn)
    }

    pub(crate) fn turn(&mut self, run: u64, why: String, force: bool, now: ClockReading) -> Result<(), PilotError> {
        let now = self.moment(now);
        let known = self.journal.replay().runs.get(&run);
        let fresh = || known.map_or_else(|| Fresh::new(now), |run| Fresh::resumed(run, now));
        self.fresh.entry(run).or_insert_with(fresh).calm();
        self.write(&JournalEntry::Turned { run, at: now.wall, why, force }, now)
    }

    /// Writes a line, with the time of this moment.
    pub(crate) fn write(&mut self, entry: &JournalEntry, now: ClockReading) -> Result<(), PilotError> {
        let entry = entry.clone().written_at(self.moment(now).wall);
        self.journal.append(&entry)?;
        let run = entry.run().and_then(|run| self.journal.replay().runs.get(&run));
        self.audit.note(entry.at(), &PilotEvent::Wrote(&entry, run));
        self.seen = None;
        Ok(())
    }

    fn decide(&mut self, now: ClockReading) -> Result<(), PilotError> {
        let seen = self.look(now);
        self.ask_controllers(now, seen, |_| true)
    }

    /// Asks those that are to be. What was seen is kept for the next glance, unless they change something.
    fn ask_controllers(
        &mut self,
        now: ClockReading,
        seen: ClusterSnapshot,
        asked: fn(&dyn Controller) -> bool,
    ) -> Result<(), PilotError> {
        if self.stop.is_set() {
            return Ok(());
        }
        let seen = Rc::new(seen);
        self.seen = Some(Rc::clone(&seen));
        let mut controllers = std::mem::take(&mut self.controllers);
        let mut done = Ok(());
        for controller in controllers.iter_mut().filter(|controller| asked(controller.as_ref())) {
            for proposal in controller.decide(now, &seen) {
                done = done.and_then(|()| self.consider(controller.name(), &proposal, &seen, now));
            }
        }
        self.controllers = controllers;
        done
    }

    fn consider(
        &mut self,
        name: &str,
        proposal: &ActionProposal,
        seen: &ClusterSnapshot,
        now: ClockReading,
    ) -> Result<(), PilotError> {
        let replay = self.journal.replay();
        let undone = proposal.undoes.and_then(|run| replay.runs.get(&run)).map(|run| &run.procedure);
        let Some(procedure) = proposal.procedure.as_ref().or(undone) else {
            self.say(name, &proposal.reason, "", now, &PilotEvent::Tells(name, proposal));
            return Ok(());
        };
        let what = proposal.what();
        let admitted = sound(procedure)
            .and_then(|()| self.stuck().map_or(Ok(()), |run| Err(format!("run {run} cannot be undone yet"))))
            .and_then(|()| self.guard.admit(name, procedure, seen.health.as_ref(), replay, now));
        if let Err(why) = admitted {
            self.say(name, &what, &why, now, &PilotEvent::Held(name, proposal, &why));
            return Ok(());
        }
        if self.world.read_only {
            self.say(name, &what, "", now, &PilotEvent::Would(name, proposal));
            return Ok(());
        }
        if let Err(why) = self.take_lock(&what, now) {
            self.say(name, &what, &why, now, &PilotEvent::Held(name, proposal, &why));
            return Ok(());
        }
        self.said.remove(&format!("{name}: {what}"));
        match proposal.undoes {
            Some(run) => self.undo(run, &proposal.reason, false, now),
            None => self.begin(name, proposal, now).map(drop),
        }
    }

    /// Begins a procedure that was admitted, and drives it as far as it goes at once. Gives the run's number.
    ///
    /// # Errors
    /// When the proposal has nothing to do, or the journal is damaged or cannot be written.
    pub fn begin(&mut self, controller: &str, proposal: &ActionProposal, now: ClockReading) -> Result<u64, PilotError> {
        if let Some(damaged) = self.journal.replay().complaint() {
            return Err(PilotError::Input(damaged));
        }
        let now = self.moment(now);
        let procedure = proposal.procedure.clone();
        let procedure = procedure.ok_or_else(|| PilotError::Input("a proposal without a procedure".to_owned()))?;
        let (run, controller) = (self.journal.replay().next(), controller.to_owned());
        let (reason, expects) = (proposal.reason.clone(), proposal.expects.clone());
        self.take_lock(&format!("run {run}: {}", procedure.name), now).map_err(PilotError::Refused)?;
        self.leave_to(&procedure, now)?;
        self.fresh.insert(run, Fresh::new(now));
        self.write(&JournalEntry::Began { run, at: now.wall, controller, reason, procedure, expects }, now)?;
        self.advance(run, now)?;
        Ok(run)
    }

    /// The run whose undoing was tried too often in vain.
    fn stuck(&self) -> Option<u64> {
        let most = SettingBounds::embedded().retries.stuck_after;
        let stuck = |run: &&ProcedureRun| {
            matches!(run.next(), NextMove::Undo(..))
                && self.fresh.get(&run.number).is_some_and(|fresh| fresh.tries >= most)
        };
        self.journal.replay().open().find(stuck).map(|run| run.number)
    }

    /// Notes something unless that was the last that was said of the matter.
    pub(crate) fn say(&mut self, controller: &str, matter: &str, how: &str, now: ClockReading, event: &PilotEvent<'_>) {
        if self.stop.is_set() {
            // What was cut off says nothing of the cluster.
            return;
        }
        let key = format!("{controller}: {matter}");
        if self.said.get(&key).is_none_or(|said| said != how) {
            self.audit.note(self.moment(now).wall, event);
            self.said.insert(key, how.to_owned());
        }
    }

    /// What is known of the cluster now.
    pub fn look(&mut self, now: ClockReading) -> ClusterSnapshot {
        let of = |run: &ProcedureRun| {
            let back = |at: usize, step: &PilotStep| run.steps.get(&at).and_then(|made| step.back(&made.before));
            let steps = run.procedure.steps().flat_map(|(at, step)| [Some(step.clone()), back(at, step)]);
            steps.flatten().collect::<Vec<PilotStep>>()
        };
        let changing = self.journal.replay().open().filter(|run| !run.only_watches()).flat_map(of).collect();
        let mut seen = ClusterSnapshot { changing, kept: self.journal.replay().kept(), ..ClusterSnapshot::default() };
        for event in self.journal.replay().open().filter_map(ProcedureRun::is_ready_for) {
            *seen.ready.entry(event.to_owned()).or_default() += 1;
        }
        let mut unseen: Vec<(String, Option<String>)> = Vec::new();
        match self.world.health() {
            Ok(health) => seen.health = Some(health),
            Err(error) => unseen.push(("PD's health".to_owned(), Some(error.to_string()))),
        }
        seen.pd_config = self.world.pd.as_ref().and_then(|pd| pd.config().ok());
        let stores = seen.health.iter().flat_map(|health| health.stores.keys().copied());
        if let Some(tikv) = &self.world.tikv {
            seen.configs = stores.filter_map(|store| Some((store, tikv.config(store).ok()?))).collect();
        }
        unseen.extend(self.ask_sources(&mut seen, |source, seen| source.look(now, seen)));
        // Each question is a connection of its own: asked is only what a verdict may change.
        if let Some(tidb) = &self.world.tidb {
            let mut why = None;
            for name in settings::variables(&seen.verdicts) {
                match tidb.variable(name) {
                    Ok(value) => drop(seen.variables.insert(name.to_owned(), value)),
                    // One says it for all.
                    Err(error) => why = why.or(Some(error.to_string())),
                }
            }
            unseen.push(("TiDB".to_owned(), why));
        }
        for (matter, why) in unseen {
            match why {
                Some(why) => self.say("unseen", &matter, &why.clone(), now, &PilotEvent::Unseen(&why)),
                None => drop(self.said.remove(&format!("unseen: {matter}"))),
            }
        }
        seen
    }

    /// Asks each source: why it tells nothing, if it does not.
    fn ask_sources(
        &mut self,
        seen: &mut ClusterSnapshot,
        ask: impl Fn(&mut dyn SnapshotSource, &mut ClusterSnapshot) -> Result<(), WorldError>,
    ) -> Vec<(String, Option<String>)> {
        let sources = self.sources.iter_mut().enumerate();
        sources
            .map(|(at, source)| (format!("source {at}"), ask(source.as_mut(), seen).err().map(|e| e.to_string())))
            .collect()
    }

    /// What a procedure would change, as it is read now, or why it cannot be.
    pub fn read(&self, procedure: &Procedure) -> Vec<(StepSubject, Result<serde_json::Value, String>)> {
        let read = |subject: StepSubject| {
            let value = self.world.read(&subject).map_err(|error| error.to_string());
            (subject, value)
        };
        procedure.subjects().map(read).collect()
    }

    /// How many runs are under way, and whether one of them cannot be undone yet.
    pub fn standing(&self) -> (usize, bool) {
        (self.journal.replay().open().count(), self.stuck().is_some())
    }

    /// Whether it changes nothing.
    pub fn only_looks(&self) -> bool {
        self.world.read_only
    }
}

#[cfg(test)]
#[path = "pilot_tests.rs"]
mod tests;
