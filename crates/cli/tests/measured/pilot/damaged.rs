//! A journal that is damaged, or none, as the program's users meet it.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::pilot::place::Place;
use crate::pilot::{CACHE, command, json, refused};

/// Nobody listens there: who asks a cluster first does not get far.
const NOBODY: &str = "--pd http://127.0.0.1:1";

fn folder(journal: &[u8]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("journal.jsonl"), journal).unwrap();
    folder
}

fn said(args: &str) -> (Option<i32>, String, String) {
    let ran = command(args).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (ran.status.code(), text(&ran.stdout), text(&ran.stderr))
}

#[test]
fn bytes_that_are_no_journal_are_never_taken_for_an_empty_one() {
    let random: Vec<u8> = (0..3000_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 11) as u8).collect();
    for bytes in [&random[..], b"\xff\xfe", &[0; 100], b"{\"entry\":\"what\"}\n"] {
        let folder = folder(bytes);
        let at = format!("--journal {}", folder.path().display());
        let (code, out, err) = said(&format!("status {at}"));
        assert!(code == Some(2) && !out.contains("nothing was done"), "{out}");
        assert!(err.contains("journal.jsonl: damaged: line"), "{err}");
        let (code, document) = json(&format!("status {at}"));
        assert!(code == 2 && document["damage"][0]["line"] == 1, "{document}");
        assert_eq!(document["error"]["exit_code"], 2);
        for args in [
            format!("undo --all {NOBODY} {at}"),
            format!("run --act {NOBODY} {at}"),
            format!("run {NOBODY} {at}"),
            format!("do evict/1 --act {NOBODY} {at}"),
        ] {
            let (code, message) = refused(&args);
            assert!(code == 2 && message.contains("damaged: line"), "{args}: {message}");
        }
        assert_eq!(fs::read(folder.path().join("journal.jsonl")).unwrap(), bytes, "nothing is cut or added");
    }
}

#[test]
fn a_journal_that_is_a_pipe_a_device_or_a_folder_is_refused_at_once() {
    for (what, make) in [("pipe", "mkfifo"), ("device", "ln -s /dev/zero"), ("folder", "mkdir")] {
        let folder = tempfile::tempdir().unwrap();
        let journal = folder.path().join("journal.jsonl");
        let mut words = make.split(' ');
        let made = std::process::Command::new(words.next().unwrap()).args(words).arg(&journal).status().unwrap();
        assert!(made.success());
        let at = format!("--journal {}", folder.path().display());
        for args in [format!("status {at}"), format!("undo --all {NOBODY} {at}"), format!("run --act {NOBODY} {at}")] {
            let (code, message) = refused(&args);
            assert!(code == 2 && message.contains(&format!("it is a {what}, not a file")), "{args}: {message}");
        }
    }
}

/// Flips a bit of the first entry of this kind that is of this run.
fn damage(journal: &Path, entry: &str, run: &Value) -> Vec<u8> {
    let mut bytes = fs::read(journal).unwrap();
    let text = String::from_utf8(bytes.clone()).unwrap();
    let at = text.find(&format!("\"entry\":\"{entry}\",\"run\":{run},")).unwrap();
    bytes[at + 12] ^= 0x80;
    fs::write(journal, &bytes).unwrap();
    bytes
}

#[test]
fn what_is_whole_of_a_damaged_journal_is_undone_and_the_rest_refused_by_name() {
    let place = Place::start();
    let with = |args: &str| format!("{args} {}", place.reach());
    let before = place.setting(0, CACHE);
    let set = |node: usize, to: &str| {
        let (code, done) = json(&with(&format!("do tikv/{}/{CACHE}={to} --act", place.store(node))));
        assert!(code == 0 && done["standing"] == "done", "{done}");
        done["run"].clone()
    };
    let (lost, whole) = (set(0, "48MB"), set(1, "56MB"));
    let journal = place.journal().join("journal.jsonl");
    let damaged = damage(&journal, "outcome", &lost);

    let (code, status) = json(&format!("status --journal {}", place.journal().display()));
    assert_eq!((code, &status["runs"][0]["run"], &status["refused"][0]["run"]), (2, &whole, &lost), "{status:#}");
    let (code, message) = refused(&with(&format!("undo {lost}")));
    assert!(code == 2 && message.contains(&format!("Run {lost} cannot be undone")), "{message}");
    let (code, message) = refused(&with(&format!("do tikv/1/{CACHE}=1MB --act")));
    assert!(code == 2 && message.contains("damaged"), "{message}");
    let (code, undone) = json(&with("undo --all"));
    assert_eq!((code, &undone["asked"], &undone["error"]["exit_code"]), (2, &Value::from(vec![whole]), &2.into()));
    let message = undone["error"]["message"].as_str().unwrap();
    for part in ["is damaged", &format!("of run {lost})"), "before:", "48MB"] {
        assert!(message.contains(part), "`{part}` is not in: {message}");
    }
    assert!(pilot::same(&place.setting(0, CACHE), &"48MiB".into()), "what was refused stays as it is");
    assert_eq!(place.setting(1, CACHE), before);
    assert!(fs::read(&journal).unwrap().starts_with(&damaged), "it was only added to");
    // All that could be undone is: it still does not say that nothing is left.
    let (code, message) = refused(&with("undo --all"));
    assert!(code == 2 && message.contains(&format!("Run {lost} cannot be undone")), "{message}");
    place.end();
}
