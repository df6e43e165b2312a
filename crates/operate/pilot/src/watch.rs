//! The loop around the pilot: turns at an interval, what other processes ask through its folder, and an end in good order.

use std::time::Duration;

use jiff::Timestamp;
use units::Nanos;

use crate::audit::{AuditLog, PilotEvent};
use crate::{Attention, Pilot, PilotError, PilotFolder, PilotMeters, PilotOrder, StopMode, WallClock};

/// While something is under way, turns come at least so often: waits end with it.
const BUSY: Nanos = Nanos::millis(500);

/// How long the loop goes on.
#[derive(Debug, Clone, Copy)]
pub struct LoopPlan {
    /// From one look to the next.
    pub every: Nanos,
    /// From one glance to the next between them, where something is worth one.
    pub glance: Option<Nanos>,
    /// How long in all; without end if not given.
    pub last: Option<Nanos>,
    /// How long its end may take: what cannot be undone by then stays in the journal for the next.
    pub patience: Nanos,
}

/// Notes for people: into the folder's log, to whoever listens, and counted.
pub struct PilotNotes {
    folder: PilotFolder,
    meters: PilotMeters,
    tell: Box<dyn FnMut(&str)>,
}

impl PilotNotes {
    /// Beside `folder`'s log, each sentence goes to `tell`.
    pub fn new(folder: &PilotFolder, meters: &PilotMeters, tell: Box<dyn FnMut(&str)>) -> Self {
        Self { folder: folder.reader(), meters: meters.clone(), tell }
    }
}

impl AuditLog for PilotNotes {
    fn note(&mut self, at: Timestamp, event: &PilotEvent<'_>) {
        self.meters.note(at, event);
        if let Some(sentence) = event.sentence() {
            (self.tell)(&sentence);
            // The journal holds what counts; a full disk shows there.
            let _ = self.folder.log(at, &sentence);
        }
    }
}

/// Lets a pilot work until it is told to end, then undoes what is not to stay.
///
/// # Errors
/// When the folder cannot be written, or not all was undone in time.
pub fn watch(
    pilot: &mut Pilot,
    folder: &PilotFolder,
    meters: &PilotMeters,
    clock: &dyn WallClock,
    plan: &LoopPlan,
    attention: &Attention,
) -> Result<(), PilotError> {
    let began = clock.now();
    let stop = attention.stop();
    let over = |now: crate::ClockReading| plan.last.is_some_and(|last| now.since(began.mono) >= last);
    let mut looked: Option<Nanos> = None;
    let mut glanced: Option<Nanos> = None;
    let due =
        |last: Option<Nanos>, every: Nanos, now: crate::ClockReading| last.is_none_or(|at| now.since(at) >= every);
    loop {
        let now = clock.now();
        match attention.heed() {
            PilotOrder::Freeze => return Ok(()),
            PilotOrder::Undo => break,
            PilotOrder::Nothing if over(now) && looked.is_some() => break,
            PilotOrder::Nothing => {}
        }
        for (run, force) in folder.asked_undo()? {
            // Who asked for what is not there was told before.
            match pilot.undo(run, "asked for by hand", force, now) {
                Ok(()) | Err(PilotError::Input(_) | PilotError::Refused(_)) => {}
                Err(error) => return Err(error),
            }
        }
        if due(looked, plan.every, now) {
            (looked, glanced) = (Some(now.mono), Some(now.mono));
            pilot.tick(now, None)?;
            meters.stands(pilot, now.wall);
        } else if plan.glance.is_some_and(|every| due(glanced, every, now)) {
            glanced = Some(now.mono);
            pilot.glance(now)?;
        } else {
            pilot.drive(now)?;
        }
        let most = if pilot.is_idle() { Nanos::secs(1) } else { BUSY };
        let pause = plan.every.min(most).min(plan.glance.unwrap_or(most));
        // Turns begin at their intervals, however long each takes.
        let took = clock.now().since(now.mono);
        stop.pause(Duration::from_nanos(pause.0.saturating_sub(took.0).max(1)));
    }
    pilot.finish(clock.now())?;
    match settle(pilot, clock, plan.patience, attention) {
        // As where it freezes before: who said so knows.
        Err(_) if pilot.is_frozen() => Ok(()),
        settled => settled,
    }
}

/// Drives what is under way until nothing is, or only what the next pilot may go on waiting for. An interruption undoes it, as does the
/// kill switch unless it freezes.
///
/// # Errors
/// When the journal cannot be written, the kill switch freezes, or `patience` is over before.
pub fn settle(
    pilot: &mut Pilot,
    clock: &dyn WallClock,
    patience: Nanos,
    attention: &Attention,
) -> Result<(), PilotError> {
    let began = clock.now();
    let stop = attention.stop();
    let mut finished = false;
    loop {
        let now = clock.now();
        let told = attention.heed();
        if !finished && (told == PilotOrder::Undo || pilot.stopped() == Some(StopMode::Undo)) {
            finished = true;
            pilot.finish(now)?;
        }
        pilot.drive(now)?;
        if pilot.is_settled() || pilot.only_looks() {
            return Ok(());
        }
        let open = || {
            let open = pilot.runs().values().filter(|run| run.ended.is_none());
            open.map(|run| format!("run {} {}", run.number, run.standing())).collect::<Vec<_>>().join("; ")
        };
        if pilot.is_frozen() {
            return Err(PilotError::Refused(format!(
                "the kill switch was set, and nothing may be touched any more: {}; take it away with `diskwright pilot stop \
                 --clear`, then undo with `diskwright pilot undo --all`",
                open()
            )));
        }
        if now.since(began.mono) > patience {
            return Err(PilotError::Refused(format!(
                "not over after {patience}: {}; try again with `diskwright pilot undo --all`",
                open()
            )));
        }
        stop.pause(Duration::from_millis(100));
    }
}

/// Watches what is wholly undone until it has come back, its time is over, or an interruption comes; then its runs end. Nothing is held
/// meanwhile.
///
/// # Errors
/// When the journal cannot be written.
pub fn regain(pilot: &mut Pilot, clock: &dyn WallClock, attention: &Attention) -> Result<(), PilotError> {
    let stop = attention.stop();
    while pilot.is_watching() && attention.heed() == PilotOrder::Nothing {
        stop.pause(Duration::from_millis(200));
        pilot.drive(clock.now())?;
    }
    pilot.end_watches(clock.now())
}
