//! A rehearsal as people hold one: `pilot drill` announces a live migration, and `pilot run --maintenance` makes ready for it.

use std::net::{TcpListener, TcpStream};
use std::process::{Child, Stdio};

use jiff::Timestamp;
use kubernetes::{KubernetesAccess, KubernetesApi, TokenSource};
use nix::sys::signal::Signal;
use serde_json::Value;

use crate::pilot::place::Place;
use crate::pilot::{command, json, kill_with, refused, wait_for};

/// A pilot that is not left behind, whatever the test did.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn leaders_leave_before_a_rehearsed_migration_and_all_is_put_back_after_it() {
    let place = Place::start();
    let store = place.store(0);
    let kubernetes = kubernetes::twin::FakeApiServer::of_one_tidb().unwrap();
    let api = KubernetesApi::new(KubernetesAccess::new(&kubernetes.base(), TokenSource::None, None).unwrap());
    let (limit, metadata) = (
        place.pd_config("schedule", "leader-schedule-limit"),
        TcpListener::bind("127.0.0.1:0").and_then(|port| port.local_addr()).unwrap(),
    );
    wait_for("a leader", || place.leaders(store) > 0);

    let drill =
        format!("drill --cloud gcp --machine vm-1 --after 8s --notice 20s --takes 3s --listen {metadata} --json");
    let drill = command(&drill).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    wait_for("the drill", || TcpStream::connect(metadata).is_ok());
    let machine = |name: &str| {
        format!(
            "run --maintenance gcp --metadata http://{metadata} --machine {name}=tikv:{store},tidb:db/tidb-0@node-1 \
             --kubernetes {} --act {}",
            kubernetes.base(),
            place.reach()
        )
    };
    let (code, message) = refused(&machine("vm-2"));
    assert!(code == 2 && message.contains("this machine is `vm-1`"), "{message}");
    let mut pilot = Running(command(&machine("vm-1")).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap());
    wait_for("the leaders to leave", || place.leaders(store) == 0);
    let gone = Timestamp::now();
    wait_for("the node to be cordoned", || api.node("node-1").unwrap().cordoned);

    let drill = drill.wait_with_output().unwrap();
    let told: Value = serde_json::from_slice(&drill.stdout).unwrap();
    assert!(drill.status.success() && told["in_time"] == true, "{told}");
    let starts: Timestamp = told["starts"].as_str().unwrap().parse().unwrap();
    assert!(gone < starts, "leaders at zero at {gone}, the migration at {starts}");
    wait_for("the node to take pods again", || !api.node("node-1").unwrap().cordoned);
    wait_for("the leaders to come back", || place.leaders(store) > 0);
    wait_for("all to be put back", || {
        let (_, status) = json(&format!("status --journal {}", place.journal().display()));
        status["open"] == 0
    });
    assert_eq!(place.pd_config("schedule", "leader-schedule-limit"), limit);
    kill_with(Signal::SIGINT, &pilot.0);
    assert!(pilot.0.wait().unwrap().success());
    place.end();
}
