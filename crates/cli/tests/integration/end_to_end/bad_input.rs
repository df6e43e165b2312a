//! Wrong input of every kind: one message, with file and line where there is one, and exit code 2.

use std::path::{Path, PathBuf};

use crate::end_to_end::common::{json, run};

/// A file in a folder of its own, which lives as long as the value.
struct Bad {
    folder: tempfile::TempDir,
    path: PathBuf,
}

fn example(name: &str) -> String {
    std::fs::read_to_string(Path::new("../../examples").join(name)).unwrap()
}

fn file(bytes: &[u8]) -> Bad {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bad.toml");
    std::fs::write(&path, bytes).unwrap();
    Bad { folder, path }
}

/// Runs `verb` on an example in which `old` became `new`; gives the message without the path of the folder.
#[track_caller]
fn refused(verb: &str, name: &str, old: &str, new: &str) -> String {
    let text = example(name);
    assert!(text.contains(old), "{name} has no `{old}`");
    message(verb, &file(text.replacen(old, new, 1).as_bytes()))
}

#[track_caller]
fn message(verb: &str, bad: &Bad) -> String {
    let path = bad.path.to_str().unwrap();
    let result = run(&[verb, path]);
    let message = result.stderr.replace(&format!("{}/", bad.folder.path().display()), "");
    assert_eq!((result.code, result.stdout.as_str()), (2, ""), "{message}");
    assert!(message.starts_with("error: bad.toml") && message.lines().count() == 1, "{message}");
    let (code, document) = json(&[verb, path]);
    assert_eq!((code, document["error"]["exit_code"].as_i64()), (2, Some(2)));
    assert!(result.stderr.contains(document["error"]["message"].as_str().unwrap()));
    message
}

#[track_caller]
fn says(message: &str, parts: &[&str]) {
    for part in parts {
        assert!(message.contains(part), "`{part}` is not in: {message}");
    }
}

#[test]
fn an_unknown_key_suggests_the_known_one() {
    says(
        &refused("plan", "tpcc-5000.toml", "warehouses =", "warehoses ="),
        &["bad.toml:7:", "warehoses", "`warehouses`"],
    );
    says(&refused("check", "undeliverable.toml", "count", "cuont"), &["bad.toml:12:", "cuont", "`count`"]);
}

#[test]
fn an_unknown_unit_lists_the_known_ones() {
    says(&refused("plan", "tpcc-5000.toml", "800ms", "800msec"), &["bad.toml:13:", "`msec`", "ms"]);
    says(&refused("check", "undeliverable.toml", "16KiB", "16KiBs"), &["bad.toml:22:", "`KiBs`", "KiB"]);
}

#[test]
fn an_unknown_disk_type_suggests_the_nearest() {
    says(&refused("check", "undeliverable.toml", "gp3:", "gp33:"), &["bad.toml:14:", "`gp33`", "`gp3`"]);
}

#[test]
fn an_unknown_instance_suggests_the_nearest() {
    says(
        &refused("check", "undeliverable.toml", "r7a.xlarge\"", "r7a.xlrge\""),
        &["bad.toml:13:", "`r7a.xlrge`", "`r7a.xlarge`"],
    );
}

#[test]
fn an_unknown_region_suggests_the_nearest() {
    says(&refused("plan", "tpcc-5000.toml", "us-west-2", "us-wset-2"), &["bad.toml:4:", "`us-wset-2`", "`us-west-2`"]);
    says(&refused("check", "undeliverable.toml", "us-west-2", "us-wset-2"), &["bad.toml:7:", "`us-west-2`"]);
}

#[test]
fn more_iops_than_the_size_allows_is_refused() {
    let message = refused("check", "undeliverable.toml", "gp3:100GiB,13600iops", "gp3:10GiB,13600iops");
    says(&message, &["bad.toml:14:", "13600", "500", "5000"]);
}

#[test]
fn more_iops_than_the_type_has_is_refused() {
    let message = refused("check", "undeliverable.toml", "gp3:100GiB,13600iops", "gp3:1000GiB,90000iops");
    says(&message, &["bad.toml:14:", "90000", "80000"]);
}

#[test]
fn more_throughput_than_a_quarter_of_the_iops_is_refused() {
    let message = refused("check", "undeliverable.toml", "13600iops,125MiB/s", "3000iops,800MiB/s");
    says(&message, &["bad.toml:14:", "800", "750"]);
}

#[test]
fn negative_and_empty_intervals_are_refused() {
    says(&refused("plan", "mix.toml", "5000..20000", "-5..20000"), &["bad.toml:", "out of range"]);
    says(&refused("plan", "mix.toml", "5000..20000", "20000..5000"), &["bad.toml:", "empty", "`5000..20000`"]);
    says(&refused("plan", "tpcc-5000.toml", "= 50000", "= -50000"), &["bad.toml:11:"]);
    says(&refused("plan", "tpcc-5000.toml", "= 50000", "= \"\""), &["bad.toml:11:"]);
}

#[test]
fn text_that_is_no_toml_is_pointed_at() {
    says(&refused("plan", "tpcc-5000.toml", "[tpcc]", "[tpcc"), &["bad.toml:6:"]);
}

#[test]
fn bytes_that_are_no_text_are_pointed_at() {
    says(&message("plan", &file(b"name = \"x\"\nengine = \"\xFF\"\n")), &["bad.toml:2:11", "UTF-8"]);
}

#[test]
fn a_file_of_100_mb_is_refused_by_its_size() {
    let bad = file(b"");
    std::fs::File::options().write(true).open(&bad.path).unwrap().set_len(100_000_000).unwrap();
    says(&message("plan", &bad), &["95.4MiB", "at most 1MiB"]);
    says(&message("check", &bad), &["95.4MiB"]);
}

#[test]
fn a_missing_file_suggests_a_neighbour_and_a_folder_is_none() {
    let missing = run(&["plan", "examples/tpcc-500.toml"]);
    assert_eq!(missing.code, 2);
    says(&missing.stderr, &["error: examples/tpcc-500.toml", "no such file", "tpcc-5000.toml"]);
    let folder = run(&["check", "examples"]);
    assert_eq!(folder.code, 2);
    says(&folder.stderr, &["error: examples: is a folder"]);
}

#[test]
fn a_deployment_without_any_load_is_told_whether_its_parts_fit() {
    let result = run(&["check", "examples/tpcc-5000-m5.4xlarge.toml"]);
    assert_eq!(result.code, 0);
    says(&result.stdout, &["It fits", "a month"]);
}

#[test]
fn a_workload_of_another_engine_is_refused() {
    let result = run(&["check", "examples/rds-gp2.toml", "examples/tpcc-5000.toml"]);
    assert_eq!(result.code, 2);
    says(&result.stderr, &["examples/tpcc-5000.toml:", "TiKV", "InnoDB"]);
}

#[test]
fn wrong_options_are_refused_with_a_suggestion() {
    let plan = |args: &[&str]| {
        let result = run(&[&["plan", "examples/tpcc-5000.toml"], args].concat());
        assert_eq!((result.code, result.stdout.as_str()), (2, ""), "{args:?}: {}", result.stderr);
        result.stderr
    };
    says(&plan(&["--region", "us-wset-2"]), &["error: ", "`us-west-2`"]);
    says(&plan(&["--as-of", "last year"]), &["not a date", "2020-11-25"]);
    says(&plan(&["--pin", "instance"]), &["not a pin", "instance=m5.4xlarge"]);
    says(&plan(&["--pin", "instance=m5.4xlrge"]), &["`m5.4xlarge`"]);
    says(&plan(&["--exclude", "gp33"]), &["`gp3`"]);
    says(&plan(&["--max-usd", "-5"]), &["max-usd"]);
    says(&plan(&["--top", "0"]), &["--top"]);
    says(&plan(&["--regoin", "x"]), &["--region"]);
    says(&run(&["claims", "--id", "A99"]).stderr, &["error: no claim is called `A99`"]);
    says(&run(&["availability", "--nodes", "1"]).stderr, &["error: the number of nodes is 1; expected 3"]);
    says(&run(&["availability", "--durability", "0%"]).stderr, &["error: the durability"]);
}

#[test]
fn wrong_usage_is_json_too_where_json_was_asked_for() {
    let (code, document) = json(&["plan"]);
    assert_eq!((code, document["error"]["exit_code"].as_i64()), (2, Some(2)));
    assert!(!document["error"]["message"].as_str().unwrap().is_empty());
}

#[test]
fn output_that_cannot_be_written_is_the_environments_fault() {
    let bad = file(b"");
    let out = bad.path.join("below a file");
    let result = run(&["plan", "examples/rds-inserts.toml", "--out", out.to_str().unwrap()]);
    assert_eq!(result.code, 3, "{}", result.stderr);
    says(&result.stderr, &["error: ", "below a file"]);
}
