//! Connections that are cut while a run goes on, and servers that are lost.

use nix::sys::signal::Signal;
use serde_json::Value;

use crate::sql::place::{Place, Run};

#[test]
fn lost_connections_are_opened_anew_counted_and_told() {
    let place = Place::new();
    let port = place.serve();
    let run = place.spawn(&format!(
        "bench @inserts.toml --db mysql://bench@127.0.0.1:{port}/mine --clients 4 --warm-up 1s --least 5s --most 6s --json"
    ));
    // More than were loaded.
    let rows = || place.own("SELECT COUNT(*) FROM mine.random_rows").and_then(|rows| rows.parse::<u64>().ok());
    place.until("rows come in", || rows().is_some_and(|rows| rows > 2010));
    place.own("KILL USER bench@'127.0.0.1'").unwrap();
    let at_the_cut = rows().unwrap();
    let run = place.wait(run);
    assert_eq!(run.code, 0, "{run:?}");
    let found = run.json();
    assert!(found["sql"][0]["retries"]["lost"].as_u64().unwrap() > 0, "{found:#}");
    assert_eq!(found["sql"][0]["restarts"], 0);
    assert!(rows().unwrap() > at_the_cut, "nothing was added after the cut");
}

/// That a run failed because its server was lost, and that nothing takes it for a result.
#[track_caller]
fn is_lost(place: &Place, run: &Run) {
    assert_eq!(run.code, 1, "{run:?}");
    let found = &run.json()["report"]["runs"][0];
    assert!(found["server_lost"].as_u64().is_some_and(|times| times > 0), "{found:#}");
    assert!(found["failures"].as_u64().is_some_and(|failures| failures > 0), "{found:#}");
    let kinds: Vec<&Value> = found["errors"].as_array().unwrap().iter().map(|error| &error["kind"]).collect();
    assert!(kinds.contains(&&"server".into()), "{found:#}");
    for file in ["run.json", "run.csv"] {
        let compared = place.run(&format!("bench compare @{file} @{file}"));
        assert!(compared.code == 2 && compared.stderr.contains("it lost its server"), "{file}: {compared:?}");
    }
}

#[test]
fn a_run_whose_server_is_killed_and_comes_back_is_a_failed_run() {
    let place = Place::new();
    let line = "bench @inserts.toml --launch mariadb --on @fast.toml --warm-up 1s --least 8s --most 9s --scratch @scratch \
                --out @run.json --out @run.csv";
    let kill = || {
        place.until("rows come in", || {
            place.sql("SELECT COUNT(*) > 2100 FROM bench.random_rows").as_deref() == Some("1")
        });
        place.kill(place.server().unwrap(), Signal::SIGKILL);
    };
    let run = place.spawn(&format!("{line} --json"));
    kill();
    let run = place.wait(run);
    is_lost(&place, &run);
    assert_eq!(run.json()["sql"][0]["restarts"], 1);
    let run = place.spawn(line);
    kill();
    let run = place.wait(run);
    let said = run.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        run.code == 1 && said.contains("run 1 failed, whatever it measured: it lost its server: ended by itself"),
        "{run:?}"
    );
    place.is_clear();
}

#[test]
fn a_run_whose_server_goes_for_good_is_a_failed_run() {
    let place = Place::new();
    let port = place.serve();
    let run = place.spawn(&format!(
        "bench @inserts.toml --db mysql://bench@127.0.0.1:{port}/mine --warm-up 1s --least 6s --most 7s --json --out @run.json \
         --out @run.csv"
    ));
    let rows = || place.own("SELECT COUNT(*) FROM mine.random_rows").and_then(|rows| rows.parse::<u64>().ok());
    place.until("rows come in", || rows().is_some_and(|rows| rows > 2100));
    place.kill_own();
    is_lost(&place, &place.wait(run));
}
