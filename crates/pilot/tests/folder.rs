//! The pilot's folder: what a crash leaves of its journal, and who is kept out.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use jiff::Timestamp;
use pilot::{Ending, Entry, Folder, Journal, PilotError, Procedure, Replay, Step, Stop};
use serde_json::json;

const HEADER: &str = r#"{"entry":"header","format":1,"cluster":"7","pilot":"p","at":"2026-01-01T00:00:00Z"}"#;

fn began(run: u64) -> Entry {
    let procedure = Procedure::of_one(Step::EvictLeaders { store: 1 }, Ending::Keep);
    let (at, controller, reason) = (Timestamp::UNIX_EPOCH, "by-hand".to_owned(), "because".to_owned());
    Entry::Began { run, at, controller, reason, procedure, expects: json!(null) }
}

fn open(folder: &Folder, cluster: &str) -> Result<Journal, PilotError> {
    let (lines, replay) = folder.lines()?;
    Journal::open(lines, replay, cluster, "p", Timestamp::UNIX_EPOCH)
}

#[test]
fn a_line_that_a_crash_cut_off_had_not_happened() {
    let place = tempfile::tempdir().unwrap();
    let folder = Folder::take(place.path()).unwrap();
    open(&folder, "7").unwrap().append(&began(1)).unwrap();
    let file = place.path().join("journal.jsonl");
    let whole = fs::read(&file).unwrap();
    // At every length, even within a letter, and without its last line break.
    let line = "{\"entry\":\"intent\",\"run\":1,\"reason\":\"größer\"".as_bytes();
    for cut in 1..line.len() {
        fs::write(&file, [&whole[..], &line[..cut]].concat()).unwrap();
        let journal = open(&folder, "7").unwrap();
        assert_eq!(journal.replay().runs.len(), 1);
        assert_eq!(fs::read(&file).unwrap(), whole, "what was cut off is gone before a line follows it");
    }
}

#[test]
fn a_journal_that_is_none_or_newer_or_of_another_cluster_is_refused() {
    let newer = HEADER.replace("\"format\":1", "\"format\":2");
    for (text, why) in [
        ("{\"entry\":\"nothing\"}\n".to_owned(), "j:1: "),
        (format!("{HEADER}\nnot ours\n"), "j:2: "),
        (format!("{newer}\n"), "format 2 is newer"),
        (serde_json::to_string(&began(1)).unwrap() + "\n", "the first line names no cluster"),
    ] {
        let error = Replay::read("j", &text).unwrap_err();
        assert!(error.exit_code() == 2 && error.to_string().contains(why), "{error}");
    }
    let place = tempfile::tempdir().unwrap();
    let folder = Folder::take(place.path()).unwrap();
    drop(open(&folder, "7").unwrap());
    let error = open(&folder, "8").unwrap_err();
    assert!(error.exit_code() == 2 && error.to_string().contains("the journal is of cluster 7"), "{error}");
}

#[test]
fn one_pilot_works_in_a_folder() {
    let place = tempfile::tempdir().unwrap();
    let first = Folder::take(place.path()).unwrap();
    let error = Folder::take(place.path()).unwrap_err();
    assert!(error.exit_code() == 1 && error.to_string().contains("another pilot works in"), "{error}");
    assert!(Folder::at(place.path()).unwrap().is_taken());
    drop(first);
    assert!(!Folder::at(place.path()).unwrap().is_taken());
    Folder::take(place.path()).unwrap();
}

#[test]
fn a_folder_that_others_could_have_written_in_is_neither_read_nor_written() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("pilot");
    fs::create_dir(&path).unwrap();
    fs::write(path.join("journal.jsonl"), HEADER.to_owned() + "\n").unwrap();
    for mode in [0o777, 0o775, 0o1777] {
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        for error in [Folder::take(&path).unwrap_err(), Folder::at(&path).unwrap_err()] {
            let says = error.to_string();
            assert!(
                error.exit_code() == 3 && says.contains("expected mode 0755") && says.contains("--journal DIR"),
                "{says}"
            );
        }
    }
    fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).unwrap();
    assert_eq!(Folder::at(&path).unwrap().replay().unwrap().cluster, "7");
    let made = place.path().join("made");
    Folder::take(&made).unwrap();
    assert_eq!(made.metadata().unwrap().permissions().mode() & 0o777, 0o700);
}

#[test]
fn what_is_asked_through_the_folder_is_asked_once() {
    let place = tempfile::tempdir().unwrap();
    let folder = Folder::at(place.path()).unwrap();
    assert_eq!(folder.asked_undo().unwrap(), []);
    folder.ask_undo(&[3, 1], false).unwrap();
    folder.ask_undo(&[2], true).unwrap();
    assert_eq!(folder.asked_undo().unwrap(), [(3, false), (1, false), (2, true)]);
    assert_eq!(folder.asked_undo().unwrap(), []);
    assert_eq!(folder.stop(), None);
    for stop in [Stop::Undo, Stop::Freeze] {
        folder.set_stop(Some(stop)).unwrap();
        assert_eq!(folder.stop(), Some(stop));
    }
    folder.set_stop(None).unwrap();
    folder.set_stop(None).unwrap();
    assert_eq!(folder.stop(), None);
}
