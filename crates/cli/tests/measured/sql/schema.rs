//! Schemas that are not there, and a server that stands still.

use std::time::Duration;

use nix::sys::signal::Signal;

use crate::sql::place::Place;

#[test]
fn a_misspelt_schema_is_made_only_when_asked_for() {
    let place = Place::new();
    let port = place.serve();
    place.own("CREATE USER may@'127.0.0.1'; GRANT ALL ON *.* TO may@'127.0.0.1'").unwrap();
    let bench = |options: &str| {
        place.run(&format!(
            "bench @inserts.toml --db mysql://may@127.0.0.1:{port}/nope {options} --warm-up 1s --least 1s --most 2s"
        ))
    };
    for options in ["", "--drop", "--no-load"] {
        let refused = bench(options);
        assert!(refused.code == 2 && refused.stderr.contains("has no schema `nope`, but mine"), "{refused:?}");
        assert!(refused.stderr.contains("--create"), "{refused:?}");
        assert_eq!(place.own("SHOW DATABASES LIKE 'nope'").unwrap(), "");
    }
    let made = bench("--create");
    assert_eq!(made.code, 0, "{made:?}");
    assert_eq!(place.own("SHOW DATABASES LIKE 'nope'").unwrap(), "nope");
}

#[test]
fn a_run_whose_server_stood_still_says_so_first() {
    let place = Place::new();
    let port = place.serve();
    let run = place.spawn(&format!(
        "bench @inserts.toml --db mysql://bench@127.0.0.1:{port}/mine --warm-up 1s --least 24s --most 25s --out @run.json"
    ));
    place.until("rows come in", || place.own("SELECT COUNT(*) > 2500 FROM mine.random_rows").as_deref() == Some("1"));
    // The warm-up is over.
    std::thread::sleep(Duration::from_secs(4));
    let server = place.own_server();
    place.kill(server, Signal::SIGSTOP);
    std::thread::sleep(Duration::from_secs(17));
    place.kill(server, Signal::SIGCONT);
    let run = place.wait(run);
    let first = run.stdout.lines().next().unwrap_or_default();
    assert!(first.starts_with("run 1: nothing was done for "), "{run:?}");
    let report: serde_json::Value = serde_json::from_slice(&std::fs::read(place.path("run.json")).unwrap()).unwrap();
    let stalled = report["runs"][0]["stalled"]["seconds"].as_f64();
    assert!(stalled.is_some_and(|seconds| (15.0..25.0).contains(&seconds)), "{report:#}");
}
