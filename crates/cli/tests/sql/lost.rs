//! Connections that are cut while a run goes on.

use crate::place::Place;

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
