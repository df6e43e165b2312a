//! `--patience` holds while a cluster is built, however much happens in a virtual second, and for plans.

use std::time::Duration;

use crate::bounds::confined::{File, refused, run, unconfined};

/// What a debug program on a busy machine may take beyond the time that it was given.
const SLACK: Duration = Duration::from_secs(30);

#[test]
fn ten_thousand_nodes_are_rendered_and_checked_but_not_simulated() {
    let many = File::changed("raft-dedicated.toml", "count = 3", "count = 10000");
    let (path, workload) = (many.path(), "examples/social-inserts.toml");
    refused(
        &["simulate", path, workload],
        &["given.toml:", "10000 storage nodes are more than the 1000", "a part of them"],
    );
    let out = tempfile::tempdir().unwrap();
    let to = out.path().to_str().unwrap();
    for args in [&["render", path, "--out", to, "--only", "tiup,prometheus"][..], &["check", path, workload]] {
        let run = unconfined(args);
        assert!(matches!(run.code, Some(0 | 1)) && run.took < SLACK, "{run:?}");
    }
}

#[test]
fn a_thousand_nodes_are_given_up_after_what_patience_allows() {
    let many = File::changed("raft-dedicated.toml", "count = 3", "count = 1000");
    let args = ["simulate", many.path(), "examples/social-inserts.toml", "--for", "1h", "--patience", "4s"];
    let run = unconfined(&args);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.took < Duration::from_secs(4) + SLACK && run.stderr.contains("--patience"), "{run:?}");
}

#[test]
fn a_load_of_which_no_second_ends_is_given_up() {
    let much = File::changed("mix.toml", "5000..20000", "500000000");
    let args = ["simulate", "examples/raft-dedicated.toml", much.path(), "--for", "10m", "--patience", "5s"];
    let run = run(&args);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.took < Duration::from_secs(5) + SLACK && run.stderr.contains("--patience"), "{run:?}");
}

#[test]
fn a_thousand_nodes_are_simulated() {
    let many = File::changed("raft-dedicated.toml", "count = 3", "count = 1000");
    let run = unconfined(&["simulate", many.path(), "examples/social-inserts.toml", "--for", "1s", "--json"]);
    assert_eq!(run.code, Some(0), "{run:?}");
}

#[test]
fn plans_are_given_up_while_they_are_searched_and_while_futures_are_sampled() {
    for (more, patience, option) in [("--top=1000", "1ms", "--pin"), ("--futures=100000", "20s", "--futures")] {
        let run = run(&["plan", "examples/mix.toml", more, "--patience", patience]);
        assert_eq!(run.code, Some(2), "{run:?}");
        assert!(run.took < Duration::from_secs(20) + SLACK, "{run:?}");
        assert!(run.stderr.contains("--patience") && run.stderr.contains(option), "{run:?}");
    }
}
