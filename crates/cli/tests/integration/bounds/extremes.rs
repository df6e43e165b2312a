//! Every number of every kind of file at its type's extreme.

use std::sync::Mutex;

use rayon::prelude::*;
use toml::{Table, Value};

use crate::bounds::confined::{File, example, run};

/// The file with each of its numbers in turn at extremes, and what was changed.
fn extremes(text: &str) -> Vec<(String, String)> {
    let table: Table = text.parse().unwrap();
    let mut paths = Vec::new();
    visit(&Value::Table(table.clone()), &mut Vec::new(), &mut paths);
    let mut changed = Vec::new();
    for (path, replacements) in paths {
        for replacement in replacements {
            let mut document = Value::Table(table.clone());
            let place = path.iter().fold(&mut document, |at, step| match step.parse::<usize>() {
                Ok(index) => at.get_mut(index).unwrap(),
                Err(_) => at.get_mut(step.as_str()).unwrap(),
            });
            *place = replacement.clone();
            changed.push((format!("{} = {replacement}", path.join(".")), toml::to_string(&document).unwrap()));
        }
    }
    changed
}

type Replacements = Vec<(Vec<String>, Vec<Value>)>;

fn visit(value: &Value, path: &mut Vec<String>, found: &mut Replacements) {
    match value {
        Value::Table(table) => {
            for (key, value) in table {
                path.push(key.clone());
                visit(value, path, found);
                path.pop();
            }
        }
        Value::Array(items) => {
            for (index, value) in items.iter().enumerate() {
                path.push(index.to_string());
                visit(value, path, found);
                path.pop();
            }
        }
        Value::Integer(_) => {
            let all = [Value::Integer(i64::MAX), Value::Integer(u32::MAX.into()), Value::Float(1e15)];
            found.push((path.clone(), all.into()));
        }
        Value::Float(_) => found.push((path.clone(), vec![Value::Float(1e308), Value::Float(5e-324)])),
        Value::String(text) => {
            let all = with_other_numbers(text);
            if !all.is_empty() {
                found.push((path.clone(), all));
            }
        }
        _ => {}
    }
}

/// A text such as `gp3:1000GiB,6000iops` with each of its numbers in turn the largest that is read, and in the smallest unit.
fn with_other_numbers(text: &str) -> Vec<Value> {
    let mut all = Vec::new();
    let begins = |at: usize| {
        text[at..].starts_with(|c: char| c.is_ascii_digit())
            && !text[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '.' || c == '-')
    };
    for at in (0..text.len()).filter(|at| text.is_char_boundary(*at) && begins(*at)) {
        let digits = text[at..].find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len() - at);
        for number in ["999999999999", "18446744073709551615", "1"] {
            all.push(Value::String(format!("{}{number}{}", &text[..at], &text[at + digits..])));
        }
    }
    all
}

/// Runs each on all cores; what breaks is told together.
#[track_caller]
fn none_breaks(cases: Vec<(String, String)>, args: impl Fn(&str) -> Vec<String> + Sync) {
    assert!(cases.len() > 10, "{} numbers were found", cases.len());
    let broken = Mutex::new(Vec::new());
    cases.par_iter().for_each(|(what, content)| {
        let file = File::new(content);
        let args = args(file.path());
        let run = run(&args.iter().map(String::as_str).collect::<Vec<_>>());
        let fine = matches!(run.code, Some(0..=2)) && !run.stderr.contains("panicked");
        // A plan takes seconds in the debug program, a simulation its patience; what has no bound takes minutes.
        if !fine || run.took.as_secs() > 100 {
            let told: String = run.stderr.lines().take(2).collect::<Vec<_>>().join(" ");
            broken.lock().unwrap().push(format!("{}: {what}: {:?} after {:?}: {told}", args[0], run.code, run.took));
        }
    });
    let broken = broken.into_inner().unwrap();
    assert!(broken.is_empty(), "{} of {}:\n{}", broken.len(), cases.len(), broken.join("\n"));
}

fn words(text: &str) -> Vec<String> {
    text.split(' ').map(str::to_owned).collect()
}

const WORKLOADS: [(&str, &str); 5] = [
    ("tpcc-5000.toml", "examples/tpcc-5000-m5.4xlarge.toml"),
    ("ycsb-a-uniform.toml", "examples/raft-dedicated.toml"),
    ("mix.toml", "examples/raft-dedicated.toml"),
    ("social-inserts.toml", "examples/raft-shared.toml"),
    ("rds-inserts.toml", "examples/rds-gp2.toml"),
];

#[test]
fn no_number_of_a_workload_breaks_what_plans_for_it() {
    for (workload, _) in WORKLOADS {
        none_breaks(extremes(&example(workload)), |path| words(&format!("plan {path} --futures 10")));
    }
}

#[test]
fn no_number_of_a_workload_breaks_what_checks_or_simulates_it() {
    for (workload, deployment) in WORKLOADS {
        none_breaks(extremes(&example(workload)), |path| words(&format!("check {deployment} {path}")));
        let simulate = |path: &str| words(&format!("simulate {deployment} {path} --for 1s --patience 3s"));
        none_breaks(extremes(&example(workload)), simulate);
    }
}

#[test]
fn no_number_of_a_deployment_breaks_what_checks_simulates_or_renders_it() {
    let of = [
        ("raft-dedicated.toml", "examples/social-inserts.toml"),
        ("htap.toml", "examples/tpcc-5000.toml"),
        ("rds-io1.toml", "examples/rds-inserts.toml"),
        ("undeliverable.toml", "examples/social-inserts.toml"),
    ];
    let out = tempfile::tempdir().unwrap();
    let out = out.path().to_str().unwrap();
    for (deployment, workload) in of {
        let all = extremes(&example(deployment));
        none_breaks(all.clone(), |path| words(&format!("check {path} {workload}")));
        none_breaks(all.clone(), |path| words(&format!("simulate {path} {workload} --for 1s --patience 3s")));
        none_breaks(all, |path| {
            words(&format!("render {path} --out {out}/{} --force", path.rsplit('/').nth(1).unwrap()))
        });
    }
}

#[test]
fn no_number_of_an_event_breaks_what_simulates_it() {
    let events = example("events.toml");
    none_breaks(extremes(&events), |path| {
        let pair = "examples/raft-dedicated.toml examples/social-inserts.toml";
        words(&format!("simulate {pair} --for 30m --patience 1s --events {path}"))
    });
}
