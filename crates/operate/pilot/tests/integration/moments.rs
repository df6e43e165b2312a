//! Every line of the journal, and every sentence for people, has the time at which it was written.

use std::sync::{Arc, Mutex};

use jiff::Timestamp;
use pilot::twin::{ClusterTwin, MemoryLines};
use pilot::{
    ActionProposal, AuditLog, Journal, JournalEntry, JournalSink, Pilot, PilotError, PilotEvent, PilotStep, Procedure,
    ProcedureEnding, ProcedureStage, UnfinishedPolicy,
};
use serde_json::json;

const RATE: &str = "rocksdb.rate-bytes-per-sec";
/// Seconds that each request takes.
const TAKES: u64 = 3;

/// Notes when each line is written, by the twin's clock.
struct Timed {
    lines: MemoryLines,
    twin: ClusterTwin,
    at: Arc<Mutex<Vec<Timestamp>>>,
}

impl JournalSink for Timed {
    fn append(&mut self, line: &str) -> Result<(), PilotError> {
        self.at.lock().unwrap().push(self.twin.now().wall);
        self.lines.append(line)
    }
}

/// Sentences with the times that they are told with, beside those at which they are.
struct Heard(ClusterTwin, Arc<Mutex<Vec<(Timestamp, Timestamp)>>>);

impl AuditLog for Heard {
    fn note(&mut self, at: Timestamp, _: &PilotEvent<'_>) {
        self.1.lock().unwrap().push((at, self.0.now().wall));
    }
}

#[test]
fn a_turn_that_waits_for_its_peers_gives_each_line_its_own_time() {
    let twin = ClusterTwin::new(3, &[(RATE, json!("10GiB"))]);
    let (lines, at, heard) = (MemoryLines::of(&twin), Arc::default(), Arc::default());
    let timed = Timed { lines: lines.clone(), twin: twin.clone(), at: Arc::clone(&at) };
    let journal =
        Journal::open(Box::new(timed), pilot::JournalReplay::default(), "7001", "p", twin.now().wall).unwrap();
    let journal = journal.timed_by(Box::new(twin.clone()));
    let audit = Heard(twin.clone(), Arc::clone(&heard));
    let mut pilot = Pilot::new(twin.world(), journal, Box::new(audit), twin.now()).unwrap();
    twin.takes(TAKES);
    let step =
        |store| ProcedureStage::Do(PilotStep::SetTikvConfig { store, key: RATE.to_owned(), value: json!("50MiB") });
    let one = Procedure::of_one(PilotStep::EvictLeaders { store: 1 }, ProcedureEnding::Keep);
    let all = Procedure { stages: (1..=3).map(step).collect(), found: UnfinishedPolicy::Undo, ..one };
    // All within one turn, told one `now`.
    let number = pilot.begin("by-hand", &ActionProposal::act("because", all), twin.now()).unwrap();
    pilot.undo(number, "by hand", false, twin.now()).unwrap();
    pilot.drive(twin.now()).unwrap();
    assert!(pilot.is_idle());

    let text = lines.text();
    let entries: Vec<JournalEntry> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(entries.iter().map(JournalEntry::at).collect::<Vec<_>>(), *at.lock().unwrap(), "{text}");
    assert!(heard.lock().unwrap().iter().all(|(told, at)| told == at), "{heard:?}");
    for pair in entries.windows(2) {
        let took = pair[1].at().duration_since(pair[0].at()).as_secs();
        // Between an intent and its outcome are at least the request and a reading.
        let least = match &pair[1] {
            JournalEntry::Outcome { .. } | JournalEntry::UndoOutcome { .. } => 2 * TAKES as i64,
            JournalEntry::Intent { .. } | JournalEntry::UndoIntent { .. } => TAKES as i64,
            _ => 0,
        };
        assert!(took >= least, "{pair:?}");
    }
    assert!(entries.len() > 15, "{text}");
}
