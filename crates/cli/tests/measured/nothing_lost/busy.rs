//! Who uses a disk keeps it, and is named; without users it goes, also on a signal.

use std::fs::File;
use std::io::Write;
use std::process::{Child, Command};
use std::time::Duration;

use nix::sys::signal::Signal;

use crate::nothing_lost::leftovers;
use crate::nothing_lost::place::Place;
use crate::nothing_lost::process;

/// A process that uses a folder until it is dropped.
struct User(Child);

impl User {
    fn of(folder: &std::path::Path) -> Self {
        Self(Command::new("sleep").arg("600").current_dir(folder).spawn().unwrap())
    }
}

impl Drop for User {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_disk_in_use_is_not_unmounted_and_the_answer_says_by_whom() {
    let place = Place::new();
    place.ok("mount unlimited:1GiB @dir");
    let user = User::of(&place.path("dir"));
    let mut file = File::create(place.path("dir/open")).unwrap();
    let (its, ours) = (user.0.id().to_string(), std::process::id().to_string());
    for line in ["down @dir", "down @dir --delete"] {
        place.run(line).says(1, line, &["sleep", &its, &ours]);
        // It works as before.
        file.write_all(b"still here").unwrap();
        file.sync_all().unwrap();
        place.ok("disks @dir");
    }
    drop(file);
    place.run("down @dir").says(1, "down @dir", &["sleep", &its]);
    drop(user);
    assert_eq!(std::fs::read(place.path("dir/open")).unwrap(), b"still herestill here");
    place.ok("down @dir");
    place.assert_nothing_left();
    place.assert_filesystem_is_clean();
}

#[test]
fn sigterm_unmounts_cleanly() {
    let place = Place::new();
    for signal in [Signal::SIGTERM, Signal::SIGINT] {
        place.ok("mount unlimited:1GiB @dir");
        std::fs::write(place.path("dir/file"), signal.as_str()).unwrap();
        process::end(place.daemon(), signal);
        assert_eq!(leftovers::of(place.root()), [""; 0], "after {signal}");
        place.assert_filesystem_is_clean();
        place.ok("mount unlimited:1GiB @dir");
        assert_eq!(std::fs::read_to_string(place.path("dir/file")).unwrap(), signal.as_str());
        place.ok("down @dir");
        place.assert_nothing_left();
    }
}

#[test]
fn sigterm_leaves_a_disk_in_use_alone_and_logs_who_uses_it() {
    let place = Place::new();
    place.ok("mount unlimited:1GiB @dir");
    let user = User::of(&place.path("dir"));
    let daemon = place.daemon();
    process::signal(daemon, Signal::SIGTERM);
    let its = user.0.id().to_string();
    process::wait_for("the log to name who uses the disk", || place.logs().contains(&its));
    assert!(process::alive(daemon), "{}", place.logs());
    std::fs::write(place.path("dir/file"), "written after the signal").unwrap();
    drop(user);
    // A second signal soon after the first unmounts whoever uses it; later it asks again.
    std::thread::sleep(Duration::from_millis(100));
    process::end(daemon, Signal::SIGTERM);
    assert_eq!(leftovers::of(place.root()), [""; 0]);
    place.assert_filesystem_is_clean();
}

#[test]
fn a_folder_is_mounted_once() {
    let place = Place::new();
    place.ok("mount unlimited:1GiB @dir");
    for line in ["mount unlimited:1GiB @dir", "mount unlimited:1GiB @dir/below", "mount gp3:1GiB @dir"] {
        place.refused(line, &["dir"]);
    }
    place.ok("disks @dir");
    place.ok("down @dir");
    place.assert_nothing_left();
    place.refused("down @dir", &["dir"]);
}

#[test]
fn of_several_who_mount_a_folder_at_once_one_does_and_several_may_unmount_it() {
    let place = Place::new();
    for line in ["mount unlimited:1GiB @dir", "down @dir"] {
        let started: Vec<Child> = (0..4).map(|_| place.start(line)).collect();
        let runs: Vec<_> = started.into_iter().map(|run| process::finish(run, Duration::from_secs(60))).collect();
        let done = runs.iter().filter(|run| run.code == 0).count();
        // Who asks while it is being unmounted waits, and finds what was asked for done.
        assert!(done == 1 || (done > 1 && line.starts_with("down")), "`{line}`: {done} of 4 did it");
        for run in runs.iter().filter(|run| run.code != 0) {
            // It is being mounted, or it is already.
            assert!([1, 2].contains(&run.code), "`{line}`\n{run}");
            run.says(run.code, line, &["dir"]);
        }
        assert_eq!(place.daemons().len(), usize::from(line.starts_with("mount")));
    }
    place.assert_nothing_left();
    place.assert_filesystem_is_clean();
}

#[test]
fn two_daemons_cannot_have_one_backing_file() {
    let place = Place::new();
    place.ok("mount unlimited:1GiB @dir");
    std::fs::write(place.path("dir/file"), "first").unwrap();
    // Where the folder is not mounted and the state folder is another, only the backing file itself can tell.
    let mut second = place.command("unshare");
    let script = "umount \"$1\" && shift && exec \"$@\"";
    second.args(["--mount", "sh", "-c", script, "sh"]).arg(place.path("dir"));
    second.arg(env!("CARGO_BIN_EXE_diskwright")).args(place.words("mount unlimited:1GiB @dir"));
    second.env("DISKWRIGHT_RUN", place.path("other"));
    let run = process::run(second, Duration::from_secs(60));
    assert!([1, 2, 3].contains(&run.code), "{run}");
    run.says(run.code, "the second daemon", &["already served"]);
    assert_eq!(place.daemons().len(), 1);
    assert_eq!(leftovers::loops(place.root()).len(), 1);
    assert_eq!(std::fs::read_to_string(place.path("dir/file")).unwrap(), "first");
    place.ok("down @dir");
    place.assert_nothing_left();
    place.assert_filesystem_is_clean();
}
