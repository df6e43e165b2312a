//! What a server refuses: what ends a run, what is tried again, and how both are told.

use crate::sql::place::Place;

const SHORT: &str = "--warm-up 1s --least 3s --most 4s";

#[test]
fn who_may_only_read_ends_the_run_at_once_and_hears_the_code() {
    let place = Place::new();
    let port = place.serve();
    let bench = |user: &str, options: &str| {
        place.run(&format!("bench @inserts.toml --db mysql://{user}@127.0.0.1:{port}/mine {options} {SHORT}"))
    };
    assert_eq!(bench("bench", "").code, 0);
    place.own("CREATE USER reader@'127.0.0.1'; GRANT SELECT ON mine.* TO reader@'127.0.0.1'").unwrap();
    let json = bench("reader", "--no-load --runs 2 --json");
    assert_eq!(json.code, 1, "{json:?}");
    let found = json.json();
    let ended = found["sql"][0]["ended"].as_str().unwrap();
    assert!(ended.starts_with("ERROR 1142 (42000): INSERT command denied"), "{ended}");
    assert_eq!(found["sql"].as_array().unwrap().len(), 1, "the second run would have met the same");
    let text = bench("reader", "--no-load");
    assert!(text.code == 1 && text.stdout.contains("ERROR 1142 (42000)"), "{text:?}");
}

#[test]
fn a_code_of_tidb_is_tried_again_as_its_class_says() {
    let place = Place::new();
    // MariaDB says what version it is told to say.
    let port = place.serve_with(&["--version=8.0.11-TiDB-v8.5.3".to_owned()], "");
    let bench = |options: &str| {
        place.run(&format!("bench @inserts.toml --db mysql://bench@127.0.0.1:{port}/mine {options} {SHORT}"))
    };
    let first = bench("");
    assert!(first.code == 0 && first.stdout.contains("TiDB and TiKV are not watched: ERROR 1109 (42S02)"), "{first:?}");
    let signal = "SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = 9004, MESSAGE_TEXT = 'Resolve lock timeout'";
    let trigger = "CREATE TRIGGER mine.late BEFORE INSERT ON mine.random_rows FOR EACH ROW";
    place.own(&format!("DELIMITER //\n{trigger} IF RAND() < 0.1 THEN {signal}; END IF//")).unwrap();
    let run = bench("--no-load --json");
    assert_eq!(run.code, 0, "{run:?}");
    let found = run.json();
    assert!(found["sql"][0]["retries"]["lock-wait"].as_u64().unwrap() > 0, "{found:#}");
    assert_eq!(found["report"]["runs"][0]["failures"], 0, "{found:#}");
}
