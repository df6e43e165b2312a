//! PD's maintenance lock, whichever way a pilot ends that took it.

use std::net::TcpListener;
use std::path::Path;
use std::time::Duration;

use nix::sys::signal::Signal;

use crate::deaf_peers::live_pd::LivePd;
use crate::deaf_peers::program::{Program, SOON};

fn run(live: &LivePd, journal: &Path, more: &str) -> Program {
    let (pd, journal) = (&live.peer.address, journal.display());
    Program::start(&format!("pilot run --act --for 1s --journal {journal} --pd http://{pd} {more}"))
}

#[test]
fn a_pilot_that_cannot_serve_its_metrics_gives_the_lock_back() {
    let (live, folder) = (LivePd::with_lock(Duration::ZERO), tempfile::tempdir().unwrap());
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let pilot = run(&live, folder.path(), &format!("--metrics {}", taken.local_addr().unwrap()));
    assert_ne!(pilot.end_within(SOON), 0);
    assert!(!live.is_locked());
}

#[test]
fn a_pilot_that_gives_up_waiting_for_the_lock_gives_it_back() {
    // Longer than the pilot waits for any answer.
    let (live, folder) = (LivePd::with_lock(Duration::from_secs(10)), tempfile::tempdir().unwrap());
    let mut pilot = run(&live, folder.path(), "");
    pilot.until("the lock to be taken", || live.is_locked());
    assert_eq!(pilot.end_within(2 * SOON), 3);
    assert!(!live.is_locked());
}

#[test]
fn a_pilot_that_is_interrupted_while_it_takes_the_lock_gives_it_back() {
    let (live, folder) = (LivePd::with_lock(Duration::from_secs(4)), tempfile::tempdir().unwrap());
    let mut pilot = run(&live, folder.path(), "");
    pilot.until("the lock to be taken", || live.is_locked());
    pilot.signal(Signal::SIGINT);
    assert_eq!(pilot.end_within(SOON), 130);
    assert!(!live.is_locked());
}

#[test]
fn a_pilot_that_is_frozen_while_it_takes_the_lock_gives_it_back_and_says_who_stopped_it() {
    let (live, folder) = (LivePd::with_lock(Duration::from_secs(4)), tempfile::tempdir().unwrap());
    let mut pilot = run(&live, folder.path(), "");
    pilot.until("the lock to be taken", || live.is_locked());
    let mut stop = Program::start(&format!("pilot stop --freeze --journal {}", folder.path().display()));
    stop.until("the switch to be thrown", || false);
    assert_eq!(pilot.end_within(SOON), 1, "refused by the switch");
    assert!(!live.is_locked());
}
