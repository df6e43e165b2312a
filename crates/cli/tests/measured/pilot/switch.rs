//! The kill switch through the program: where no pilot works, where the disk is full, and while something is undone.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use jiff::Timestamp;
use pilot::{Journal, JournalEntry, PilotFolder, PilotStep, Procedure, ProcedureEnding};
use serde_json::Value;

use crate::pilot::place::Place;
use crate::pilot::relay::{Relay, Way};
use crate::pilot::{CACHE, command, json, refused, wait_for};

/// A disk of a few pages.
struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    fn mount() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut mount = Command::new("mount");
        let mounted =
            mount.args(["-t", "tmpfs", "-o", "size=64k,mode=0700", "none"]).arg(folder.path()).status().unwrap();
        assert!(mounted.success(), "this test needs root");
        Self(folder)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn fill(&self) -> PathBuf {
        let filler = self.path().join("filler");
        assert!(fs::write(&filler, vec![1; 1 << 20]).is_err(), "it takes no more than it has");
        filler
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.path()).status();
    }
}

#[test]
fn a_switch_that_a_full_disk_does_not_take_is_as_it_was_and_never_the_other() {
    let disk = SmallDisk::mount();
    let at = format!("--journal {}", disk.path().display());
    let stop = || json(&format!("status {at}")).1["stop"].clone();
    let filler = disk.fill();
    let (code, message) = refused(&format!("stop --freeze {at}"));
    assert!(code == 3 && message.contains("stop cannot be written"), "{message}");
    assert_eq!(stop(), Value::Null, "a switch that was not written says nothing, least of all to undo");
    fs::remove_file(&filler).unwrap();
    json(&format!("stop --freeze {at}"));
    assert_eq!(stop(), "freeze");
    disk.fill();
    assert_eq!(refused(&format!("stop {at}")).0, 3);
    assert_eq!(stop(), "freeze");
}

#[test]
fn a_switch_that_is_thrown_where_no_pilot_works_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let at = format!("--journal {}", folder.path().display());
    for args in ["stop", "stop --freeze"] {
        let ran = command(&format!("{args} {at}")).output().unwrap();
        let said = String::from_utf8_lossy(&ran.stdout).into_owned();
        assert!(ran.status.success() && said.starts_with("no pilot works in"), "{said}");
        let (_, document) = json(&format!("{args} {at}"));
        assert_eq!(document["running"], false);
    }
    let (code, message) = refused(&format!("undo --all --pd http://127.0.0.1:1 {at}"));
    assert!(code == 1 && message.contains("nothing may be touched") && message.contains("--clear"), "{message}");
}

#[test]
fn a_freeze_while_a_step_is_undone_leaves_the_others_and_the_next_undo_takes_them_back() {
    let place = Place::start();
    let with = |args: &str| format!("{args} {}", place.reach());
    let before = [0, 1].map(|node| place.setting(node, CACHE));
    let steps = [0, 1].map(|node| format!("tikv/{}/{CACHE}=48MB", place.store(node))).join(" ");
    let (code, done) = json(&with(&format!("do {steps} --act")));
    assert!(code == 0 && done["standing"] == "done", "{done}");
    // The last step is undone first, and its request is not answered.
    let relay = Relay::start(place.status(1), Way::Swallow);
    let named = format!("--tikv-status {}=http://{}", place.store(1), relay.addr());
    let undoing = command(&with(&format!("undo --all {named}"))).stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
    let undoing = undoing.unwrap();
    wait_for("the request", || relay.posted());
    let (_, stopped) = json(&format!("stop --freeze --journal {}", place.journal().display()));
    assert_eq!(stopped["running"], true);
    let ended = undoing.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&ended.stderr).into_owned();
    assert!(ended.status.code() == Some(1) && said.contains("nothing may be touched any more: run 1"), "{said}");
    let limited = || [0, 1].map(|node| pilot::same(&place.setting(node, CACHE), &"48MiB".into()));
    assert_eq!(limited(), [true, true]);
    assert_eq!(refused(&with("undo --all")).0, 1);
    json(&format!("stop --clear --journal {}", place.journal().display()));
    let (code, undone) = json(&with("undo --all"));
    assert!(code == 0 && undone["undone"][0]["standing"] == "undone", "{undone}");
    assert_eq!([0, 1].map(|node| place.setting(node, CACHE)), before);
    place.end();
}

#[test]
fn a_line_that_a_full_disk_cut_off_is_followed_by_none_and_gone_when_the_next_pilot_begins() {
    let disk = SmallDisk::mount();
    let folder = PilotFolder::take(disk.path()).unwrap();
    let open = || {
        let (lines, replay) = folder.lines().unwrap();
        assert_eq!(replay.complaint(), None);
        Journal::open(lines, replay, "7", "p", Timestamp::UNIX_EPOCH)
    };
    let began = |run: u64| JournalEntry::Began {
        run,
        at: Timestamp::UNIX_EPOCH,
        controller: "by-hand".to_owned(),
        // Two lines do not go into what a page has left.
        reason: "because ".repeat(300),
        procedure: Procedure::of_one(PilotStep::EvictLeaders { store: 1 }, ProcedureEnding::Keep),
        expects: Value::Null,
    };
    let mut journal = open().unwrap();
    journal.append(&began(1)).unwrap();
    let filler = disk.fill();
    let error = journal.append(&began(2)).unwrap_err();
    assert!(matches!(error, pilot::PilotError::World(_) | pilot::PilotError::Environment(_)), "{error}");
    fs::remove_file(filler).unwrap();
    let error = journal.append(&began(2)).unwrap_err().to_string();
    assert!(error.contains("a line before could not be written"), "{error}");
    drop(journal);
    let mut journal = open().unwrap();
    assert_eq!(journal.replay().runs.len(), 1);
    journal.append(&began(2)).unwrap();
    assert_eq!(folder.replay().unwrap().runs.len(), 2);
}
