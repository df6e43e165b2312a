//! Runs that are wholly undone hold nothing: no lock of the cluster, no other run, no end of a pilot.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use pilot::twin::{ClusterTwin, MemoryAudit, MemoryLines, RequestFault, TwinLock};
use pilot::{
    ActionGuard, ActionProposal, Attention, ClusterLock, Journal, JournalReplay, LatePolicy, LoopPlan, Pilot,
    PilotError, PilotFolder, PilotLease, PilotMeters, PilotStep, PilotWait, Procedure, ProcedureEnding, ProcedureStage,
    RunEnd, SystemClock, UnfinishedPolicy, WaitCondition, WallClock, WorldError, regain, watch,
};
use units::Nanos;

const STORE: u64 = 2;
/// Leaders of each store before; PD's balance brings back thirty of them, and not one more.
const LED: u64 = 40;
const WATCHED: u64 = 600;

/// Clears a store of leaders for a moment, and waits for as many as PD never brings back.
fn clear(found: UnfinishedPolicy) -> Procedure {
    let wait = |until, secs| PilotWait { until, within: Nanos::secs(secs), late: LatePolicy::GoOn };
    Procedure {
        name: "clear store 2".to_owned(),
        stages: vec![
            ProcedureStage::Do(PilotStep::EvictLeaders { store: STORE }),
            ProcedureStage::Wait(wait(WaitCondition::LeadersGone { store: STORE }, 60)),
        ],
        ending: ProcedureEnding::Restore,
        afterwards: vec![wait(WaitCondition::LeadersBack { store: STORE, least: LED }, WATCHED)],
        within: Nanos::secs(300),
        found,
    }
}

struct Place {
    twin: ClusterTwin,
    lines: MemoryLines,
    audit: MemoryAudit,
}

impl Place {
    fn new() -> Self {
        let twin = ClusterTwin::new(3, &[]);
        twin.with(|state| state.health.stores.values_mut().for_each(|store| store.leaders = LED));
        Self { lines: MemoryLines::of(&twin), twin, audit: MemoryAudit::default() }
    }

    fn replay(&self) -> JournalReplay {
        JournalReplay::read("journal", self.lines.text()).unwrap().0
    }

    /// A pilot that took the lock when it began, as the program does.
    fn start(&self) -> Pilot {
        let now = self.twin.now();
        let journal = Journal::open(Box::new(self.lines.clone()), self.replay(), "7001", "p", now.wall).unwrap();
        self.twin.lock("p").take("begins").unwrap();
        let pilot = Pilot::new(self.twin.world(), journal, Box::new(self.audit.clone()), now).unwrap();
        pilot.locked(Box::new(self.twin.lock("p")), true)
    }

    fn begin(&self, pilot: &mut Pilot) -> u64 {
        pilot
            .begin("maintenance", &ActionProposal::act("because", clear(UnfinishedPolicy::GoOn)), self.twin.now())
            .unwrap()
    }

    fn drive(&self, pilot: &mut Pilot, seconds: u64) {
        for _ in 0..seconds {
            self.twin.pass(1);
            pilot.drive(self.twin.now()).unwrap();
        }
    }

    /// A pilot whose eviction is undone, and that only watches now.
    fn watching(&self) -> Pilot {
        let mut pilot = self.start();
        self.begin(&mut pilot);
        self.drive(&mut pilot, 30);
        assert!(pilot.runs()[&1].only_watches(), "{}", self.lines.text());
        pilot
    }

    fn holder(&self) -> Option<String> {
        self.twin.state().lock.map(|(holder, _)| holder)
    }

    fn said(&self, words: &str) -> usize {
        self.audit.sentences().iter().filter(|said| said.contains(words)).count()
    }
}

const NOT_BACK: &str = "nothing is left to undo; store 2 leads";

#[test]
fn the_lock_is_held_while_a_store_is_cleared_and_given_back_when_that_is_undone() {
    let place = Place::new();
    let mut pilot = place.start();
    place.drive(&mut pilot, 1);
    assert_eq!(place.holder(), None, "nothing is changed yet");
    place.begin(&mut pilot);
    let why = place.twin.state().lock.unwrap();
    assert_eq!(why, ("p".to_owned(), "diskwright pilot: run 1: clear store 2".to_owned()));
    while place.twin.state().evicting.contains(&STORE) {
        assert_eq!(place.holder().as_deref(), Some("p"));
        place.drive(&mut pilot, 1);
    }
    place.drive(&mut pilot, 1);
    assert_eq!(place.holder(), None, "{}", place.lines.text());
    assert!(pilot.is_settled() && pilot.is_watching() && !pilot.is_idle());
    assert!(pilot.runs()[&1].standing().starts_with("undone; watched until"), "{}", pilot.runs()[&1].standing());
    drop(pilot);
    assert_eq!(place.holder(), None);
}

#[test]
fn a_watch_counts_from_the_journals_time_across_restarts_and_tells_once_what_did_not_come_back() {
    let place = Place::new();
    drop(place.watching());
    let began = place.twin.now();
    let mut restarts = 0;
    while place.replay().open().next().is_some() {
        let mut pilot = place.start();
        place.drive(&mut pilot, 90);
        assert_eq!(place.holder(), None, "between pilots, too");
        restarts += 1;
        assert!(place.twin.now().since(began.mono) < Nanos::secs(WATCHED + 91), "{}", place.lines.text());
    }
    assert!(restarts >= 6 && place.replay().runs[&1].ended == Some(RunEnd::Undone), "{restarts}");
    assert_eq!(place.said(NOT_BACK), 1, "{:?}", place.audit.sentences());
    assert_eq!(place.said("leads 34 regions"), 1, "as many as PD brings back: {:?}", place.audit.sentences());
    assert_eq!(place.said("waited in vain"), 0);
    drop(place.start());
    assert_eq!(place.said(NOT_BACK), 1);
}

#[test]
fn what_is_watched_holds_up_no_other_run_and_ends_where_the_store_is_cleared_again() {
    let place = Place::new();
    let mut pilot = place.watching();
    let (health, replay) = (place.twin.world().health().unwrap(), place.replay());
    for store in [1, STORE] {
        let other = Procedure::of_one(PilotStep::EvictLeaders { store }, ProcedureEnding::Restore);
        ActionGuard::default().admit("maintenance", &other, Some(&health), &replay, place.twin.now()).unwrap();
    }
    assert!(pilot.look(place.twin.now()).changing.is_empty());
    let again = place.begin(&mut pilot);
    assert_eq!((again, pilot.runs()[&1].ended), (2, Some(RunEnd::Undone)));
    assert_eq!(place.said(NOT_BACK), 1);
    assert!(place.twin.state().evicting.contains(&STORE) && place.holder().is_some());
}

#[test]
fn whoever_asks_for_its_undoing_ends_a_watch() {
    let place = Place::new();
    let mut pilot = place.watching();
    pilot.undo(1, "asked for by hand", false, place.twin.now()).unwrap();
    assert!(pilot.is_idle() && place.said(NOT_BACK) == 1, "{}", place.lines.text());
    let place = Place::new();
    let mut pilot = place.watching();
    pilot.end_watches(place.twin.now()).unwrap();
    assert!(pilot.is_idle() && place.said(NOT_BACK) == 1, "{}", place.lines.text());
}

#[test]
fn a_pilot_that_is_killed_keeps_the_lock_until_the_next_has_undone_what_it_did() {
    for fault in [RequestFault::Kill, RequestFault::KillDone] {
        let place = Place::new();
        let calm = {
            let place = Place::new();
            place.watching();
            place.twin.ops()
        };
        let evicts = calm.iter().find(|op| op.writes).unwrap().number;
        place.twin.fault(evicts, fault);
        let mut pilot = place.start();
        let _ = pilot.begin(
            "maintenance",
            &ActionProposal::act("because", clear(UnfinishedPolicy::Undo)),
            place.twin.now(),
        );
        assert!(place.twin.is_dead());
        drop(pilot);
        place.twin.revive();
        assert_eq!(place.holder().as_deref(), Some("p"));
        assert!(place.replay().runs[&1].needs_lock());
        let mut pilot = place.start();
        place.drive(&mut pilot, 60);
        assert!(place.holder().is_none() && place.twin.state().evicting.is_empty(), "{}", place.lines.text());
    }
}

#[test]
fn nothing_begins_while_another_holds_the_lock() {
    let place = Place::new();
    let mut pilot = place.start();
    place.drive(&mut pilot, 1);
    place.twin.lock("other").take("a restart").unwrap();
    let begin = |pilot: &mut Pilot| {
        pilot.begin("maintenance", &ActionProposal::act("because", clear(UnfinishedPolicy::GoOn)), place.twin.now())
    };
    let refused = begin(&mut pilot).unwrap_err();
    assert!(matches!(&refused, PilotError::Refused(why) if why.contains("held by other")), "{refused}");
    assert!(pilot.is_idle() && place.twin.state().evicting.is_empty());
    place.twin.lock("other").release().unwrap();
    place.drive(&mut pilot, 2);
    assert_eq!(begin(&mut pilot), Ok(1));
    assert_eq!(place.holder().as_deref(), Some("p"));
}

#[test]
fn a_pilot_that_ends_before_it_began_anything_leaves_no_lock() {
    let place = Place::new();
    drop(place.start());
    assert_eq!(place.holder(), None);
}

/// A lock whose answers come too late, or are not waited for any more.
struct UnheardLock {
    lock: TwinLock,
    stop: signals::StopSignal,
    takes_unheard: bool,
}

fn unheard() -> WorldError {
    WorldError::Silent { peer: "PD".to_owned(), why: "nobody waits any more".to_owned() }
}

impl ClusterLock for UnheardLock {
    fn take(&self, why: &str) -> Result<PilotLease, WorldError> {
        let taken = self.lock.take(why);
        if self.takes_unheard { Err(unheard()) } else { taken }
    }

    fn release(&self) -> Result<(), WorldError> {
        if self.stop.is_set() { Err(unheard()) } else { self.lock.release() }
    }
}

impl Place {
    /// A pilot that holds no lock yet.
    fn with_lock(&self, stop: signals::StopSignal, takes_unheard: bool) -> Pilot {
        let now = self.twin.now();
        let journal = Journal::open(Box::new(self.lines.clone()), self.replay(), "7001", "p", now.wall).unwrap();
        let pilot = Pilot::new(self.twin.world(), journal, Box::new(self.audit.clone()), now).unwrap();
        pilot.locked(Box::new(UnheardLock { lock: self.twin.lock("p"), stop, takes_unheard }), false)
    }
}

#[test]
fn a_lock_that_was_taken_without_an_answer_is_given_back() {
    let calm = signals::StopSignal::never;
    let begin = |place: &Place, pilot: &mut Pilot| {
        pilot.begin("maintenance", &ActionProposal::act("because", clear(UnfinishedPolicy::GoOn)), place.twin.now())
    };
    let place = Place::new();
    let mut pilot = place.with_lock(calm(), true);
    assert!(begin(&place, &mut pilot).is_err() && place.holder().is_some() && !pilot.holds_lock());
    place.drive(&mut pilot, 2);
    assert_eq!(place.holder(), None, "by a pilot that goes on");
    let place = Place::new();
    let mut pilot = place.with_lock(calm(), true);
    assert!(begin(&place, &mut pilot).is_err());
    drop(pilot);
    assert_eq!(place.holder(), None, "by one that ends");
}

#[test]
fn a_pilot_that_is_interrupted_still_waits_until_the_lock_is_given_back() {
    let (place, home) = (Place::new(), tempfile::tempdir().unwrap());
    let signal = Arc::new(AtomicBool::new(false));
    let attention = Attention::new(Arc::clone(&signal), PilotFolder::at(home.path()).unwrap());
    let mut pilot = place.with_lock(attention.stop(), true).attends(&attention);
    let proposal = ActionProposal::act("because", clear(UnfinishedPolicy::GoOn));
    assert!(pilot.begin("maintenance", &proposal, place.twin.now()).is_err() && place.holder().is_some());
    signal.store(true, Ordering::Release);
    assert!(pilot.release_lock(place.twin.now()).is_err(), "that wait is given up");
    drop(pilot);
    assert_eq!(place.holder(), None);
}

/// A twin whose seconds pass by themselves, fifty a second.
fn ticking(twin: &ClusterTwin) -> Arc<AtomicBool> {
    let (twin, over) = (twin.clone(), Arc::new(AtomicBool::new(false)));
    let ends = Arc::clone(&over);
    thread::spawn(move || {
        while !ends.load(Ordering::Relaxed) {
            twin.pass(1);
            thread::sleep(Duration::from_millis(20));
        }
    });
    over
}

/// Interrupts as soon as the eviction is undone.
fn interrupts(twin: &ClusterTwin) -> (Arc<AtomicBool>, thread::JoinHandle<Instant>) {
    let (twin, interrupted) = (twin.clone(), Arc::new(AtomicBool::new(false)));
    let flag = Arc::clone(&interrupted);
    let at = thread::spawn(move || {
        while !twin.state().evicting.contains(&STORE) {
            thread::sleep(Duration::from_millis(5));
        }
        while !twin.state().evicting.is_empty() || twin.state().lock.is_some() {
            thread::sleep(Duration::from_millis(5));
        }
        flag.store(true, Ordering::Relaxed);
        Instant::now()
    });
    (interrupted, at)
}

/// A pilot in a folder, on the machine's own clock.
fn in_folder(place: &Place, folder: &PilotFolder, clock: &SystemClock) -> Pilot {
    let (lines, replay) = folder.lines().unwrap();
    let journal = Journal::open(lines, replay, "7001", "p", Timestamp::now()).unwrap();
    place.twin.lock("p").take("begins").unwrap();
    let pilot = Pilot::new(place.twin.world(), journal, Box::new(place.audit.clone()), clock.now()).unwrap();
    pilot.locked(Box::new(place.twin.lock("p")), true)
}

/// Ample for a noisy machine; the watch would last ten minutes.
const SOON: Duration = Duration::from_secs(20);

#[test]
fn a_pilot_that_only_watches_ends_when_it_is_told_and_the_next_goes_on_watching() {
    let place = Place::new();
    let (home, clock) = (tempfile::tempdir().unwrap(), SystemClock::new());
    let folder = PilotFolder::take(home.path()).unwrap();
    let mut pilot = in_folder(&place, &folder, &clock);
    let over = ticking(&place.twin);
    let (interrupted, at) = interrupts(&place.twin);
    let attention = Attention::new(interrupted, PilotFolder::at(home.path()).unwrap());
    pilot.begin("maintenance", &ActionProposal::act("because", clear(UnfinishedPolicy::GoOn)), clock.now()).unwrap();
    let (every, patience) = (Nanos::millis(100), Nanos::secs(120));
    let plan = LoopPlan { every, glance: None, last: None, patience };
    watch(&mut pilot, &folder, &PilotMeters::default(), &clock, &plan, &attention).unwrap();
    assert!(at.join().unwrap().elapsed() < SOON);
    assert!(pilot.is_watching() && place.holder().is_none());
    drop(pilot);
    let pilot = in_folder(&place, &folder, &clock);
    assert!(pilot.is_watching() && pilot.is_settled());
    over.store(true, Ordering::Relaxed);
}

#[test]
fn what_is_changed_by_hand_watches_until_it_is_told_to_end_and_leaves_nothing_open() {
    let place = Place::new();
    let (home, clock) = (tempfile::tempdir().unwrap(), SystemClock::new());
    let folder = PilotFolder::take(home.path()).unwrap();
    let mut pilot = in_folder(&place, &folder, &clock);
    let over = ticking(&place.twin);
    let (interrupted, at) = interrupts(&place.twin);
    let attention = Attention::new(interrupted, PilotFolder::at(home.path()).unwrap());
    pilot.begin("by-hand", &ActionProposal::act("because", clear(UnfinishedPolicy::Undo)), clock.now()).unwrap();
    let calm = Attention::new(Arc::default(), PilotFolder::at(home.path()).unwrap());
    pilot::settle(&mut pilot, &clock, Nanos::secs(120), &calm).unwrap();
    assert!(pilot.is_watching(), "nothing is left to undo, and that is all that is waited for");
    regain(&mut pilot, &clock, &attention).unwrap();
    assert!(at.join().unwrap().elapsed() < SOON);
    assert!(pilot.is_idle() && place.holder().is_none() && place.said(NOT_BACK) == 1);
    over.store(true, Ordering::Relaxed);
}
