//! `plan --prove` where it cannot be run: nothing is printed but why not.

use crate::end_to_end::common::{command, json, read};

/// Runs with programs named that are not there.
fn without_store(args: &[&str]) -> crate::end_to_end::common::Run {
    let mut command = command(args);
    command.env("DISKWRIGHT_STORE", "/nowhere/diskwright-store").env_remove("DISKWRIGHT_PD");
    read(command.output().unwrap())
}

#[test]
fn without_the_store_a_proof_is_refused_before_anything_is_printed() {
    let result = without_store(&["plan", "examples/mix.toml", "--prove", "1"]);
    assert_eq!((result.code, result.stdout.as_str()), (3, ""), "{}", result.stderr);
    assert!(result.stderr.contains("DISKWRIGHT_STORE names /nowhere"), "{}", result.stderr);
    assert_eq!(result.stderr.lines().count(), 1, "{}", result.stderr);
}

#[test]
fn a_workload_that_no_store_runs_is_bad_input_with_or_without_a_store() {
    for (workload, reason) in [("rds-inserts", "InnoDB"), ("tikv-node-iostat", "[measured]")] {
        let result = without_store(&["plan", &format!("examples/{workload}.toml"), "--prove", "1"]);
        assert_eq!((result.code, result.stdout.as_str()), (2, ""), "{workload}");
        assert!(result.stderr.contains(reason) && result.stderr.contains("leave --prove out"), "{}", result.stderr);
    }
}

#[test]
fn a_scratch_folder_without_a_proof_is_wrong_usage() {
    let result = without_store(&["plan", "examples/mix.toml", "--scratch", "/tmp"]);
    assert_eq!(result.code, 2);
    assert!(result.stderr.contains("--prove"), "{}", result.stderr);
}

#[test]
fn a_plan_in_json_says_that_nothing_was_proved() {
    let (code, answer) = json(&["plan", "examples/mix.toml", "--futures", "0"]);
    assert_eq!(code, 0);
    assert!(answer.as_object().unwrap().contains_key("prove") && answer["prove"].is_null());
}
