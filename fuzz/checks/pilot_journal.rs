//! A pilot's journal: whatever its bytes, it is read, what is damaged is told in one line, and what is whole can be gone on with.

use std::sync::{Arc, Mutex};

use jiff::Timestamp;
use pilot::{Journal, JournalReplay, JournalSink, PilotError};

/// What stands before a line's checksum.
const CHECK: &str = ",\"check\":\"";

/// Reads the bytes as a journal, and once more with a checksum that is right on each line, so that what follows it is reached, too.
pub(crate) fn pilot_journal(bytes: &[u8]) {
    read(bytes);
    read(&sealed(bytes));
}

/// The same lines, each with the checksum that it should have.
fn sealed(bytes: &[u8]) -> Vec<u8> {
    let seal = |line: &[u8]| {
        let found = line.windows(CHECK.len()).rposition(|part| part == CHECK.as_bytes());
        let body = match found {
            Some(at) => &line[..at],
            None => line.strip_suffix(b"}").unwrap_or(line),
        };
        let sum = format!("{CHECK}{:08x}\"}}\n", crc32fast::hash(body));
        [body, sum.as_bytes()].concat()
    };
    bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).flat_map(seal).collect()
}

fn read(bytes: &[u8]) {
    let Ok((replay, whole)) = JournalReplay::read("journal", bytes) else { return };
    let (again, same) = JournalReplay::read("journal", &bytes[..whole]).expect("a part of what was read");
    assert_eq!((&again, same), (&replay, whole), "what was cut off had not happened");
    for run in replay.runs.values() {
        let told = [run.standing(), format!("{:?}", (run.next(), run.watched_until()))];
        assert!(told.iter().all(|text| !text.is_empty()));
        let _ = (run.holds(), run.needs_lock(), run.only_watches(), run.went_all_the_way(), run.was_left());
    }
    match replay.complaint() {
        Some(told) => assert_eq!(told.lines().count(), 1, "{told}"),
        None => goes_on(replay, bytes),
    }
}

#[derive(Clone, Default)]
struct Added(Arc<Mutex<String>>);

impl JournalSink for Added {
    fn append(&mut self, line: &str) -> Result<(), PilotError> {
        let mut lines = self.0.lock().expect("one thread");
        lines.push_str(line);
        lines.push('\n');
        Ok(())
    }
}

/// What is not damaged is gone on with, and reads as it did, unless it is to be written anew before.
fn goes_on(replay: JournalReplay, bytes: &[u8]) {
    if replay.unsealed {
        return;
    }
    let (added, runs) = (Added::default(), replay.runs.clone());
    let cluster = if replay.cluster.is_empty() { "7".to_owned() } else { replay.cluster.clone() };
    let (_, whole) = JournalReplay::read("journal", bytes).expect("it was read before");
    let journal = Journal::open(Box::new(added.clone()), replay, &cluster, "p", Timestamp::UNIX_EPOCH);
    let next = journal.expect("it is of this cluster, and not damaged").replay().next();
    assert!(runs.keys().all(|run| *run < next));
    let mut text = bytes[..whole].to_vec();
    if text.last().is_some_and(|last| *last != b'\n') {
        text.push(b'\n');
    }
    text.extend(added.0.lock().expect("one thread").as_bytes());
    let (again, _) = JournalReplay::read("journal", &text).expect("it was read before");
    assert_eq!((again.complaint(), again.runs), (None, runs));
}
