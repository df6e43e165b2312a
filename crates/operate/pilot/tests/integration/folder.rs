//! The pilot's folder: what a crash leaves of its journal, and who is kept out.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::sync::atomic::{AtomicBool, Ordering};

use jiff::Timestamp;
use pilot::{
    Journal, JournalEntry, JournalReplay, PilotError, PilotFolder, PilotStep, Procedure, ProcedureEnding, StopMode,
};
use serde_json::json;

const HEADER: &str = r#"{"entry":"header","format":1,"cluster":"7","pilot":"p","at":"2026-01-01T00:00:00Z"}"#;

fn began(run: u64) -> JournalEntry {
    let procedure = Procedure::of_one(PilotStep::EvictLeaders { store: 1 }, ProcedureEnding::Keep);
    let (at, controller, reason) = (Timestamp::UNIX_EPOCH, "by-hand".to_owned(), "because".to_owned());
    JournalEntry::Began { run, at, controller, reason, procedure, expects: json!(null) }
}

fn open(folder: &PilotFolder, cluster: &str) -> Result<Journal, PilotError> {
    let (lines, replay) = folder.lines()?;
    Journal::open(lines, replay, cluster, "p", Timestamp::UNIX_EPOCH)
}

#[test]
fn a_line_that_a_crash_cut_off_had_not_happened() {
    let place = tempfile::tempdir().unwrap();
    let folder = PilotFolder::take(place.path()).unwrap();
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
    let newer = HEADER.replace("\"format\":1", "\"format\":3");
    let error = JournalReplay::read("j", format!("{newer}\n")).unwrap_err();
    assert!(matches!(error, PilotError::Input(_)) && error.to_string().contains("j:1: format 3 is newer"), "{error}");
    let place = tempfile::tempdir().unwrap();
    for (text, why) in [
        ("{\"entry\":\"nothing\"}\n".to_owned(), "line 1 is damaged (20 bytes, by their looks `nothing`)"),
        (format!("{HEADER}\nnot ours\n"), "line 2 is damaged (9 bytes)"),
        (serde_json::to_string(&began(1)).unwrap() + "\n", "the lines that name the cluster are lost"),
    ] {
        fs::write(place.path().join("journal.jsonl"), &text).unwrap();
        let folder = PilotFolder::take(place.path()).unwrap();
        let complaint = folder.replay().unwrap().complaint().unwrap();
        assert!(complaint.contains(why), "{complaint}");
        assert_eq!(folder.replay().unwrap().runs.len(), 0);
        assert_eq!(fs::read(place.path().join("journal.jsonl")).unwrap(), text.as_bytes());
    }
    let place = tempfile::tempdir().unwrap();
    let folder = PilotFolder::take(place.path()).unwrap();
    drop(open(&folder, "7").unwrap());
    let error = open(&folder, "8").unwrap_err();
    assert!(
        matches!(error, PilotError::Input(_)) && error.to_string().contains("the journal is of cluster 7"),
        "{error}"
    );
}

#[test]
fn one_pilot_works_in_a_folder() {
    let place = tempfile::tempdir().unwrap();
    let first = PilotFolder::take(place.path()).unwrap();
    let error = PilotFolder::take(place.path()).unwrap_err();
    assert!(matches!(error, PilotError::Refused(_)) && error.to_string().contains("another pilot works in"), "{error}");
    assert!(PilotFolder::at(place.path()).unwrap().is_taken());
    drop(first);
    assert!(!PilotFolder::at(place.path()).unwrap().is_taken());
    PilotFolder::take(place.path()).unwrap();
}

#[test]
fn a_folder_that_others_could_have_written_in_is_neither_read_nor_written() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("pilot");
    fs::create_dir(&path).unwrap();
    fs::write(path.join("journal.jsonl"), HEADER.to_owned() + "\n").unwrap();
    for mode in [0o777, 0o775, 0o1777] {
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        for error in [PilotFolder::take(&path).unwrap_err(), PilotFolder::at(&path).unwrap_err()] {
            let says = error.to_string();
            assert!(
                matches!(error, PilotError::Environment(_))
                    && says.contains("expected mode 0755")
                    && says.contains("--journal DIR"),
                "{says}"
            );
        }
    }
    fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).unwrap();
    assert_eq!(PilotFolder::at(&path).unwrap().replay().unwrap().cluster, "7");
    let made = place.path().join("made");
    PilotFolder::take(&made).unwrap();
    assert_eq!(made.metadata().unwrap().permissions().mode() & 0o777, 0o700);
}

#[test]
fn what_is_asked_through_the_folder_is_asked_once() {
    let place = tempfile::tempdir().unwrap();
    let folder = PilotFolder::at(place.path()).unwrap();
    assert_eq!(folder.asked_undo().unwrap(), []);
    folder.ask_undo(&[3, 1], false).unwrap();
    folder.ask_undo(&[2], true).unwrap();
    assert_eq!(folder.asked_undo().unwrap(), [(3, false), (1, false), (2, true)]);
    assert_eq!(folder.asked_undo().unwrap(), []);
    assert_eq!(folder.stop(), None);
    for stop in [StopMode::Undo, StopMode::Freeze] {
        folder.set_stop(Some(stop)).unwrap();
        assert_eq!(folder.stop(), Some(stop));
    }
    folder.set_stop(None).unwrap();
    folder.set_stop(None).unwrap();
    assert_eq!(folder.stop(), None);
}

#[test]
fn a_switch_that_says_nothing_or_cannot_be_read_freezes() {
    let place = tempfile::tempdir().unwrap();
    let (folder, file) = (PilotFolder::at(place.path()).unwrap(), place.path().join("stop"));
    for text in ["", "\n", "freeze", "und", "stop", "\u{fffd}"] {
        fs::write(&file, text).unwrap();
        assert_eq!(folder.stop(), Some(StopMode::Freeze), "{text:?}");
    }
    fs::remove_file(&file).unwrap();
    std::os::unix::fs::symlink("/nowhere/at/all", &file).unwrap();
    assert_eq!(folder.stop(), Some(StopMode::Freeze));
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    assert_eq!(folder.stop(), Some(StopMode::Freeze));
    fs::remove_dir(&file).unwrap();
    assert_eq!(folder.stop(), None);
}

#[test]
fn who_reads_the_switch_while_it_is_written_sees_one_or_the_other() {
    let place = tempfile::tempdir().unwrap();
    let folder = PilotFolder::at(place.path()).unwrap();
    folder.set_stop(Some(StopMode::Freeze)).unwrap();
    let over = AtomicBool::new(false);
    let seen = std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let (file, mut seen) = (place.path().join("stop"), BTreeSet::new());
            while !over.load(Ordering::Relaxed) {
                seen.insert(fs::read_to_string(&file).map_err(|error| error.kind()));
            }
            seen
        });
        for _ in 0..300 {
            folder.set_stop(Some(StopMode::Freeze)).unwrap();
        }
        over.store(true, Ordering::Relaxed);
        reader.join().unwrap()
    });
    assert_eq!(seen, BTreeSet::from([Ok("freeze\n".to_owned())]));
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1, "nothing is left beside it");
}

#[test]
fn a_request_that_was_not_written_whole_asks_for_nothing() {
    let place = tempfile::tempdir().unwrap();
    let folder = PilotFolder::at(place.path()).unwrap();
    // A disk was full in the middle of a number, and had room again.
    fs::write(place.path().join("undo"), "\n17 force end\n\n1").unwrap();
    folder.ask_undo(&[23], false).unwrap();
    assert_eq!(folder.asked_undo().unwrap(), [(17, true), (23, false)]);
    fs::write(place.path().join("undo"), b"\n4 end\n\xff\xfe\n5 end\n").unwrap();
    assert_eq!(folder.asked_undo().unwrap(), [(4, false), (5, false)]);
}

#[test]
fn what_is_no_file_is_refused_at_once() {
    let place = tempfile::tempdir().unwrap();
    let (folder, journal) = (PilotFolder::take(place.path()).unwrap(), place.path().join("journal.jsonl"));
    let refused = |what: &str| {
        for error in [folder.replay().unwrap_err(), folder.lines().err().unwrap(), folder.glance().err().unwrap()] {
            assert!(matches!(error, PilotError::Input(_)) && error.to_string().contains(what), "{error}");
        }
        fs::remove_file(&journal).or_else(|_| fs::remove_dir(&journal)).unwrap();
    };
    fs::create_dir(&journal).unwrap();
    refused("it is a folder, not a file");
    let made = std::process::Command::new("mkfifo").arg(&journal).status().unwrap();
    assert!(made.success());
    refused("it is a pipe, not a file");
    std::os::unix::fs::symlink("/dev/zero", &journal).unwrap();
    refused("it is a device, not a file");
    // A pipe is not waited for either where a switch or a request is looked for.
    for name in ["stop", "undo", "pilot.log"] {
        assert!(std::process::Command::new("mkfifo").arg(place.path().join(name)).status().unwrap().success());
    }
    assert_eq!(folder.stop(), Some(StopMode::Freeze));
    assert!(matches!(folder.ask_undo(&[1], false).unwrap_err(), PilotError::Input(_)));
    assert!(matches!(folder.asked_undo().unwrap_err(), PilotError::Input(_)));
    assert!(matches!(folder.log(Timestamp::UNIX_EPOCH, "said").unwrap_err(), PilotError::Input(_)));
    assert!(matches!(folder.logged().unwrap_err(), PilotError::Input(_)));
    let error = PilotFolder::take(place.path().join("stop")).unwrap_err();
    assert!(matches!(error, PilotError::Input(_)) && error.to_string().contains("is no folder"), "{error}");
}
