//! A server that goes away between the run and the question whether its data are consistent.

use nix::sys::signal::Signal;

use crate::sql::place::Place;

#[test]
fn what_was_measured_is_kept_when_the_data_cannot_be_checked() {
    let place = Place::new();
    let port = place.serve();
    let line = format!(
        "bench @tpcc.toml --db mysql://bench@127.0.0.1:{port}/mine --warm-up 1s --least 3s --most 4s --out @run.json"
    );
    let run = place.spawn(&line);
    // The file is there before the conditions are asked for, which takes longer than to look.
    place.until("the run is written", || place.path("run.json").exists());
    place.kill(place.own_server(), Signal::SIGKILL);
    let run = place.wait(run);
    assert_eq!(run.code, 1, "{run:?}");
    assert!(run.stdout.contains("the data could not be checked: checking the data: "), "{run:?}");
    assert!(run.stdout.contains("tpmC") && run.stdout.contains("run.json"), "{run:?}");
    let report: serde_json::Value = serde_json::from_slice(&std::fs::read(place.path("run.json")).unwrap()).unwrap();
    assert!(report["runs"][0]["operations"].as_u64() > Some(0), "{report:#}");
}
