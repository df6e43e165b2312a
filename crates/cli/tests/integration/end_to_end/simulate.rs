//! `simulate`: runs, sweeps, events, what they leave on the disk, and what is refused.

use std::path::Path;

use serde_json::Value;

use crate::end_to_end::common::{Run, json, run};

const SHARED: &str = "examples/raft-shared.toml";
const OWN: &str = "examples/raft-dedicated.toml";
const INSERTS: &str = "examples/social-inserts.toml";
/// Enough for a run to be measured, and no more.
const SHORT: [&str; 2] = ["--for", "4s"];

fn simulated(args: &[&str]) -> (i32, Value) {
    json(&[&["simulate"], args, &SHORT].concat())
}

fn refused(args: &[&str]) -> String {
    let Run { code, stdout, stderr } = run(&[&["simulate"], args].concat());
    assert_eq!((code, stdout.as_str()), (2, ""), "{args:?}: {stderr}");
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    stderr
}

fn says(message: &str, parts: &[&str]) {
    for part in parts {
        assert!(message.contains(part), "`{part}` is not in: {message}");
    }
}

/// A file with this content, in a folder that lives as long as the value.
fn file(content: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file.toml");
    std::fs::write(&path, content).unwrap();
    let path = path.to_str().unwrap().to_owned();
    (folder, path)
}

fn without_time(mut answer: Value) -> Value {
    answer["elapsed_ms"] = Value::Null;
    answer["simulated_per_second"] = Value::Null;
    answer
}

#[test]
fn a_run_says_what_it_carried_and_what_held_it_up() {
    let Run { code, stdout, .. } = run(&[&["simulate", OWN, INSERTS], &SHORT[..]].concat());
    assert_eq!(code, 0);
    says(&stdout, &["Carried: ", "inserts/s", "latency, p99", "What held operations up", "4 s simulated in"]);
    assert!(stdout.lines().all(|line| line.chars().count() <= 100), "{stdout}");
}

#[test]
fn the_same_seed_gives_the_same_answer() {
    let answer = || without_time(simulated(&[OWN, INSERTS, "--seed", "7"]).1);
    assert_eq!(answer(), answer());
    assert_ne!(answer(), without_time(simulated(&[OWN, INSERTS, "--seed", "8"]).1));
}

#[test]
fn a_folder_gets_series_summary_and_a_page_that_fetches_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let (code, answer) = simulated(&[OWN, INSERTS, "--out", out.to_str().unwrap()]);
    assert_eq!(code, 0);
    let summary: Value = serde_json::from_str(&std::fs::read_to_string(out.join("summary.json")).unwrap()).unwrap();
    assert_eq!(summary["throughput"], answer["throughput"]);
    let timeline = timeline::Timeline::read(out.join("timeline.parquet")).unwrap();
    assert!(timeline.series.iter().any(|series| series.name == "held_up_time"));
    let page = std::fs::read_to_string(out.join("report.html")).unwrap();
    says(
        &page,
        &[
            "Throughput",
            "Latency of operations",
            "I/Os of the data disk",
            "Throughput of the log disk",
            "wait for compaction",
        ],
    );
    says(&page, &["diskwright simulate examples/raft-dedicated.toml", "List prices of us-west-2", "days old"]);
    says(&page, &["prefers-color-scheme: dark", "Carried: ", "not held against the reference store yet"]);
}

#[test]
fn a_file_gets_the_series_in_the_format_of_its_ending() {
    let folder = tempfile::tempdir().unwrap();
    let paths = ["run.parquet", "run.json", "run.csv"].map(|name| folder.path().join(name));
    for path in &paths {
        assert_eq!(simulated(&[OWN, INSERTS, "--out", path.to_str().unwrap()]).0, 0);
    }
    let [parquet, json, csv] = paths.map(|path| timeline::Timeline::read(path).unwrap().series.len());
    assert!(parquet > 0 && parquet == json && parquet == csv);
    says(&refused(&[OWN, INSERTS, "--out", "run.txt"]), &["run.txt", ".parquet", "folder"]);
}

#[test]
fn a_sweep_runs_every_combination_and_prices_each() {
    let sweep = ["--sweep", "raft-disk=shared,own", "--sweep", "block-size=4KiB,64KiB"];
    let (code, answer) = simulated(&[&[SHARED, INSERTS][..], &sweep].concat());
    assert_eq!(code, 0);
    let runs = answer["runs"].as_array().unwrap();
    let text = |run: &Value, name: &str| run["choices"][name].as_str().unwrap().to_owned();
    let choices: Vec<_> = runs.iter().map(|run| text(run, "raft-disk") + " " + &text(run, "block-size")).collect();
    assert_eq!(choices, ["shared 4KiB", "shared 64KiB", "own 4KiB", "own 64KiB"]);
    for run in runs {
        assert!(run["throughput"].as_f64().unwrap() > 0.0 && run["latency_ms"]["p99"].as_f64().unwrap() > 0.0);
        let usd = &run["usd"];
        let parts = usd["machines"].as_f64().unwrap() + usd["transfer"].as_f64().unwrap();
        assert!((parts - usd["monthly"].as_f64().unwrap()).abs() < 1e-6);
        assert!(usd["per_million"].as_f64().unwrap() > 0.0);
    }
    let [shared, own] = [&runs[0], &runs[2]].map(|run| run["usd"]["machines"].as_f64().unwrap());
    assert!(own > shared, "a disk more costs more");
    // A run of a sweep is the run that it is alone.
    let alone = simulated(&[SHARED, INSERTS, "--sweep", "raft-disk=own", "--sweep", "block-size=4KiB"]).1;
    assert_eq!(alone["runs"][0], runs[2]);
}

#[test]
fn a_sweep_is_a_table_of_a_hundred_columns_and_a_page_with_a_chart() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("sweep");
    let disks = "data-disk=gp3:1000GiB,6000iops,250MiB/s,io2:1000GiB,8000iops";
    let args = ["simulate", OWN, INSERTS, "--sweep", disks, "--sweep", "clients=30,90", "--out", out.to_str().unwrap()];
    let Run { code, stdout, stderr } = run(&[&args[..], &SHORT].concat());
    assert_eq!(code, 0, "{stderr}");
    says(&stdout, &["Most: ", "Cheapest: $", "$/month", "$/million", "gp3:1000GiB,6000iops,250MiB/s, clients 90"]);
    assert!(stdout.lines().all(|line| line.chars().count() <= 100), "{stdout}");
    let page = std::fs::read_to_string(out.join("report.html")).unwrap();
    says(&page, &["What the settings do", "$ a month", "io2:1000GiB,8000iops", "data-disk"]);
    assert!(out.join("summary.json").exists());
}

#[test]
fn what_a_sweep_does_not_know_is_refused_with_what_it_does() {
    let sweep = |text: &str| refused(&[SHARED, INSERTS, "--sweep", text]);
    says(&sweep("blok-size=4KiB"), &["`blok-size`", "did you mean `block-size`"]);
    says(&sweep("colour=red"), &["`colour`", "block-size", "raft-disk", "clients"]);
    says(&sweep("block-size=4KoB"), &["`4KoB`", "16KiB"]);
    says(&sweep("block-size"), &["`block-size`", "expected a setting and its values"]);
    says(&refused(&[SHARED, INSERTS, "--sweep", "seed=1,2", "--out", "x.parquet"]), &["x.parquet", "folder"]);
}

#[test]
fn runs_of_a_sweep_that_cannot_start_say_why_beside_those_that_can() {
    let (code, answer) = simulated(&[SHARED, INSERTS, "--sweep", "data-disk=gp3:1000GiB,gp3:10GiB"]);
    assert_eq!(code, 0);
    assert!(answer["runs"][0]["throughput"].is_number());
    says(answer["runs"][1]["refused"].as_str().unwrap(), &["larger disk"]);
    says(
        &refused(&[SHARED, INSERTS, "--sweep", "data-disk=gp3:10GiB,gp3:11GiB"]),
        &["raft-shared.toml:", "larger disk"],
    );
}

#[test]
fn events_happen_and_are_marked() {
    let events = "[[events]]\nat = \"2s\"\nfault = \"all/log stall 1s\"\n[[events]]\nat = \"3s\"\nload = 0.5\n";
    let (_keep, path) = file(events);
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("run");
    let (code, hurt) = simulated(&[OWN, INSERTS, "--events", &path, "--out", out.to_str().unwrap()]);
    assert_eq!(code, 0);
    let healthy = simulated(&[OWN, INSERTS]).1;
    assert!(hurt["throughput"].as_f64() < healthy["throughput"].as_f64());
    let bound = hurt["bound"].as_array().unwrap();
    assert!(bound.iter().any(|bound| bound["what"] == "log disk: fault"), "{bound:?}");
    let page = std::fs::read_to_string(out.join("report.html")).unwrap();
    says(&page, &["What happened", "all/log stall 1s", "load 0.5", "\"marks\":[{"]);
    let timeline = timeline::Timeline::read(out.join("timeline.parquet")).unwrap();
    assert_eq!(timeline.about.notes["events"], events);
}

#[test]
fn the_example_of_events_is_taken_by_its_deployment() {
    // A second before the first event: all are held against the deployment at the beginning.
    let args = ["simulate", OWN, INSERTS, "--events", "examples/events.toml", "--for", "1m"];
    says(&refused(&args[1..]), &["events.toml", "never happens", "--for"]);
}

#[test]
fn an_event_that_cannot_be_is_refused_with_file_line_and_key() {
    let event = |line: &str| {
        let (_keep, path) = file(&format!("[[events]]\nat = \"1s\"\n{line}\n"));
        refused(&[SHARED, INSERTS, "--events", &path])
    };
    says(&event("fault = \"n1/data slo 20x\""), &["file.toml:3:9", "`events.0.fault`", "did you mean `slow`"]);
    says(&event("fault = \"n9/data slow 20x\""), &["file.toml:3:9", "`n9`", "n1 to n3"]);
    says(&event("lod = 2"), &["file.toml:3:1", "`lod`", "`load`"]);
    says(&event("zone-down = \"q\""), &["file.toml:3:13", "a to c"]);
    says(&event("modify = \"n1/data gp3:1GiB\""), &["file.toml:3:10", "shrink"]);
    says(&event("setting = \"rocksdb.block-size = 1\""), &["file.toml:3:11", "while it runs"]);
}

#[test]
fn a_deployment_that_cannot_start_is_refused_with_the_reason_at_its_line() {
    let original = std::fs::read_to_string(Path::new("../..").join(SHARED)).unwrap();
    let changed = |old: &str, new: &str| {
        assert!(original.contains(old));
        let (_keep, path) = file(&original.replace(old, new));
        refused(&[&path, INSERTS])
    };
    says(&changed("data = \"gp3:1000GiB\"", ""), &["file.toml:", "needs a data disk"]);
    says(&changed("gp3:1000GiB", "gp3:50GiB"), &["file.toml:", "the data of a node are", "larger disk"]);
    says(&changed("zones = 3", "zones = 9"), &["file.toml:", "zones"]);
    let (_keep, path) = file(&(original.clone() + "[settings]\nblock-size = \"64MiB\"\n"));
    says(&refused(&[&path, INSERTS]), &["file.toml:", "`settings.block-size`", "largest with which TiKV starts"]);
    let (_keep, path) = file(&(original.clone() + "log = \"gp3:5GiB\"\n"));
    says(&refused(&[&path, INSERTS]), &["file.toml:", "raft log grows to 10GiB"]);
    says(&refused(&[SHARED, "examples/rds-inserts.toml"]), &["InnoDB", "TiKV"]);
    says(&refused(&[SHARED, INSERTS, "--for", "0s"]), &["simulated time is"]);
}

#[test]
fn a_load_that_is_not_carried_is_called_saturated_and_has_no_latency() {
    let args = [SHARED, INSERTS, "--sweep", "throughput=200000"];
    let (code, answer) = simulated(&args);
    assert_eq!(code, 1);
    let run = &answer["runs"][0];
    assert!(run["saturated"]["carried"].as_f64() < run["saturated"]["offered"].as_f64());
    assert!(run["latency_ms"].is_null());
    let Run { code, stdout, .. } = run_text(&args);
    assert_eq!(code, 1);
    says(&stdout, &["saturated"]);
}

fn run_text(args: &[&str]) -> Run {
    run(&[&["simulate"], args, &SHORT].concat())
}

#[test]
fn years_are_refused_after_some_seconds_with_how_long_they_would_take() {
    let message = refused(&[OWN, INSERTS, "--for", "36500d"]);
    says(&message, &["would take about", "--for", "--patience"]);
    let sweep = refused(&[OWN, INSERTS, "--for", "36500d", "--sweep", "seed=1,2"]);
    says(&sweep, &["would take about"]);
}
