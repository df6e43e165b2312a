//! `bench --events`, `--values` and `compare --out` where they cannot be run: refused before anything is started.

use crate::end_to_end::common::{command, read, run};

const SHARED: &str = "examples/raft-shared.toml";
const YCSB: &str = "examples/ycsb-a-uniform.toml";

/// Runs events, each a line of TOML at a second, with a store named that is not there.
fn refused(lines: &[(u64, &str)], args: &[&str]) -> (i32, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("e.toml");
    let event = |(at, line): &(u64, &str)| format!("[[events]]\nat = \"{at}s\"\n{line}\n");
    std::fs::write(&path, lines.iter().map(event).collect::<String>()).unwrap();
    let mut command = command(&[&["bench"], args, &["--events", path.to_str().unwrap()]].concat());
    command.env("DISKWRIGHT_STORE", "/nowhere/diskwright-store").env_remove("DISKWRIGHT_PD");
    let run = read(command.output().unwrap());
    assert_eq!(run.stdout, "", "{}", run.stderr);
    (run.code, run.stderr)
}

#[track_caller]
fn says(lines: &[(u64, &str)], args: &[&str], parts: &[&str]) {
    let (code, message) = refused(lines, args);
    assert!(code == 2 && message.lines().count() == 1, "{code}: {message}");
    for part in parts {
        assert!(message.contains(part), "`{part}` is not in: {message}");
    }
}

#[test]
fn events_that_bench_cannot_make_are_refused_before_a_store_is_looked_for() {
    let on = [YCSB, "--on", SHARED, "--records", "1k", "--rate", "100"];
    says(&[(1, "modify = \"n1/data gp3:2000GiB\"")], &on, &["e.toml:3:10", "`events.0.modify`", "simulate"]);
    says(&[(1, "load = 2"), (2, "fault = \"n9/data stall 1s\"")], &on, &["e.toml:6:9", "no node is called `n9`"]);
    says(&[(600, "load = 2")], &on, &["e.toml:2:6", "never happens", "--most"]);
    says(&[(1, "lod = 2")], &on, &["e.toml:3:1", "`lod`", "`load`"]);
    // With nothing wrong the store is looked for, and not found.
    let (code, message) = refused(&[(1, "load = 2")], &on);
    assert!(code == 3 && message.contains("DISKWRIGHT_STORE names /nowhere"), "{code}: {message}");
}

#[test]
fn a_cluster_that_is_there_is_not_hurt_and_a_sql_database_has_no_events() {
    let there = [YCSB, "--db", "tikv://127.0.0.1:1", "--records", "1k"];
    says(&[(1, "node-down = \"n1\"")], &there, &["e.toml:3:13", "tikv://127.0.0.1:1", "--on"]);
    let sql = ["examples/rds-inserts.toml", "--db", "mysql://u@127.0.0.1:1/s"];
    says(&[(1, "load = 2")], &sql, &["--events", "raw keys"]);
}

#[test]
fn events_are_of_one_run() {
    let (code, message) = refused(&[(1, "load = 2")], &[YCSB, "--on", SHARED, "--runs", "2"]);
    assert!(code == 2 && message.contains("--runs") && message.contains("--events"), "{message}");
}

#[test]
fn sizes_of_values_that_make_no_sense_are_refused_with_what_is_expected() {
    for (given, expected) in [
        ("1KiB..64KiB", "does not say how sizes are drawn"),
        ("unifrom:1KiB..64KiB", "did you mean `uniform`?"),
        ("zipfian:2KiB..1KiB", "write the lower end first"),
        ("0B", "expected at least one byte"),
    ] {
        let run = run(&["bench", YCSB, "--on", SHARED, "--values", given]);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{}", run.stderr);
        for part in [given, "--values <DISTRIBUTION>", expected, "zipfian:100B..32KiB"] {
            assert!(run.stderr.contains(part), "`{part}` is not in: {}", run.stderr);
        }
    }
}

#[test]
fn what_is_for_raw_keys_is_refused_on_a_sql_database() {
    let url = "mysql://u@127.0.0.1:1/s";
    for given in [&["--values", "4KiB"][..], &["--gzip"], &["--zone", "a"]] {
        let run = run(&[&["bench", "examples/rds-inserts.toml", "--db", url], given].concat());
        let expected = format!("{} is for raw keys", given[0]);
        assert!(run.code == 2 && run.stderr.contains(&expected), "{}: {}", run.code, run.stderr);
    }
}

#[test]
fn runs_of_a_comparison_are_not_kept_among_those_of_another() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let sides = [SHARED, "examples/raft-dedicated.toml"];
    let compared = || {
        let more = ["--workload", YCSB, "--records", "1k", "--out", out];
        let mut command = command(&[&["bench", "compare"][..], &sides[..], &more[..]].concat());
        command.env("DISKWRIGHT_STORE", "/nowhere/diskwright-store").env_remove("DISKWRIGHT_PD");
        read(command.output().unwrap())
    };
    // Twice: folders without a run in them are used again, and only then a store is looked for.
    for _ in 0..2 {
        let run = compared();
        assert!(run.code == 3 && run.stderr.contains("DISKWRIGHT_STORE names /nowhere"), "{}", run.stderr);
    }
    std::fs::write(folder.path().join("b/run-1.parquet"), "").unwrap();
    let run = compared();
    assert!(run.code == 2 && run.stderr.contains("/b holds files already"), "{}: {}", run.code, run.stderr);
    let (a, b) = (folder.path().join("a"), folder.path().join("b"));
    let run = read(command(&["bench", "compare", a.to_str().unwrap(), b.to_str().unwrap()]).output().unwrap());
    assert!(run.code == 2 && run.stderr.contains("has no .parquet file"), "{}: {}", run.code, run.stderr);
}
