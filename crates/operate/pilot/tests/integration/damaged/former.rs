//! Journals of the format before, which had no checksums.

use std::fs;

use pilot::{JournalEntry, PilotFolder};

use crate::damaged::lived::{allowed, lived, pilot, rate, settle, undo_all};

/// The same journal as the version before wrote it.
fn former(text: &str) -> String {
    let entry = |line: &str| serde_json::from_str::<JournalEntry>(line).unwrap();
    let mut entries: Vec<JournalEntry> = text.lines().skip(1).map(entry).collect();
    if let JournalEntry::Header { format, .. } = &mut entries[0] {
        *format = 1;
    }
    entries.iter().map(|entry| serde_json::to_string(entry).unwrap() + "\n").collect()
}

#[test]
fn a_journal_of_the_format_before_is_read_undone_and_written_anew_with_checksums() {
    let (twin, text) = lived();
    let former = former(&text);
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("journal.jsonl");
    // The line that a crash cut off had not happened then either.
    fs::write(&file, format!("{former}{{\"entry\":\"outcome\",\"ru")).unwrap();
    let folder = PilotFolder::take(place.path()).unwrap();
    let read = folder.replay().unwrap();
    assert!(read.unsealed && !read.is_damaged() && read.runs.len() == 4, "{read:#?}");
    let (lines, replay) = folder.lines().unwrap();
    assert_eq!((&replay.runs, replay.unsealed), (&read.runs, false));
    assert!(fs::read_to_string(place.path().join("journal-1.jsonl")).unwrap().starts_with(&former));
    twin.revive();
    let mut pilot = pilot(&twin, lines, replay).unwrap();
    [3, 1].iter().for_each(|run| pilot.undo(*run, "by hand", false, twin.now()).unwrap());
    settle(&twin, &mut pilot);
    let state = twin.state();
    for (subject, values) in allowed() {
        assert_eq!(state.values[&subject], *values.last().unwrap(), "{subject}");
    }
    let again = PilotFolder::at(place.path()).unwrap().replay().unwrap();
    assert!(!again.unsealed && !again.is_damaged() && again.runs == *pilot.runs(), "{again:#?}");
}

#[test]
fn a_damaged_journal_of_the_format_before_is_left_as_it_is_and_undone_as_far_as_it_is_sure() {
    let (twin, text) = lived();
    let former = former(&text);
    // Within the undoing of run 2: whose line it was only its neighbours tell.
    let at = former.find("undo-outcome").unwrap();
    let mut bytes = former.into_bytes();
    bytes[at] = 0xff;
    twin.revive();
    let place = tempfile::tempdir().unwrap();
    let read = undo_all(&twin, place.path(), &bytes).unwrap();
    assert_eq!(read.refused.keys().collect::<Vec<_>>(), [&2]);
    assert!(!place.path().join("journal-1.jsonl").exists());
    assert_eq!(twin.state().values[&rate(1)], "10GiB");
}
