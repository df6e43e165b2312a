//! The commands that the README promises, through the binary.

use crate::end_to_end::common::{json, run};
use serde_json::Value;

const WORKLOADS: [&str; 6] = [
    "examples/tpcc-5000.toml",
    "examples/social-inserts.toml",
    "examples/rds-inserts.toml",
    "examples/tikv-node-iostat.toml",
    "examples/ycsb-a-uniform.toml",
    "examples/mix.toml",
];

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().map(|object| object.keys().map(String::as_str).collect()).unwrap_or_default()
}

fn has_keys(value: &Value, expected: &[&str]) {
    for key in expected {
        assert!(keys(value).contains(key), "`{key}` is not among {:?}", keys(value));
    }
}

#[test]
fn every_example_workload_has_a_plan() {
    for workload in WORKLOADS {
        let result = run(&["plan", workload, "--futures", "20"]);
        assert_eq!((result.code, result.stderr.as_str()), (0, ""), "{workload}");
        assert!(result.stdout.starts_with("The cheapest deployment costs $"), "{workload}: {}", result.stdout);
        assert!(result.stdout.contains("Why not") && result.stdout.contains("Not covered:"), "{workload}");
    }
}

#[test]
fn a_plan_in_json_has_the_promised_keys_and_adds_up() {
    let (code, answer) = json(&["plan", "examples/tpcc-5000.toml"]);
    assert_eq!(code, 0);
    has_keys(
        &answer,
        &["elapsed_ms", "considered", "pruned", "plans", "why_not", "closest", "shortfalls", "uncertainty"],
    );
    let plans = answer["plans"].as_array().unwrap();
    assert_eq!(plans.len(), 5);
    for plan in plans {
        has_keys(plan, &["monthly_usd", "usd", "predicted", "bottleneck", "deployment"]);
        has_keys(&plan["predicted"], &["throughput", "unit", "p50_ms", "p99_ms"]);
        let parts = ["compute", "disks", "transfer"].map(|part| plan["usd"][part].as_f64().unwrap());
        assert!((parts.iter().sum::<f64>() - plan["monthly_usd"].as_f64().unwrap()).abs() < 1e-6);
        assert!(plan["predicted"]["throughput"].as_f64().unwrap() >= 50_000.0);
        assert!(plan["predicted"]["p99_ms"].as_f64().unwrap() <= 800.0);
    }
    let costs: Vec<f64> = plans.iter().map(|plan| plan["monthly_usd"].as_f64().unwrap()).collect();
    assert!(costs.is_sorted(), "{costs:?}");
    assert!(answer["why_not"].as_array().unwrap().iter().any(|why| why["kind"] == "disk" && why["name"] == "io1"));
}

#[test]
fn an_uncertain_workload_tells_the_odds_of_each_plan() {
    let (_, answer) = json(&["plan", "examples/mix.toml", "--futures", "50", "--seed", "7"]);
    let uncertainty = &answer["uncertainty"];
    assert_eq!(uncertainty["futures"], 50);
    let plans = answer["plans"].as_array().unwrap().len();
    assert_eq!(uncertainty["odds_of_missing"].as_array().unwrap().len(), plans);
    let (_, again) = json(&["plan", "examples/mix.toml", "--futures", "50", "--seed", "7"]);
    assert_eq!(&again["uncertainty"], uncertainty, "the same seed gives the same answer");
}

#[test]
fn pins_excludes_and_budgets_are_kept() {
    let tpcc = "examples/tpcc-5000.toml";
    let (_, pinned) = json(&["plan", tpcc, "--pin", "instance=m5.4xlarge", "--pin", "disk=gp3", "--exclude", "nvme"]);
    for plan in pinned["plans"].as_array().unwrap() {
        let nodes = &plan["deployment"]["nodes"][0];
        assert_eq!(nodes["instance"], "m5.4xlarge");
        let data = nodes["data"].as_str().unwrap();
        assert!(data.contains("gp3") && !data.contains("nvme"), "{data}");
    }
    let cheapest = json(&["plan", tpcc]).1["plans"][0]["monthly_usd"].as_f64().unwrap();
    let limit = format!("{}", cheapest.floor());
    assert_eq!(run(&["plan", tpcc, "--max-usd", &limit]).code, 1);
    let (code, few) = json(&["plan", tpcc, "--top", "2", "--max-usd", &format!("{}", cheapest.ceil())]);
    assert!(code == 0 && few["plans"].as_array().unwrap().len() <= 2);
}

#[test]
fn a_target_out_of_reach_exits_1_with_the_closest_and_what_falls_short() {
    let workload = std::fs::read_to_string("../../examples/tpcc-5000.toml").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("hasty.toml");
    std::fs::write(&path, workload.replace("800ms", "110ms")).unwrap();
    let path = path.to_str().unwrap();
    let text = run(&["plan", path]);
    assert_eq!(text.code, 1);
    assert!(text.stdout.starts_with("No deployment in the catalogue meets the targets."), "{}", text.stdout);
    let (code, answer) = json(&["plan", path]);
    assert_eq!((code, answer["plans"].as_array().unwrap().len()), (1, 0));
    assert!(answer["closest"]["monthly_usd"].as_f64().unwrap() > 0.0);
    assert!(!answer["shortfalls"].as_array().unwrap().is_empty());
}

#[test]
fn out_writes_a_report_and_deployments_that_check_fine() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("made/here");
    let result = run(&["plan", "examples/tpcc-5000.toml", "--top", "3", "--out", out.to_str().unwrap()]);
    assert_eq!(result.code, 0, "{}", result.stderr);
    let mut names: Vec<String> =
        out.read_dir().unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names.len(), 4, "{names:?}");
    assert_eq!(names.pop().unwrap(), "report.html");
    for name in names {
        let path = out.join(&name);
        let check = run(&["check", path.to_str().unwrap()]);
        assert_eq!(check.code, 0, "{name}: {}{}", check.stdout, check.stderr);
    }
    let page = std::fs::read_to_string(out.join("report.html")).unwrap();
    for part in [
        "What throughput costs, by kind of disk",
        "asked: 50,000 tpmC",
        "diskwright plan examples/tpcc-5000.toml --top 3",
    ] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn an_undeliverable_deployment_exits_1_and_names_the_limits() {
    let (code, report) = json(&["check", "examples/undeliverable.toml"]);
    assert_eq!((code, &report["deliverable"]), (1, &Value::Bool(false)));
    let violations = report["violations"].as_array().unwrap();
    for violation in violations {
        has_keys(violation, &["limit", "asked", "delivered", "unit", "burst_seconds"]);
    }
    let limits: Vec<&str> = violations.iter().filter_map(|violation| violation["limit"].as_str()).collect();
    assert!(limits.contains(&"volume-throughput") && limits.contains(&"instance-iops"), "{limits:?}");
    let text = run(&["check", "examples/undeliverable.toml"]);
    assert_eq!(text.code, 1);
    assert!(text.stdout.starts_with("Not deliverable: volume throughput, instance IOPS"), "{}", text.stdout);
}

#[test]
fn a_deployment_is_checked_against_a_workload() {
    let (_, small) = json(&["check", "examples/tpcc-5000-m5.2xlarge.toml", "examples/tpcc-5000.toml"]);
    let (_, large) = json(&["check", "examples/tpcc-5000-m5.4xlarge.toml", "examples/tpcc-5000.toml"]);
    let share = |report: &Value, limit: &str| {
        let lines = report["limits"].as_array().unwrap();
        lines.iter().find(|line| line["limit"] == limit).and_then(|line| line["utilisation"].as_f64()).unwrap()
    };
    assert!(share(&small, "instance-throughput") > share(&large, "instance-throughput"));
    assert!(share(&small, "cpu") > share(&large, "cpu"));
}

#[test]
fn claims_exit_with_what_their_verdicts_say() {
    let (code, ledger) = json(&["claims"]);
    let median = ledger["median_error"].as_f64().unwrap();
    let first = format!("Median error {:.1} %, ", median * 100.0);
    assert!(run(&["claims"]).stdout.starts_with(&first), "{first}");
    let claims = ledger["claims"].as_array().unwrap();
    for claim in claims {
        has_keys(
            claim,
            &["id", "source", "rung", "metric", "published", "ours", "relative_error", "distance", "holds"],
        );
    }
    let fails = claims.iter().any(|claim| claim["holds"] == Value::Bool(false));
    assert_eq!(code, i32::from(fails));
    assert_eq!(run(&["claims"]).code, code);
    let (one, only) = json(&["claims", "--id", "A02"]);
    assert_eq!((one, only["claims"].as_array().unwrap().len()), (0, 1));
    let (_, models) = json(&["claims", "--rung", "model"]);
    assert!(models["claims"].as_array().unwrap().iter().all(|claim| claim["rung"] == "model"));
}

#[test]
fn every_table_of_the_catalogue_is_shown_with_sources() {
    for (table, filter) in
        [("disks", "gp3"), ("instances", "m5.4xlarge"), ("prices", "m5.4xlarge"), ("transfer", "aws")]
    {
        let (code, rows) = json(&["catalog", table, "--filter", filter]);
        let rows = rows[table].as_array().unwrap();
        assert!(code == 0 && !rows.is_empty(), "{table}");
        assert!(rows.iter().all(|row| row["source"].as_str().is_some_and(|s| !s.is_empty())), "{table}");
        assert_eq!(run(&["catalog", table, "--filter", filter]).code, 0);
    }
    assert_eq!(run(&["catalog", "disks", "--filter", "floppy"]).code, 1);
}

#[test]
fn the_catalogue_goes_back_in_time() {
    let (_, then) = json(&["catalog", "disks", "--as-of", "2020-11"]);
    let (_, now) = json(&["catalog", "disks"]);
    let names = |rows: &Value| -> Vec<String> {
        rows["disks"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap().to_owned()).collect()
    };
    assert!(!names(&then).contains(&"gp3".to_owned()) && names(&now).contains(&"gp3".to_owned()));
}

#[test]
fn availability_compares_local_disks_with_volumes() {
    let (code, answer) = json(&["availability"]);
    let scenarios = answer["scenarios"].as_array().unwrap();
    assert_eq!((code, scenarios.len()), (0, 2));
    let minutes = |i: usize| scenarios[i]["assessment"]["range"]["minutes_to_recover"].as_f64().unwrap();
    assert!(minutes(0) > minutes(1), "volumes re-attach, local disks are rebuilt by hand");
    assert!(run(&["availability", "--rates"]).stdout.contains("zone-outage"));
}

#[test]
fn a_disk_without_limits_is_checked_against_none() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("unlimited.toml");
    let example = std::fs::read_to_string("../../examples/raft-shared.toml").unwrap();
    let data = example.lines().find(|line| line.starts_with("data = ")).unwrap();
    std::fs::write(&file, example.replace(data, "data = \"unlimited:500GiB\"")).unwrap();
    let args = ["check", file.to_str().unwrap(), "examples/tpcc-5000.toml"];
    let said = run(&args);
    assert!(!said.stdout.split_whitespace().any(|word| word.starts_with("inf")), "{}", said.stdout);
    let (_, answer) = json(&args);
    let lines = answer["limits"].as_array().unwrap();
    assert!(!lines.is_empty() && lines.iter().all(|line| line["delivered"].is_number()), "{answer:#}");
}
