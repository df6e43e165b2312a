//! A target that a closed loop never reaches is answered as fast as any other, with what would have to give.

use std::time::Duration;

use serde_json::Value;

use crate::bounds::confined::{File, run};

/// Four clients of which each waits: 50,000 tpmC would leave a transaction 2 ms.
fn few() -> File {
    File::changed("tpcc-5000.toml", "clients = 512", "clients = 4")
}

#[test]
fn plan_says_how_many_clients_or_which_latency_or_throughput_it_takes() {
    let (few, usual) = (few(), run(&["plan", "examples/tpcc-5000.toml"]));
    let run = run(&["plan", few.path()]);
    assert_eq!((usual.code, run.code), (Some(0), Some(1)), "{run:?}");
    for part in ["clients: they reach the rate if an operation takes", "throughput:", "clients: ", "instead of 4"] {
        assert!(run.stdout.contains(part), "`{part}` is not in: {}", run.stdout);
    }
    // It took fifty times as long.
    assert!(run.took < 15 * usual.took + Duration::from_secs(5), "{:?} beside {:?}", run.took, usual.took);
}

#[test]
fn check_says_how_many_clients_or_which_latency_it_takes() {
    let few = few();
    let args = ["check", "examples/tpcc-5000-m5.4xlarge.toml", few.path()];
    let run = run(&[&args[..], &["--json"]].concat());
    assert_eq!(run.code, Some(1), "{run:?}");
    let document: Value = serde_json::from_str(&run.stdout).unwrap();
    let short = &document["closed_loop"];
    assert_eq!(short["clients"], 4.0);
    assert!(short["clients_needed"].as_f64().unwrap() > 40.0, "{short}");
    assert!(short["latency"].as_f64().unwrap() > short["latency_needed"].as_f64().unwrap(), "{short}");
    let text = crate::bounds::confined::run(&args).stdout;
    assert!(text.contains("The 4 clients send") && text.contains("The target is reached with"), "{text}");
}

#[test]
fn enough_clients_are_no_matter() {
    let args = ["check", "examples/tpcc-5000-m5.4xlarge.toml", "examples/tpcc-5000.toml", "--json"];
    let run = run(&args);
    let document: Value = serde_json::from_str(&run.stdout).unwrap();
    assert!(document["closed_loop"].is_null(), "{document}");
}
