//! A cluster on which a pilot has lived, and what another makes of its journal.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use jiff::Timestamp;
use pilot::twin::{ClusterTwin, MemoryAudit, MemoryLines, RequestFault};
use pilot::{
    ActionProposal, Journal, JournalReplay, JournalSink, Pilot, PilotError, PilotFolder, PilotStep, Procedure,
    ProcedureEnding, ProcedureStage, StepSubject, UnfinishedPolicy,
};
use proptest::prelude::*;
use serde_json::{Value, json};

pub(crate) const RATE: &str = "rocksdb.rate-bytes-per-sec";
const LIMIT: &str = "schedule.leader-schedule-limit";

pub(crate) fn rate(store: u64) -> StepSubject {
    StepSubject::TikvConfig { store, key: RATE.to_owned() }
}

pub(crate) fn set(stores: &[u64], to: &str) -> Procedure {
    let step = |store: &u64| {
        ProcedureStage::Do(PilotStep::SetTikvConfig { store: *store, key: RATE.to_owned(), value: json!(to) })
    };
    let one = Procedure::of_one(PilotStep::EvictLeaders { store: 1 }, ProcedureEnding::Keep);
    Procedure {
        stages: stores.iter().map(step).collect(),
        name: format!("limit to {to}"),
        found: UnfinishedPolicy::Undo,
        ..one
    }
}

pub(crate) fn pilot(
    twin: &ClusterTwin,
    lines: Box<dyn JournalSink>,
    replay: JournalReplay,
) -> Result<Pilot, PilotError> {
    let journal = Journal::open(lines, replay, "7001", "p", Timestamp::UNIX_EPOCH)?;
    Pilot::new(twin.world(), journal, Box::new(MemoryAudit::default()), twin.now())
}

/// Drives on until nothing is under way.
pub(crate) fn settle(twin: &ClusterTwin, pilot: &mut Pilot) {
    for _ in 0..200 {
        if pilot.is_idle() || twin.is_dead() {
            return;
        }
        twin.pass(1);
        pilot.drive(twin.now()).unwrap();
    }
    panic!("it does not come to an end: {:#?}", pilot.runs());
}

/// A cluster on which four runs were: two that stay, one that was undone and set again by another hand, and one under way when the
/// pilot was killed, its request carried out. The journal of it.
pub(crate) fn lived() -> (ClusterTwin, String) {
    let twin = ClusterTwin::new(4, &[(RATE, json!("10GiB"))]);
    let lines = MemoryLines::of(&twin);
    let mut pilot = pilot(&twin, Box::new(lines.clone()), JournalReplay::default()).unwrap();
    let limit =
        Procedure::of_one(PilotStep::SetPdConfig { key: LIMIT.to_owned(), value: json!(64) }, ProcedureEnding::Keep);
    for procedure in [set(&[1], "100MB"), set(&[2], "50MB"), limit] {
        pilot.begin("by-hand", &ActionProposal::act("größer", procedure), twin.now()).unwrap();
        settle(&twin, &mut pilot);
    }
    pilot.undo(2, "by hand", false, twin.now()).unwrap();
    settle(&twin, &mut pilot);
    twin.with(|state| state.values.insert(rate(2), json!("50MB")));
    // Health and a reading for each step, then the request; the second's answer never comes.
    twin.fault(twin.ops().len() as u64 + 6, RequestFault::KillDone);
    pilot.begin("by-hand", &ActionProposal::act("because", set(&[3, 4], "70MB")), twin.now()).unwrap();
    assert!(twin.is_dead() && twin.state().values[&rate(4)] == "70MB", "{:?}", twin.ops());
    (twin, lines.text())
}

/// What each may be at the end: as it is, or as it was before the run that still may be undone.
pub(crate) fn allowed() -> BTreeMap<StepSubject, Vec<Value>> {
    BTreeMap::from([
        (rate(1), vec![json!("100MB"), json!("10GiB")]),
        (rate(2), vec![json!("50MB")]),
        (StepSubject::PdConfig { key: LIMIT.to_owned() }, vec![json!(64), json!(4)]),
        (rate(3), vec![json!("70MB"), json!("10GiB")]),
        (rate(4), vec![json!("70MB"), json!("10GiB")]),
    ])
}

/// What a pilot makes of a damaged journal: reads it, undoes all that may be, and reads what it wrote.
pub(crate) fn undo_all(twin: &ClusterTwin, folder: &Path, bytes: &[u8]) -> Result<JournalReplay, TestCaseError> {
    let file = folder.join("journal.jsonl");
    fs::write(&file, bytes).unwrap();
    let folder = PilotFolder::take(folder).unwrap();
    let read = folder.replay().unwrap();
    prop_assert!(read.is_damaged() && !read.complaint().unwrap().is_empty());
    let (lines, replay) = folder.lines().unwrap();
    prop_assert_eq!(&read, &replay);
    let mut pilot = pilot(twin, lines, replay).unwrap();
    let undoable = |pilot: &Pilot| -> Vec<u64> {
        pilot.runs().values().filter(|run| run.ended.is_none() || run.holds()).map(|run| run.number).collect()
    };
    for run in undoable(&pilot).into_iter().rev() {
        pilot.undo(run, "by hand", false, twin.now()).unwrap();
    }
    for run in read.refused.keys() {
        let error = pilot.undo(*run, "by hand", true, twin.now()).unwrap_err();
        prop_assert!(matches!(error, PilotError::Input(_)) && error.to_string().contains("line"), "{}", error);
    }
    let error = pilot.begin("by-hand", &ActionProposal::act("more", set(&[1], "1MB")), twin.now()).unwrap_err();
    prop_assert!(matches!(error, PilotError::Input(_)), "nothing new begins: {}", error);
    settle(twin, &mut pilot);
    prop_assert_eq!(undoable(&pilot), Vec::<u64>::new());
    let after = fs::read(&file).unwrap();
    prop_assert!(after.starts_with(bytes), "it is only added to");
    let again = folder.replay().unwrap();
    prop_assert_eq!(&again.runs, pilot.runs(), "what was added is read as it was meant");
    prop_assert_eq!(again.refused.keys().collect::<Vec<_>>(), read.refused.keys().collect::<Vec<_>>());
    for (subject, values) in allowed() {
        let is = &twin.state().values[&subject];
        prop_assert!(values.contains(is), "{} is {}", subject, is);
    }
    Ok(read)
}
