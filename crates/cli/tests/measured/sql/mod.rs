//! `diskwright bench` on a real MariaDB. Needs root, FUSE, and the package mariadb-server (`make tools`); without it the tests
//! fail and say so.

mod errors;
mod failed;
mod loads;
mod lost;
mod others;
mod place;
mod schema;
pub(crate) mod server;
mod study;
mod sysbench;
mod tls;
mod unchecked;

use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use place::Place;

/// Short, and of no interest how fast.
const SHORT: &str = "--warm-up 1s --least 3s --most 4s --scratch @scratch";

#[test]
fn tpcc_stays_consistent_over_a_kill_of_the_server_in_the_middle() {
    let place = Place::new();
    let run = place.run(
        "bench @tpcc.toml --launch mariadb --on @fast.toml --warm-up 1s --least 8s --most 9s --crash 4s --scratch \
         @scratch --out @run.csv --json",
    );
    assert_eq!(run.code, 0, "{run:?}");
    let found = &run.json()["sql"][0];
    assert_eq!(found["restarts"], 1, "{found:#}");
    assert_eq!(
        (&found["checked"]["conditions"], found["checked"]["broken"].as_array().map(Vec::len)),
        (&12.into(), Some(0))
    );
    assert!(found["tpmc"].as_f64().unwrap() > 0.0 && found["retries"]["lost"].as_u64().unwrap() > 0, "{found:#}");
    let timeline = timeline::Timeline::read(place.path("run.csv")).unwrap();
    for series in [
        "latency",
        "innodb_reads",
        "innodb_writes",
        "innodb_fsyncs",
        "dirty_bytes",
        "redo_bytes",
        "buffer_pool_requests",
        "buffer_pool_misses",
        "write_ops",
    ] {
        assert!(timeline.select(series, &[]).next().is_some(), "{series} is missing");
    }
    place.is_clear();
}

#[test]
fn an_interrupted_run_leaves_no_server_no_mount_and_no_file() {
    let place = Place::new();
    let out = "--out @run.json --out @run.csv";
    let run = place
        .spawn(&format!("bench @inserts.toml --launch mariadb --on @fast.toml --least 60s {out} --scratch @scratch"));
    place.until("rows come in", || place.sql("SELECT COUNT(*) > 10 FROM bench.random_rows").as_deref() == Some("1"));
    let pid = place.server().unwrap();
    let asked = Instant::now();
    place.kill(run.id() as i32, Signal::SIGINT);
    let run = place.wait(run);
    assert_eq!(run.code, 130, "{run:?}");
    assert!(asked.elapsed() < Duration::from_secs(30), "{:?}", asked.elapsed());
    assert!(!std::path::Path::new(&format!("/proc/{pid}")).exists(), "the server runs on");
    assert!(!place.path("run.json").exists() && !place.path("run.csv").exists());
    place.is_clear();
}

#[test]
fn a_full_disk_ends_the_run_and_keeps_what_was_seen() {
    let place = Place::new();
    let run = place.spawn(
        "bench @inserts.toml --launch mariadb --on @fast.toml --warm-up 1s --least 50s --most 50s --scratch \
                           @scratch --out @run.csv --json",
    );
    place.until("rows come in", || place.sql("SELECT COUNT(*) > 10 FROM bench.random_rows").as_deref() == Some("1"));
    std::thread::sleep(Duration::from_secs(3));
    place.fill();
    let run = place.wait(run);
    assert_eq!(run.code, 1, "{run:?}");
    let found = &run.json()["sql"][0];
    assert!(found["full"].is_string(), "{found:#}");
    let timeline = timeline::Timeline::read(place.path("run.csv")).unwrap();
    assert!(timeline.select("operations_per_second", &[("kind", "insert")]).next().is_some());
    place.is_clear();
}

#[test]
fn a_server_that_is_there_is_loaded_once_and_dropped_only_when_told() {
    let place = Place::new();
    let port = place.serve();
    let bench = |options: &str| {
        place.run(&format!("bench @inserts.toml --db mysql://bench@127.0.0.1:{port}/mine {options} {SHORT}"))
    };
    let first = bench("--json");
    assert_eq!(first.code, 0, "{first:?}");
    assert!(first.json()["sql"][0]["used"]["innodb_fsyncs_per_s"].as_f64().unwrap() > 0.0);
    let again = bench("");
    assert!(again.code == 2 && again.stderr.contains("already") && again.stderr.contains("--drop"), "{again:?}");
    let kept = bench("--no-load --runs 2 --out @run.csv --out @run.json");
    assert_eq!(kept.code, 0, "{kept:?}");
    for (file, there) in [("run-1.csv", true), ("run-2.csv", true), ("run.json", true), ("run.csv", false)] {
        assert_eq!(place.path(file).exists(), there, "{file}");
    }
    assert_eq!(bench("--drop").code, 0);
    let wrong = place
        .run_as(&format!("bench @inserts.toml --db mysql://bench@127.0.0.1:{port}/mine --no-load {SHORT}"), "wrong");
    assert!(wrong.code == 2 && wrong.stderr.contains("DISKWRIGHT_DB_PASSWORD"), "{wrong:?}");
    assert!(!wrong.stderr.contains("wrong\""), "{wrong:?}");
    let nobody = place.run(&format!("bench @inserts.toml --db mysql://bench@127.0.0.1:1/mine {SHORT}"));
    assert_eq!(nobody.code, 3, "{nobody:?}");
}

#[test]
fn what_cannot_be_is_refused_with_what_to_do() {
    let place = Place::new();
    for (line, code, says) in [
        ("bench @inserts.toml --db mysql://u:secret@h/s", 2, "DISKWRIGHT_DB_PASSWORD"),
        ("bench @inserts.toml --db mysql://h/s", 2, "mysql://USER@HOST"),
        ("bench @inserts.toml --launch mariadb", 2, "--on"),
        ("bench @inserts.toml --launch mariadb --on @tikv.toml", 2, "engine = \"innodb\""),
        ("bench @ycsb.toml --launch mariadb --on @fast.toml", 2, "[tpcc], [inserts] or [sysbench]"),
        ("bench @inserts.toml --on @tikv.toml --drop", 2, "--launch mariadb"),
        ("bench @inserts.toml --db mysql://u@127.0.0.1:1/s --tls-ca @no.pem", 2, "no such file"),
        ("bench @inserts.toml --launch mariadb --on @fast.toml --set innodb", 2, "VARIABLE=VALUE"),
        (
            "bench @inserts.toml --launch mariadb --on @fast.toml --set no_such_variable=1 --scratch @scratch",
            2,
            "no_such_variable",
        ),
    ] {
        let run = place.run(line);
        assert!(run.code == code && run.stderr.contains(says), "{line}: {run:?}");
        assert!(!run.stderr.contains("secret"), "{run:?}");
    }
    let without = place.run_without_server("bench @inserts.toml --launch mariadb --on @fast.toml");
    assert!(without.code == 3 && without.stderr.contains("apt-get install mariadb-server"), "{without:?}");
    place.is_clear();
}
