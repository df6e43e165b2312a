//! Undone runs hold nothing, and a request that is still on its way is not forgotten.

use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use serde_json::Value;

use crate::pilot::place::Place;
use crate::pilot::relay::{Relay, Way};
use crate::pilot::{command, json, kill, kill_with, refused, wait_for};

/// Not left behind, whatever the test did.
struct Running(Option<Child>);

impl Running {
    fn child(&mut self) -> &mut Child {
        self.0.as_mut().unwrap()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(mut child) = self.0.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn start(args: &str) -> Running {
    Running(Some(command(args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()))
}

fn log(place: &Place) -> String {
    let (_, log) = json(&format!("log --last 1000 --journal {}", place.journal().display()));
    log["lines"].to_string()
}

fn status(place: &Place, more: &str) -> Value {
    let (code, status) = json(&format!("status {more} --journal {}", place.journal().display()));
    assert_eq!(code, 0, "{status}");
    status
}

const NOT_BACK: &str = "nothing is left to undo; store";

#[test]
fn an_eviction_that_is_undone_holds_no_lock_and_its_watch_ends_with_a_signal_or_an_undo() {
    let place = Place::with_regions(45);
    let (store, pd) = (place.store(0), format!("--pd http://{}", place.cluster().pd().addr()));
    // From here on nothing comes back.
    let rest = || {
        place.tell("schedulers/balance-leader-scheduler", r#"{"delay":0}"#);
        wait_for("leaders", || place.leaders(store) > 11);
        place.tell("schedulers/balance-leader-scheduler", r#"{"delay":3600}"#);
    };
    rest();
    let evict = format!("do evict/{store} --for 1s --act {}", place.reach());

    let mut pilot = start(&evict);
    wait_for("the lock", || place.lock().is_some());
    wait_for("the eviction", || !place.evicted().is_empty());
    let held = status(&place, &pd)["lock"].clone();
    assert_eq!((&held["needed_by"][0], &held["held_by"]["ours"]), (&1.into(), &true.into()), "{held}");
    assert!(held["held_by"]["says"].as_str().unwrap().contains("run 1: evict leaders"), "{held}");
    wait_for("its undoing", || place.evicted().is_empty());
    wait_for("the lock to be free", || place.lock().is_none());
    let watched = status(&place, &pd);
    assert_eq!((&watched["open"], &watched["running"]), (&1.into(), &true.into()), "{watched}");
    assert!(watched["runs"][0]["standing"].as_str().unwrap().starts_with("undone; watched until"), "{watched}");
    assert_eq!(watched["lock"]["needed_by"].as_array().map(Vec::len), Some(0), "{watched}");
    // From another folder, as on another machine, nobody is kept out.
    let other = format!("do pd/schedule.leader-schedule-limit=8 --act {pd} --journal");
    let (code, done) = json(&format!("{other} {}", place.root().join("other").display()));
    assert!(code == 0 && done["standing"] == "done", "{done}");

    let told = Instant::now();
    kill_with(Signal::SIGTERM, pilot.child());
    assert!(pilot.child().wait().unwrap().success());
    assert!(told.elapsed() < Duration::from_secs(20), "{:?}", told.elapsed());
    let over = status(&place, "");
    assert_eq!((&over["open"], place.lock()), (&0.into(), None), "{over}");
    assert_eq!(log(&place).matches(NOT_BACK).count(), 1, "{}", log(&place));

    // A watch whose pilot was killed ends by hand, too, and is told once.
    rest();
    let mut pilot = start(&evict);
    wait_for("the watch", || {
        let status = status(&place, "");
        status["open"] == 1 && status["runs"][0]["standing"].as_str().unwrap().starts_with("undone; watched")
    });
    kill(pilot.0.take().unwrap());
    place.lock_as("restart/other");
    let (code, message) =
        refused(&format!("do evict/{store} --act {pd} --journal {}", place.root().join("b").display()));
    assert!(code == 1 && message.contains("held by restart/other"), "{message}");
    let (code, undone) = json(&format!("undo --all {}", place.reach()));
    assert_eq!(code, 0, "it needs no lock: {undone}");
    let over = status(&place, &pd);
    assert_eq!((&over["open"], &over["lock"]["held_by"]["task"]), (&0.into(), &"restart/other".into()), "{over}");
    assert_eq!(log(&place).matches(NOT_BACK).count(), 2, "{}", log(&place));
    place.end();
}

#[test]
fn a_change_that_pd_carries_out_after_its_pilot_was_killed_is_undone_all_the_same() {
    const STALLED: Duration = Duration::from_secs(12);
    let place = Place::start();
    let store = place.store(0);
    let relay = Relay::start(place.cluster().pd().addr(), Way::Late(STALLED));
    let stalled = format!("--pd http://{} --journal {}", relay.addr(), place.journal().display());
    let mut pilot = start(&format!("do evict/{store} --act {stalled}"));
    wait_for("the request", || relay.posted());
    let asked = Instant::now();
    kill(pilot.0.take().unwrap());
    let (code, undone) = json(&format!("undo --all {}", place.reach()));
    assert!(code == 0 && undone["undone"][0]["standing"] == "undone", "{undone}");
    assert!(asked.elapsed() > STALLED, "it may be carried out until then: {:?}", asked.elapsed());
    assert_eq!(place.evicted(), Vec::<String>::new());
    assert!(log(&place).contains("which may be carried out yet"), "{}", log(&place));
    assert_eq!((&status(&place, "")["open"], place.lock()), (&0.into(), None));
    place.end();
}
