//! Where the machine lacks something: exit code 3, one line with what and what to do, and nothing is left.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::nothing_lost::leftovers;
use crate::nothing_lost::place::Place;
use crate::nothing_lost::process;

/// Room for everything that a refusal takes.
const PATIENCE: Duration = Duration::from_secs(60);
const LINE: &str = "mount unlimited:1GiB @dir";

/// Mounts in a mount namespace of its own, after a shell script has taken something away from it.
fn mount_after(place: &Place, script: &str) -> process::Run {
    let mut command = place.command("unshare");
    command.args(["--mount", "sh", "-ec", &format!("{script}\nexec \"$@\""), "sh"]);
    command.arg(env!("CARGO_BIN_EXE_diskwright")).args(place.words(LINE));
    process::run(command, PATIENCE)
}

/// A script that leaves of `/dev` nothing but these devices, and the memory where the place may be.
fn only(place: &Place, devices: &str) -> String {
    let new = place.path("dev");
    fs::create_dir_all(&new).unwrap();
    let new = new.display();
    format!(
        "mount -t tmpfs none {new}\nfor device in null zero urandom {devices}; do cp -a /dev/$device {new}; done\n\
         if [ -d /dev/shm ]; then mkdir {new}/shm; mount --bind /dev/shm {new}/shm; fi\nmount --rbind {new} /dev"
    )
}

#[track_caller]
fn assert_untouched(place: &Place) {
    place.assert_nothing_left();
    assert!(!place.path("dir").exists(), "a folder was left");
    assert_eq!(leftovers::files(&place.backing()), Vec::<std::path::PathBuf>::new());
}

#[test]
fn the_same_without_anything_taken_away_mounts() {
    let place = Place::new();
    // The script ends with `exec "$@"`: mounted and brought down again in the same namespace.
    let there_and_back = format!("{}\n\"$@\"\nset -- \"$1\" down \"$4\"", only(&place, "fuse loop-control loop[0-9]*"));
    let run = mount_after(&place, &there_and_back);
    assert_eq!(run.code, 0, "{run}{}", place.logs());
    place.assert_nothing_left();
    place.assert_filesystem_is_clean();
}

#[test]
fn without_fuse() {
    let place = Place::new();
    let run = mount_after(&place, &only(&place, "loop-control loop[0-9]*"));
    run.says(3, LINE, &["/dev/fuse", "modprobe fuse"]);
    assert_untouched(&place);
}

#[test]
fn with_a_fuse_device_that_is_none() {
    let place = Place::new();
    let run = mount_after(&place, "mount --bind /dev/null /dev/fuse");
    run.says(3, LINE, &["FUSE"]);
    assert_untouched(&place);
}

#[test]
fn without_loop_devices() {
    let place = Place::new();
    let run = mount_after(&place, &only(&place, "fuse"));
    run.says(3, LINE, &["loop", "modprobe loop"]);
    assert_untouched(&place);
}

#[test]
fn without_the_tool_that_formats() {
    let place = Place::new();
    // Wherever it is: only folders that hold programs of administrators are hidden.
    let empty = place.path("empty");
    fs::create_dir(&empty).unwrap();
    let hide =
        format!("for folder in /usr/local/sbin /usr/sbin /sbin; do mount --bind {} $folder; done", empty.display());
    let run = mount_after(&place, &format!("PATH=/usr/bin:/bin; export PATH\n{hide}"));
    run.says(3, LINE, &["is not installed", "package"]);
    assert_untouched(&place);
}

#[test]
fn without_root() {
    let place = Place::new();
    // Everybody may run it and see the folder: only the rights to mount are missing.
    let program = place.path("diskwright");
    fs::copy(env!("CARGO_BIN_EXE_diskwright"), &program).unwrap();
    for path in [place.root(), Path::new(&program)] {
        fs::set_permissions(path, Permissions::from_mode(0o755)).unwrap();
    }
    for line in [LINE, "down @dir", "fault @dir stall 1s", "disks @dir"] {
        let mut command = place.command("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(&program).args(place.words(line));
        let run = process::run(command, PATIENCE);
        // Who may not mount has nothing to bring down: both answers are right, a crash or a half-done mount is not.
        assert!(run.code == 3 || (run.code == 2 && line != LINE), "`{line}`\n{run}");
        run.says(run.code, line, if line == LINE { &["root", "sudo"] } else { &[] });
    }
    assert_untouched(&place);
}

#[test]
fn with_a_state_folder_that_others_can_enter() {
    let place = Place::new();
    fs::create_dir(place.state()).unwrap();
    fs::set_permissions(place.state(), Permissions::from_mode(0o755)).unwrap();
    place.run(LINE).says(3, LINE, &["chmod 700", "DISKWRIGHT_RUN"]);
    assert_untouched(&place);
}

#[test]
fn with_a_backing_folder_that_cannot_be_written() {
    let place = Place::new();
    let script = format!("mkdir {0}; mount -t tmpfs -o ro none {0}", place.backing().display());
    let run = mount_after(&place, &script);
    run.says(3, LINE, &[place.backing().to_str().unwrap()]);
    assert_untouched(&place);
}

#[test]
fn namespaces_hide_what_the_scripts_say() {
    let place = Place::new();
    let script = format!("{}\n! test -e /dev/fuse && test -e /dev/null", only(&place, ""));
    let status = Command::new("unshare").args(["--mount", "sh", "-ec", &script]).status().unwrap();
    assert!(status.success());
    assert!(Path::new("/dev/fuse").exists(), "out here nothing has changed");
}
