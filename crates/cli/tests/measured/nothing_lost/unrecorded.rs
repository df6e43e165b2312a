//! State files that somebody removed, folders whose names are no text, and hints that can be pasted.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;
use std::time::Duration;

use nix::sys::signal::Signal;

use crate::nothing_lost::place::Place;
use crate::nothing_lost::process::{self, Run};

const PATIENCE: Duration = Duration::from_secs(60);

/// Runs the program with words that may hold anything.
fn run(place: &Place, words: &[&OsStr], state: Option<&Path>) -> Run {
    let mut command = place.command(env!("CARGO_BIN_EXE_diskwright"));
    command.args(words);
    if let Some(state) = state {
        command.env("DISKWRIGHT_RUN", state);
    }
    process::run(command, PATIENCE)
}

fn a_daemon_is_named(options: &str) {
    let place = Place::new();
    let mount = format!("mount unlimited:1GiB @dir {options}");
    place.ok(&mount);
    let pid = place.daemon();
    fs::write(place.path("dir/letter"), "dear reader").unwrap();
    for folder in fs::read_dir(place.state()).unwrap().flatten().filter(|entry| entry.path().is_dir()) {
        let files = fs::read_dir(folder.path()).unwrap().flatten().map(|entry| entry.path());
        files.filter(|path| !path.is_dir()).for_each(|path| fs::remove_file(path).unwrap());
    }
    for line in ["disks", "disks --json", "disks @dir", "down @dir", "down --all", &mount] {
        let run = place.run(line);
        assert_eq!(run.code, 1, "`{line}`\n{run}");
        assert!(format!("{}{}", run.stdout, run.stderr).contains(&pid.to_string()), "`{line}`\n{run}");
        assert_eq!(place.daemons(), [pid], "`{line}` ended it");
    }
    // What it says to do helps, and nothing is lost.
    assert_eq!(fs::read_to_string(place.path("dir/letter")).unwrap(), "dear reader");
    process::end(pid, Signal::SIGTERM);
    place.ok(&mount);
    assert_eq!(fs::read_to_string(place.path("dir/letter")).unwrap(), "dear reader");
    place.ok("down @dir");
    place.assert_nothing_left();
}

#[test]
fn a_daemon_whose_state_files_are_gone_is_named_by_its_number() {
    a_daemon_is_named("");
}

#[test]
fn a_daemon_whose_disk_the_kernel_serves_is_named_too() {
    a_daemon_is_named("--passthrough");
}

#[test]
fn disks_of_another_state_folder_are_told_with_where_that_is() {
    let place = Place::new();
    place.ok("mount unlimited:1GiB @dir");
    let (dir, other) = (place.path("dir"), place.path("other"));
    let run = run(&place, &["down".as_ref(), dir.as_os_str()], Some(&other));
    run.says(1, "down", &[&format!("DISKWRIGHT_RUN={}", place.state().display()), &place.daemon().to_string()]);
    place.ok("down @dir");
    place.assert_nothing_left();
}

#[test]
fn a_folder_whose_name_is_no_text_is_refused_and_leaves_no_state() {
    let place = Place::new();
    let odd = OsString::from_vec([place.root().as_os_str().as_bytes(), b"/d\xffr"].concat());
    let (dir, backing) = (place.path("dir"), OsStr::new("--backing"));
    for words in [vec![odd.as_os_str()], vec![dir.as_os_str(), backing, &odd]] {
        let words = [&["mount".as_ref(), "unlimited:1GiB".as_ref()], &words[..]].concat();
        run(&place, &words, None).says(2, "mount", &["UTF-8"]);
        let left = fs::read_dir(place.state()).into_iter().flatten().flatten().filter(|entry| entry.path().is_dir());
        assert_eq!(left.count(), 0, "{words:?} left a state folder");
        place.ok("disks");
    }
    place.assert_nothing_left();
}

#[test]
fn hints_can_be_pasted_into_a_shell_whatever_the_folder_is_called() {
    let place = Place::new();
    let dir = place.path("my disk's $(data)");
    let mount = ["mount".as_ref(), "unlimited:1GiB".as_ref(), dir.as_os_str()];
    let mounted = run(&place, &mount, None);
    assert_eq!(mounted.code, 0, "{mounted}");
    let again = run(&place, &mount, None);
    let hint = again.stderr.split('`').nth(1).unwrap_or_else(|| panic!("no hint: {again}")).to_owned();
    let watch = mounted.stdout.lines().find_map(|line| line.split_once("unmount")).unwrap().1.trim().to_owned();
    assert_eq!(hint, watch);
    // As people would: in a shell, with the program on the path.
    let mut shell = place.command("bash");
    shell.args(["-c", &hint.replacen("diskwright", env!("CARGO_BIN_EXE_diskwright"), 1)]);
    let down = process::run(shell, PATIENCE);
    assert_eq!(down.code, 0, "`{hint}`\n{down}");
    place.assert_nothing_left();
}
