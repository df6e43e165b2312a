//! Numbers of options that size memory or time.

use std::time::Duration;

use crate::bounds::confined::{refused, run};

const PAIR: [&str; 2] = ["examples/raft-dedicated.toml", "examples/social-inserts.toml"];

/// Each of these is refused by a message that names the option or what it stands for.
#[track_caller]
fn each_refused(verb: &[&str], options: &[(&str, &str, &str)]) {
    for (option, value, part) in options {
        let name = option.trim_start_matches('-');
        let run = run(&[verb, &[option, value]].concat());
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{verb:?} {option} {value}: {run:?}");
        assert!(run.stderr.contains(name) || run.stderr.contains(part), "{verb:?} {option}: {}", run.stderr);
        assert!(run.stderr.contains(part), "{verb:?} {option}: `{part}` is not in: {}", run.stderr);
        assert!(run.took < Duration::from_secs(10), "{run:?}");
    }
}

#[test]
fn options_of_the_model_have_bounds() {
    each_refused(
        &["availability"],
        &[
            ("--nodes", "4294967295", "3 to 10000"),
            ("--zones", "4294967295", "1 to 3"),
            ("--replicas", "4294967295", "1 to 5"),
            ("--volumes", "4294967295", "1 to 64"),
        ],
    );
    each_refused(
        &["plan", "examples/mix.toml"],
        &[
            ("--futures", "4294967295", "100000"),
            ("--top", "65535", "1000"),
            ("--prove", "65535", "100"),
            ("--pin", "nodes=4294967295", "choose from 3 to 30 nodes"),
        ],
    );
}

#[test]
fn options_of_the_simulation_have_bounds() {
    each_refused(
        &["simulate", PAIR[0], PAIR[1]],
        &[
            ("--for", "213503d", "at most a hundred years"),
            ("--sweep", "clients=4294967295", "1 to 1000000"),
            ("--sweep", "nodes=4294967295", "1 to 1000000"),
            ("--sweep", "replicas=1000000", "more than 9"),
            ("--sweep", "throughput=1e300", "one each nanosecond"),
            ("--sweep", "block-size=16383PiB", "32MiB"),
        ],
    );
    let seeds: Vec<String> = (0..1001).map(|seed| seed.to_string()).collect();
    let sweep = format!("seed={}", seeds.join(","));
    refused(&["simulate", PAIR[0], PAIR[1], "--sweep", &sweep], &["1001 runs are more than 1000"]);
}

#[test]
fn options_of_measured_runs_have_bounds_before_anything_is_reached_or_started() {
    let bench = ["bench", "examples/ycsb-a-uniform.toml", "--db", "tikv://127.0.0.1:1"];
    each_refused(
        &bench,
        &[
            ("--clients", "4294967295", "1 to 1000000"),
            ("--rate", "1e300", "at most 30000000"),
            ("--records", "1e300", "expected at most"),
            ("--regions", "4294967295", "1024"),
            ("--runs", "4294967295", "1000"),
        ],
    );
    each_refused(
        &["bench", "compare", PAIR[0], PAIR[0], "--workload", PAIR[1]],
        &[("--pairs", "4294967295", "100"), ("--clients", "4294967295", "1 to 1000000")],
    );
}

#[test]
fn whoever_looks_again_and_again_rests_in_between() {
    for every in ["0s", "213503d"] {
        let watch = format!("--watch={every}");
        refused_by_clap(&["diagnose", "iostat", "examples/tikv-node-iostat.txt", "--interval", "1s", &watch], "10ms");
        refused_by_clap(&["pilot", "run", "--pd", "127.0.0.1:1", "--every", every], "10ms");
    }
}

/// Arguments that are refused before anything is done: usage takes lines of its own.
#[track_caller]
fn refused_by_clap(args: &[&str], part: &str) {
    let run = run(args);
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{args:?}: {run:?}");
    assert!(run.stderr.contains(part), "{args:?}: `{part}` is not in: {}", run.stderr);
}

#[test]
fn tens_of_thousands_of_futures_fit_into_memory() {
    let run = run(&["plan", "examples/ycsb-a-uniform.toml", "--futures", "20000", "--json"]);
    assert!(matches!(run.code, Some(0 | 1)), "{run:?}");
}
