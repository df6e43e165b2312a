//! The kill switch and signals while peers do not answer.

use std::process::Command;
use std::time::Duration;

use nix::sys::signal::Signal;

use crate::deaf_peers::live_pd::LivePd;
use crate::deaf_peers::peers::{Deaf, Peer};
use crate::deaf_peers::program::{Program, SOON};

#[test]
fn a_freeze_is_heeded_while_a_prometheus_says_nothing() {
    let (deaf, live, folder) = (Peer::start(Deaf::Silent), LivePd::start(), tempfile::tempdir().unwrap());
    let journal = folder.path().display();
    let line = format!(
        "pilot run --act --journal {journal} --pd http://{} --prometheus http://{}",
        live.peer.address, deaf.address
    );
    let mut pilot = Program::start(&line);
    pilot.until("Prometheus to be asked", || deaf.reached() > 0);
    let stop = format!("pilot stop --freeze --journal {journal}");
    let stopped = Command::new(env!("CARGO_BIN_EXE_diskwright")).args(stop.split_whitespace()).output().unwrap();
    assert!(stopped.status.success(), "{}", String::from_utf8_lossy(&stopped.stderr));
    assert_eq!(pilot.end_within(SOON), 0);
}

/// A pilot that has changed something, and whose PD says nothing any more.
fn stuck(live: &LivePd, journal: &std::path::Path) -> Program {
    let line = format!(
        "pilot do pd/schedule.leader-schedule-limit=64 --for 10m --act --journal {} --pd http://{}",
        journal.display(),
        live.peer.address
    );
    let mut pilot = Program::start(&line);
    let lines = || std::fs::read_to_string(journal.join("journal.jsonl")).unwrap_or_default();
    pilot.until("the change to be made", || lines().contains("outcome"));
    live.fall_silent();
    pilot.rest(Duration::from_millis(500));
    pilot.signal(Signal::SIGINT);
    // It undoes what it did, which takes a PD.
    pilot.rest(Duration::from_secs(2));
    assert!(pilot.ended().is_none(), "it was to undo first");
    pilot
}

#[test]
fn a_second_ctrl_c_ends_a_pilot_that_still_undoes() {
    let (live, folder) = (LivePd::start(), tempfile::tempdir().unwrap());
    let pilot = stuck(&live, folder.path());
    pilot.signal(Signal::SIGINT);
    assert_eq!(pilot.end_within(SOON), 130);
}

#[test]
fn a_freeze_is_heeded_by_a_pilot_that_still_undoes() {
    let (live, folder) = (LivePd::start(), tempfile::tempdir().unwrap());
    let pilot = stuck(&live, folder.path());
    let stop = format!("pilot stop --freeze --journal {}", folder.path().display());
    let stopped = Command::new(env!("CARGO_BIN_EXE_diskwright")).args(stop.split_whitespace()).output().unwrap();
    assert!(stopped.status.success(), "{}", String::from_utf8_lossy(&stopped.stderr));
    assert_eq!(pilot.end_within(SOON), 1);
}

#[test]
fn the_same_signal_twice_at_once_is_one() {
    let (live, folder) = (LivePd::start(), tempfile::tempdir().unwrap());
    let line = format!("pilot run --act --journal {} --pd http://{}", folder.path().display(), live.peer.address);
    let mut pilot = Program::start(&line);
    pilot.until("PD to be asked", || live.peer.reached() > 0);
    pilot.rest(Duration::from_secs(1));
    // As `timeout` sends it: to the process, and to its group.
    pilot.signal(Signal::SIGTERM);
    pilot.signal(Signal::SIGTERM);
    assert_eq!(pilot.end_within(SOON), 0, "it ends in good order");
}
