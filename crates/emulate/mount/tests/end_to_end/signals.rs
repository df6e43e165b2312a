//! Who uses a disk keeps it, and is named.

use std::fs::File;
use std::process::{Command, Stdio};

use mount::MountError;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::place::{Place, eventually, loops_under};

#[test]
fn a_disk_in_use_stays_and_who_uses_it_is_named() {
    let place = Place::new();
    let node = place.up("unlimited:1GiB");
    let mut sleeper = Command::new("sleep").arg("1000").current_dir(&place.dir).stdin(Stdio::null()).spawn().unwrap();
    let held = File::create(place.dir.join("wal")).unwrap();
    let error = place.down().unwrap_err();
    sleeper.kill().unwrap();
    sleeper.wait().unwrap();
    assert_eq!(error.exit_code(), 1);
    let MountError::Busy { holders, .. } = &error else { panic!("{error}") };
    let of = |pid: u32| holders.iter().find(|holder| holder.pid == Some(pid as i32)).map(|holder| holder.what.as_str());
    assert!(of(sleeper.id()).unwrap().starts_with("its working folder"), "{holders:?}");
    assert!(of(std::process::id()).unwrap().ends_with("wal"), "{holders:?}");
    assert!(error.to_string().contains("sleep (pid "), "{error}");

    // It is still served.
    assert!(node.is_alive());
    std::fs::write(place.dir.join("more"), "more").unwrap();
    drop(held);
    place.down().unwrap();
    place.assert_nothing_left();
}

#[test]
fn a_nested_mount_holds_it_too() {
    let place = Place::new();
    place.up("unlimited:1GiB");
    let nested = place.dir.join("nested");
    std::fs::create_dir(&nested).unwrap();
    nix::mount::mount(Some("none"), &nested, Some("tmpfs"), nix::mount::MsFlags::empty(), None::<&str>).unwrap();
    let error = place.down().unwrap_err();
    nix::mount::umount(&nested).unwrap();
    assert!(error.to_string().contains("a nested mount"), "{error}");
    place.down().unwrap();
}

#[test]
fn a_signal_unmounts_cleanly() {
    for wish in [Signal::SIGTERM, Signal::SIGINT] {
        let place = Place::new();
        let node = place.up("unlimited:1GiB");
        kill(Pid::from_raw(node.pid), wish).unwrap();
        eventually("the daemon ends", || !node.is_alive());
        place.assert_nothing_left();
    }
}

#[test]
fn a_signal_while_in_use_is_refused_once_but_not_twice() {
    let place = Place::new();
    let node = place.up("unlimited:1GiB");
    let log = node.state.join("log");
    let held = File::create(place.dir.join("wal")).unwrap();
    kill(Pid::from_raw(node.pid), Signal::SIGTERM).unwrap();
    eventually("the refusal is logged", || std::fs::read_to_string(&log).unwrap().contains("is in use by"));
    assert!(node.is_alive());
    std::fs::write(place.dir.join("more"), "more").unwrap();

    kill(Pid::from_raw(node.pid), Signal::SIGTERM).unwrap();
    eventually("the daemon ends", || !node.is_alive());
    drop(held);
    let root = place.home.folder.parent().unwrap();
    eventually("the loop device goes with its last user", || loops_under(root).is_empty());
    place.assert_nothing_left();
    place.up("unlimited:1GiB");
    assert_eq!(std::fs::read_to_string(place.dir.join("more")).unwrap(), "more");
    place.down().unwrap();
}
