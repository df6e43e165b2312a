//! sysbench's tests by its own program. Needs the package sysbench (`make tools`).

use crate::sql::place::Place;

#[test]
fn sysbench_runs_under_bench_with_its_seconds_in_the_timeline() {
    let place = Place::new();
    let port = place.serve();
    let line = |options: &str| {
        format!(
            "bench @sysbench.toml --db mysql://bench@127.0.0.1:{port}/mine --warm-up 2s --least 4s --most 4s {options}"
        )
    };
    let missing = place.run_without_server(&line(""));
    assert!(missing.code == 3 && missing.stderr.contains("apt-get install sysbench"), "{missing:?}");
    let run = place.run(&line("--json --out @run.csv"));
    assert_eq!(run.code, 0, "{run:?}");
    let found = &run.json()["report"]["runs"][0];
    let kind = &found["kinds"][0];
    assert!(kind["kind"] == "transaction" && kind["operations"].as_u64().unwrap() > 0, "{found:#}");
    assert!(kind["latency"]["p99_ns"].as_u64() >= kind["latency"]["p50_ns"].as_u64(), "{kind:#}");
    assert_eq!(run.json()["report"]["rows_loaded"], 20_000);
    let timeline = timeline::Timeline::read(place.path("run.csv")).unwrap();
    let rate = timeline.select("operations_per_second", &[("kind", "transaction")]).next().unwrap();
    // Two seconds warm up and four are measured, by one sysbench each, whose last second may come too late to be told.
    assert!(rate.points().len() >= 4, "{rate:?}");
    for series in ["queries_per_second", "latency_p99", "innodb_fsyncs"] {
        assert!(timeline.select(series, &[]).next().is_some(), "{series} is missing");
    }
    let again = place.run(&line(""));
    assert!(again.code == 2 && again.stderr.contains("--drop"), "{again:?}");
    let open = place.run(&line("--no-load --rate 10"));
    assert!(open.code == 2 && open.stderr.contains("closed loop"), "{open:?}");
}
