//! The pilot through the program: what it refuses, and what it does to a real reference cluster. The latter needs root, FUSE, and
//! the programs of `make store`.

mod damaged;
mod place;
mod rehearsed;
mod relay;
use crate::sql::server;
mod shapes;
mod switch;
mod undone;
mod volumes;

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use nix::unistd::Pid;
use reference_store::PilotProcess;
use serde_json::Value;

use place::Place;
use relay::{Relay, Way};
use server::Server;

const CACHE: &str = "storage.block-cache.capacity";
const RATE: &str = "rocksdb.rate-bytes-per-sec";
const POOLS: [&str; 4] = [
    "raftstore.store-pool-size",
    "raftstore.apply-pool-size",
    "readpool.unified.max-thread-count",
    "storage.scheduler-worker-pool-size",
];

fn command(args: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_diskwright"));
    command.arg("pilot").args(args.split_whitespace()).stdin(Stdio::null());
    command
}

/// Runs to its end: the code, and the one document on standard output.
#[track_caller]
fn json(args: &str) -> (i32, Value) {
    let ran = command(args).arg("--json").output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    let value = serde_json::from_str(&out).unwrap_or_else(|error| panic!("{args}: {error}\n{out}\n{err}"));
    (ran.status.code().expect("it ends by itself"), value)
}

/// The message and the code of a failure.
#[track_caller]
fn refused(args: &str) -> (i32, String) {
    let (code, value) = json(args);
    let message = value["error"]["message"].as_str().unwrap_or_else(|| panic!("{args} does not fail: {value}"));
    (code, message.to_owned())
}

#[track_caller]
fn wait_for(what: &str, mut done: impl FnMut() -> bool) {
    let from = Instant::now();
    while !done() {
        assert!(from.elapsed() < Duration::from_secs(60), "waited a minute for {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

pub(crate) fn kill_with(signal: Signal, pilot: &Child) {
    nix::sys::signal::kill(Pid::from_raw(i32::try_from(pilot.id()).unwrap()), signal).unwrap();
}

/// Killed as nothing else is: without a chance to put anything in order.
fn kill(mut pilot: Child) {
    pilot.kill().unwrap();
    pilot.wait().unwrap();
}

#[test]
fn what_is_no_pd_is_told_as_such() {
    let folder = tempfile::tempdir().unwrap();
    let at = |url: &str| format!("do evict/1 --pd {url} --journal {}", folder.path().join("j").display());
    let (code, message) = refused(&at("http://10.0.0.5:2379"));
    assert!(code == 2 && message.contains("not encrypted") && message.contains("--insecure"), "{message}");
    let (code, message) = refused(&at("127.0.0.1:2379"));
    assert!(code == 2 && message.contains("lacks `http://`"), "{message}");
    // Nobody listens on the port that was just let go.
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let (code, message) = refused(&at(&format!("http://{free}")));
    assert!(code == 3 && message.contains("does not answer"), "{message}");
    assert!(!folder.path().join("j").exists(), "who only looks leaves no trace");
}

#[test]
fn steps_and_folders_that_are_none_are_told() {
    let ran = command("do boot/1 --pd http://127.0.0.1:1").output().unwrap();
    let said = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert!(ran.status.code() == Some(2) && said.contains("expected tikv/STORE/KEY=VALUE"), "{said}");
    let folder = tempfile::tempdir().unwrap();
    let (code, message) = refused(&format!("status --journal {}", folder.path().join("none").display()));
    assert!(code == 2 && message.contains("no pilot has worked here"), "{message}");
}

#[test]
fn what_is_changed_on_a_cluster_is_undone_and_leaders_leave_and_come_back() {
    let place = Place::start();
    let (store, key) = (place.store(0), format!("tikv/{}/{CACHE}", place.store(0)));
    let with = |args: &str| format!("{args} {}", place.reach());
    let before = place.setting(0, CACHE);

    // Looking changes nothing, and what cannot be is refused with its reason.
    let (code, would) = json(&with(&format!("do {key}=48MB")));
    assert!(code == 0 && would["acts"] == false, "{would}");
    assert_eq!(place.setting(0, CACHE), before);
    let (code, message) = refused(&with(&format!("do tikv/{store}/server.grpc-concurrency=8 --act")));
    assert!(code == 1 && message.contains("only when it starts"), "{message}");
    let (code, message) = refused(&with("do evict/99 --act"));
    assert!(code == 1 && message.contains("PD knows no store 99"), "{message}");
    let wrong = format!("do {key}=1MB --tikv-status http://127.0.0.1:9");
    let (code, message) = refused(&with(&wrong));
    assert!(code == 2 && message.contains("no store says that its status server is at 127.0.0.1:9"), "{message}");

    let (code, done) = json(&with(&format!("do {key}=48MB --act")));
    assert!(code == 0 && done["standing"] == "done" && done["undoable"] == true, "{done}");
    assert!(pilot::same(&place.setting(0, CACHE), &"48MiB".into()));
    let (code, undone) = json(&with(&format!("undo {}", done["run"])));
    assert!(code == 0 && undone["undone"][0]["standing"] == "undone", "{undone}");
    assert_eq!(place.setting(0, CACHE), before);

    // What diagnose calls for when a pool is short of threads is taken by a real store, and given back.
    for pool in POOLS {
        let before = place.setting(0, pool);
        let more = before.as_u64().unwrap_or_else(|| panic!("{pool} = {before}")) + 1;
        let (code, done) = json(&with(&format!("do tikv/{store}/{pool}={more} --act")));
        assert!(code == 0 && done["standing"] == "done", "{done}");
        assert_eq!(place.setting(0, pool), Value::from(more), "{pool}");
        let (code, undone) = json(&with(&format!("undo {}", done["run"])));
        assert!(code == 0 && undone["undone"][0]["standing"] == "undone", "{undone}");
        assert_eq!(place.setting(0, pool), before, "{pool}");
    }

    // Leaders leave, the limit is raised meanwhile, and both come back.
    let limit = place.pd_config("schedule", "leader-schedule-limit");
    assert!(place.leaders(store) > 0);
    let (code, run) = json(&with(&format!("do pd/schedule.leader-schedule-limit=64 evict/{store} --for 1s --act")));
    assert!(code == 0 && run["standing"] == "undone", "{run}");
    assert_eq!(place.pd_config("schedule", "leader-schedule-limit"), limit);
    wait_for("the leaders to come back", || place.leaders(store) > 0);
    let (_, log) = json(&format!("log --journal {}", place.journal().display()));
    let log = log["lines"].to_string();
    assert!(log.contains(&format!("waited for store {store} to lead nothing")), "{log}");

    // Another cluster's journal is no use here, and the kill switch holds.
    let folder = place.root().join("other");
    std::fs::create_dir(&folder).unwrap();
    let header = r#"{"entry":"header","format":1,"cluster":"5","pilot":"p","at":"2026-01-01T00:00:00Z"}"#;
    std::fs::write(folder.join("journal.jsonl"), format!("{header}\n")).unwrap();
    let ours = place.journal().display().to_string();
    let other = with(&format!("do {key}=48MB")).replace(&ours, &folder.display().to_string());
    let (code, message) = refused(&other);
    assert!(code == 2 && message.contains("the journal is of cluster 5"), "{message}");
    json(&format!("stop --journal {}", place.journal().display()));
    let (code, message) = refused(&with(&format!("do {key}=48MB --act")));
    assert!(code == 1 && message.contains("the kill switch is set"), "{message}");
    assert_eq!(place.setting(0, CACHE), before);
    place.end();
}

#[test]
fn flushes_and_compactions_are_limited_to_what_the_disk_has_left_while_a_pilot_runs() {
    let place = Place::start();
    let before = place.setting(0, RATE);
    let limit = format!("--limit {}={}", place.store(0), place.disks(0).display());
    let wrong = refused(&format!("run --limit 1=/nowhere {}", place.reach()));
    assert!(wrong.0 == 2 && wrong.1.contains("/nowhere"), "{wrong:?}");
    let wrong = refused(&format!("run {limit} --disk-share 0% {}", place.reach()));
    assert!(wrong.0 == 2 && wrong.1.contains("--disk-share 0: expected more than 0 %"), "{wrong:?}");
    let free = std::net::TcpListener::bind("127.0.0.1:0").and_then(|port| port.local_addr()).unwrap();
    let args = format!("run {limit} --floor 20MiB/s --every 1s --metrics {free} --act {}", place.reach());
    let mut run = command(&args);
    run.env("DISKWRIGHT_RUN", place.root().join("run")).stdout(Stdio::null());
    let mut pilot = run.spawn().unwrap();
    // Nothing is written: the least is all that is needed.
    wait_for("the limit", || pilot::same(&place.setting(0, RATE), &"20MiB".into()));
    assert_eq!(place.setting(1, RATE), before, "the other stores are left alone");
    let told = || ureq::get(format!("http://{free}/metrics")).call().unwrap().into_body().read_to_string().unwrap();
    wait_for("what it counts", || told().contains("diskwright_pilot_steps_total{came=\"done\"} 1"));
    assert!(told().contains("diskwright_pilot_stuck 0"), "{}", told());
    kill_with(Signal::SIGINT, &pilot);
    assert!(pilot.wait().unwrap().success());
    assert_eq!(place.setting(0, RATE), before);
    let (_, status) = json(&format!("status --journal {}", place.journal().display()));
    assert_eq!((&status["runs"][0]["controller"], &status["open"]), (&"limiter".into(), &0.into()), "{status:#}");
    place.end();
}

#[test]
fn a_pilot_beside_runs_limits_every_store_and_hears_the_kill_switch() {
    let place = Place::start();
    let (before, folder) = (place.setting(0, RATE), place.root().join("beside"));
    let start = || PilotProcess::start(place.lab(), place.cluster(), 0.5, &folder).unwrap();
    let limited = |node| place.setting(node, RATE) != before;
    let beside = start();
    wait_for("the limits", || (0..3).all(limited));
    beside.end().unwrap();
    assert!(!(0..3).any(limited));

    // One that runs hears the kill switch, and undoes what it did before it ends.
    let mut stopped = start();
    wait_for("the limits", || (0..3).all(limited));
    json(&format!("stop --journal {}", folder.join("journal").display()));
    wait_for("its end", || !(0..3).any(limited) && stopped.has_ended());
    let error = stopped.end().unwrap_err().to_string();
    assert!(error.starts_with("the pilot: ended with"), "{error}");

    let mut refused = start();
    wait_for("its end", || refused.has_ended());
    let error = refused.end().unwrap_err().to_string();
    assert!(error.contains("the kill switch is set") && error.contains("--clear"), "{error}");
    place.end();
}

#[test]
fn what_kubernetes_would_refuse_is_told_before_a_pilot_listens() {
    let place = Place::start();
    let kubernetes = kubernetes::twin::FakeApiServer::of_one_tidb().unwrap();
    kubernetes.state().forbidden.insert("create pods/eviction".to_owned());
    let machine = format!("--machine vm-1=tidb:db/tidb-0@node-1 --kubernetes {}", kubernetes.base());
    let (code, message) = refused(&format!("run --maintenance gcp {machine} --act {}", place.reach()));
    assert!(code == 2 && message.contains("move db/tidb-0") && message.contains("`create pods/eviction`"), "{message}");
    place.end();
}

/// MariaDB stands for TiDB: both speak MySQL's protocol, and their variables are read and set with the same words.
#[test]
fn a_variable_is_set_over_sql_read_back_and_undone() {
    let place = Place::start();
    let server = Server::start(
        place.root(),
        &[],
        "CREATE USER pilot@'127.0.0.1' IDENTIFIED BY 'secret'; GRANT SUPER ON *.* TO pilot@'127.0.0.1'; \
         CREATE USER guest@'127.0.0.1' IDENTIFIED BY 'secret'",
    );
    let run = |args: &str, user: &str| {
        let args = format!("{args} --tidb mysql://{user}@127.0.0.1:{} {}", server.port, place.reach());
        let ran = command(&args).arg("--json").env("DISKWRIGHT_DB_PASSWORD", "secret").output().unwrap();
        (ran.status.code().unwrap(), serde_json::from_slice::<Value>(&ran.stdout).unwrap())
    };
    let is = || server.ask("SELECT @@GLOBAL.lock_wait_timeout").unwrap();
    let before = is();
    let (code, would) = run("do tidb/lock_wait_timeout=77", "pilot");
    assert!(code == 0 && would["now"][0]["is"] == before.as_str(), "{would}");
    let (code, denied) = run("do tidb/lock_wait_timeout=77 --act", "guest");
    assert!(code == 1 && denied["standing"] == "undone" && is() == before, "{denied}");
    let (code, done) = run("do tidb/lock_wait_timeout=77 tidb/tx_isolation=READ-COMMITTED --act", "pilot");
    assert!(code == 0 && is() == "77", "{done}");
    assert_eq!(server.ask("SELECT @@GLOBAL.tx_isolation").unwrap(), "READ-COMMITTED");
    let (code, undone) = run("undo --all", "pilot");
    assert!(code == 0 && is() == before, "{undone}");
    let (code, missing) = run("do tidb/tidb_replica_read=closest-adaptive --act", "pilot");
    assert!(code == 1 && missing.to_string().contains("knows no variable `tidb_replica_read`"), "{missing}");
    let said = command(&format!("do tidb/x=1 --tidb mysql://pilot@10.0.0.7:4000 {}", place.reach())).output().unwrap();
    assert!(String::from_utf8_lossy(&said.stderr).contains("not encrypted"), "{said:?}");
    drop(server);
    place.end();
}

#[test]
fn a_pilot_that_is_killed_after_its_intent_is_undone_by_the_next() {
    let place = Place::start();
    let before = place.setting(0, CACHE);
    // The request is carried out or not, and its answer never comes: then the pilot is killed.
    for (number, way) in [(1, Way::Swallow), (2, Way::CarryOut)] {
        let relay = Relay::start(place.status(0), way);
        let named = format!("--tikv-status {}=http://{}", place.store(0), relay.addr());
        let args = format!("do tikv/{}/{CACHE}=48MB --act {named} {}", place.store(0), place.reach());
        let pilot = command(&args).stdout(Stdio::null()).spawn().unwrap();
        wait_for("the request", || relay.posted());
        kill(pilot);
        let (_, status) = json(&format!("status --journal {}", place.journal().display()));
        assert_eq!((&status["open"], &status["running"]), (&1.into(), &false.into()), "{status}");
        assert_eq!(pilot::same(&place.setting(0, CACHE), &"48MiB".into()), way == Way::CarryOut);
        let (code, undone) = json(&format!("undo --all {}", place.reach()));
        assert_eq!(code, 0, "{undone}");
        assert_eq!(undone["undone"][0]["run"], number, "{undone}");
        assert_eq!(place.setting(0, CACHE), before);
        let (_, status) = json(&format!("status --journal {}", place.journal().display()));
        assert_eq!(status["open"], 0, "{status}");
    }
    place.end();
}
