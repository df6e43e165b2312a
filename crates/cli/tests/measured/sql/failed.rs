//! Runs that measured something and failed all the same, and tables that are not what is asked for.

use crate::sql::place::Place;

#[test]
fn a_kind_of_transaction_that_fails_wholly_makes_the_run_a_failed_one() {
    let place = Place::new();
    let port = place.serve();
    let bench = |options: &str| {
        place.run(&format!(
            "bench @tpcc.toml --db mysql://bench@127.0.0.1:{port}/mine --warm-up 1s --least 3s --most 4s {options}"
        ))
    };
    let loaded = bench("");
    assert_eq!(loaded.code, 0, "{loaded:?}");
    // More was asked for than is there: nothing is run.
    let more = bench("--no-load --records 2");
    assert!(more.code == 2 && more.stderr.contains("has 1 warehouses loaded"), "{more:?}");
    place.own("SET sql_log_bin = 0; DELETE FROM mine.stock WHERE s_w_id = 1 AND s_i_id = 77").unwrap();
    let fewer = bench("--no-load");
    assert!(fewer.code == 2 && fewer.stderr.contains("99999 stocks of warehouse 1, and 100000"), "{fewer:?}");
    place.own("INSERT INTO mine.stock SELECT 77, s_w_id, s_quantity, s_dist_01, s_dist_02, s_dist_03, s_dist_04, s_dist_05, \
               s_dist_06, s_dist_07, s_dist_08, s_dist_09, s_dist_10, s_ytd, s_order_cnt, s_remote_cnt, s_data \
               FROM mine.stock WHERE s_w_id = 1 AND s_i_id = 78")
        .unwrap();
    let signal = "SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'no orders today'";
    place.own(&format!("CREATE TRIGGER mine.closed BEFORE INSERT ON mine.orders FOR EACH ROW {signal}")).unwrap();
    let failed = bench("--no-load --out @run.json --out @run.csv");
    assert_eq!(failed.code, 1, "{failed:?}");
    let first = failed.stdout.lines().next().unwrap_or_default();
    assert!(first.starts_with("run 1 failed, whatever it measured: all "), "{failed:?}");
    assert!(failed.stdout.contains("of new-order failed: ERROR 1644 (45000): no orders"), "{failed:?}");
    let report: serde_json::Value = serde_json::from_slice(&std::fs::read(place.path("run.json")).unwrap()).unwrap();
    let run = &report["runs"][0];
    assert!(run["operations"].as_u64() > Some(0) && run["rejected"].as_array().unwrap().len() == 1, "{run:#}");
    for file in ["run.json", "run.csv"] {
        let compared = place.run(&format!("bench compare @{file} @{file}"));
        assert!(compared.code == 2 && compared.stderr.contains("run 1 is a failed one"), "{compared:?}");
    }
}
