//! Keys that the verbs print have entries in `docs/reference/json.md`.

use std::collections::BTreeSet;
use std::path::Path;

use reference::table_keys;
use serde_json::Value;

use crate::end_to_end::common::json;

/// Objects whose keys are of another page, or names that people chose.
const ELSEWHERE: &[&str] = &["deployment", "inputs", "choices", "notes", "bound", "set"];

const ANSWERS: &[(&[&str], &str)] = &[
    (&["plan"], "plan examples/mix.toml --futures 50"),
    (&["plan"], "plan examples/tpcc-5000.toml --max-usd 500"),
    (&["check"], "check examples/undeliverable.toml"),
    (&["check"], "check examples/raft-dedicated.toml examples/social-inserts.toml"),
    (&["simulate"], "simulate examples/raft-dedicated.toml examples/social-inserts.toml --for 10s"),
    (&["simulate"], "simulate examples/rds-gp2.toml examples/rds-inserts.toml --for 10s"),
    (
        &["simulate", "simulate --sweep"],
        "simulate examples/raft-shared.toml examples/social-inserts.toml --for 10s --sweep raft-disk=shared,own",
    ),
    (&["diagnose"], "diagnose iostat examples/tikv-node-iostat.txt --interval 1s --disk sdb=gp3:500GiB"),
    (&["catalog"], "catalog disks"),
    (&["catalog"], "catalog instances --filter m5."),
    (&["catalog"], "catalog prices --region us-west-2 --filter m5.2xlarge"),
    (&["catalog"], "catalog transfer"),
    (&["claims"], "claims --id A14 --id A19"),
    (&["availability"], "availability"),
    (&["availability"], "availability --rates"),
    (&["every verb"], "check examples/README.md"),
];

#[test]
fn every_key_of_an_answer_has_an_entry() {
    let page = Path::new("../../docs/reference/json.md");
    let shared = table_keys(page, "several verbs");
    for (verbs, command) in ANSWERS {
        let (_, answer) = json(&command.split(' ').collect::<Vec<_>>());
        let mut seen = BTreeSet::new();
        keys(&answer, &mut seen);
        assert!(!seen.is_empty(), "{command}");
        let mut known = shared.clone();
        verbs.iter().for_each(|verb| known.extend(table_keys(page, verb)));
        let missing: Vec<&String> = seen.difference(&known).collect();
        assert!(missing.is_empty(), "docs/reference/json.md has no entry of {verbs:?} for {missing:?}: {command}");
    }
}

fn keys(value: &Value, seen: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                seen.insert(key.clone());
                if !ELSEWHERE.contains(&key.as_str()) || value.is_array() {
                    keys(value, seen);
                }
            }
        }
        Value::Array(all) => all.iter().for_each(|one| keys(one, seen)),
        _ => {}
    }
}
