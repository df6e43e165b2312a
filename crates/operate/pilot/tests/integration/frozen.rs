//! The kill switch that freezes, thrown while something is undone.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use jiff::Timestamp;
use pilot::twin::{ClusterTwin, MemoryAudit, MemoryLines};
use pilot::{
    ActionProposal, Attention, ClockReading, Journal, JournalReplay, Pilot, PilotFolder, PilotStep, Procedure,
    ProcedureEnding, ProcedureStage, StepSubject, StopMode, UnfinishedPolicy, WallClock, settle,
};
use serde_json::json;
use units::Nanos;

const RATE: &str = "rocksdb.rate-bytes-per-sec";

/// The twin's time, in which a second passes whenever it is asked for.
struct Passing(ClusterTwin);

impl WallClock for Passing {
    fn now(&self) -> ClockReading {
        self.0.pass(1);
        self.0.now()
    }
}

/// Three stores limited, and a pilot with this switch.
fn limited(switch: impl Fn(&ClusterTwin) -> Option<StopMode> + 'static) -> (ClusterTwin, Pilot) {
    let twin = ClusterTwin::new(3, &[(RATE, json!("10GiB"))]);
    let lines = Box::new(MemoryLines::of(&twin));
    let journal = Journal::open(lines, JournalReplay::default(), "7001", "p", Timestamp::UNIX_EPOCH).unwrap();
    let world = twin.clone();
    let pilot = Pilot::new(twin.world(), journal, Box::new(MemoryAudit::default()), twin.now()).unwrap();
    let mut pilot = pilot.heeding(Box::new(move || switch(&world)));
    let step =
        |store| ProcedureStage::Do(PilotStep::SetTikvConfig { store, key: RATE.to_owned(), value: json!("50MiB") });
    let one = Procedure::of_one(PilotStep::EvictLeaders { store: 1 }, ProcedureEnding::Keep);
    let all = Procedure { stages: (1..=3).map(step).collect(), found: UnfinishedPolicy::Undo, ..one };
    pilot.begin("by-hand", &ActionProposal::act("because", all), twin.now()).unwrap();
    (twin, pilot)
}

/// What no signal and no folder's switch ever reaches; the folder is gone by then.
fn calm() -> Attention {
    let place = tempfile::tempdir().unwrap();
    Attention::new(Arc::default(), PilotFolder::at(place.path()).unwrap())
}

fn limits(twin: &ClusterTwin) -> [bool; 3] {
    let rate = |store| StepSubject::TikvConfig { store, key: RATE.to_owned() };
    [1, 2, 3].map(|store| twin.state().values[&rate(store)] == "50MiB")
}

#[test]
fn a_freeze_in_the_middle_of_an_undoing_stops_it_before_its_next_step() {
    let on = Rc::new(Cell::new(true));
    let thrown = Rc::clone(&on);
    // Thrown as soon as one store is as it was; the last is undone first.
    let (twin, mut pilot) =
        limited(move |twin| (thrown.get() && !limits(twin)[2] && limits(twin)[0]).then_some(StopMode::Freeze));
    // At first none is limited yet: a switch that is thrown would keep the third from being.
    on.set(false);
    let calm = calm();
    let passing = Passing(twin.clone());
    settle(&mut pilot, &passing, Nanos::secs(60), &calm).unwrap();
    assert_eq!(limits(&twin), [true; 3]);
    on.set(true);
    pilot.undo(1, "by hand", false, twin.now()).unwrap();
    let error = settle(&mut pilot, &passing, Nanos::secs(60), &calm).unwrap_err();
    assert!(
        matches!(error, pilot::PilotError::Refused(_))
            && error.to_string().contains("nothing may be touched any more: run 1"),
        "{error}"
    );
    assert_eq!(limits(&twin), [true, true, false], "only the step that was under way was undone");
    let asked = twin.ops().len();
    (0..5).for_each(|_| pilot.drive(passing.now()).unwrap());
    assert_eq!(twin.ops().len(), asked, "nobody is asked any more either");
    on.set(false);
    settle(&mut pilot, &passing, Nanos::secs(60), &calm).unwrap();
    assert_eq!(limits(&twin), [false; 3]);
}

#[test]
fn a_freeze_while_a_peer_is_waited_for_keeps_the_request_from_being_sent() {
    // Thrown while the undoing reads what is there.
    let from = Rc::new(Cell::new(usize::MAX));
    let thrown = Rc::clone(&from);
    let (twin, mut pilot) = limited(move |twin| (twin.ops().len() > thrown.get()).then_some(StopMode::Freeze));
    settle(&mut pilot, &Passing(twin.clone()), Nanos::secs(60), &calm()).unwrap();
    pilot.undo(1, "by hand", false, twin.now()).unwrap();
    from.set(twin.ops().len());
    pilot.drive(twin.now()).unwrap();
    assert_eq!(limits(&twin), [true; 3]);
    assert!(!twin.ops()[from.get()..].iter().any(|op| op.writes), "{:?}", &twin.ops()[from.get()..]);
}

#[test]
fn a_switch_that_undoes_ends_what_is_settled_as_an_interrupt_does() {
    let on = Rc::new(Cell::new(false));
    let thrown = Rc::clone(&on);
    let (twin, mut pilot) = limited(move |_| thrown.get().then_some(StopMode::Undo));
    let wait = pilot::PilotWait {
        until: pilot::WaitCondition::Passed,
        within: Nanos::secs(3600),
        late: pilot::LatePolicy::GoOn,
    };
    let limit = PilotStep::SetPdConfig { key: "schedule.leader-schedule-limit".to_owned(), value: json!(64) };
    let mut held = Procedure::of_one(limit, ProcedureEnding::Restore);
    held.stages.push(ProcedureStage::Wait(wait));
    held.within = Nanos::secs(7200);
    pilot.begin("by-hand", &ActionProposal::act("for an hour", held), twin.now()).unwrap();
    on.set(true);
    settle(&mut pilot, &Passing(twin.clone()), Nanos::secs(60), &calm()).unwrap();
    assert_eq!(twin.state().values[&StepSubject::PdConfig { key: "schedule.leader-schedule-limit".to_owned() }], 4);
}
