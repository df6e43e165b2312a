//! Examples of the reference are values of their keys: put together they are files that the program reads.

use std::path::Path;

use textfile::Text;
use toml::{Table, Value};

const REFERENCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference");

/// Keys of a page with their examples; a key that is a table has none of its own.
fn examples(page: &str) -> Vec<(String, Value)> {
    let text = std::fs::read_to_string(Path::new(REFERENCE).join(page)).unwrap();
    let rows = text.lines().filter(|line| line.starts_with("|`"));
    rows.filter_map(|line| {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let [key, _, _, _, example, _] = cells[..] else { panic!("{page}: {line}") };
        let example = example.strip_prefix('`')?.strip_suffix('`')?;
        let value =
            toml::from_str::<Table>(&format!("value = {example}")).unwrap_or_else(|error| panic!("{line}: {error}"));
        Some((key.trim_matches('`').to_owned(), value["value"].clone()))
    })
    .collect()
}

/// Puts a value where its path says; lists have one element.
fn put(table: &mut Table, path: &str, value: Value) {
    let Some((head, rest)) = path.split_once('.') else {
        table.insert(path.to_owned(), value);
        return;
    };
    if let Some(list) = head.strip_suffix("[]") {
        let list = table.entry(list).or_insert_with(|| Value::Array(vec![Value::Table(Table::new())]));
        put(list.as_array_mut().unwrap()[0].as_table_mut().unwrap(), rest, value);
    } else {
        let inner = table.entry(head).or_insert_with(|| Value::Table(Table::new()));
        put(inner.as_table_mut().unwrap(), rest, value);
    }
}

fn document(examples: &[(String, Value)], chosen: impl Fn(&str) -> bool) -> Text {
    let mut table = Table::new();
    for (key, value) in examples.iter().filter(|(key, _)| chosen(key)) {
        put(&mut table, key, value.clone());
    }
    Text::new("reference.toml", toml::to_string(&table).unwrap())
}

#[test]
fn examples_of_each_kind_of_workload_are_a_workload() {
    let all = examples("workload.md");
    for kind in ["tpcc", "ycsb", "sysbench", "inserts", "mix", "measured"] {
        let own = format!("{kind}.");
        // A report of iostat stands in for counters; the file is not there.
        let reported = |key: &str| key.starts_with("measured.iostat") || key.starts_with("measured.devices");
        let text = document(&all, |key| {
            (key.starts_with(&own) || !key.contains('.') || key.starts_with("targets.")) && !reported(key)
        });
        let read = workload::Workload::from_text(&text, &mut |path| panic!("{}", path.display()));
        read.unwrap_or_else(|error| panic!("{kind}: {error}\n{}", text.content()));
    }
}

#[test]
fn examples_of_a_deployment_are_a_deployment() {
    let text = document(&examples("deployment.md"), |_| true);
    deployment::Deployment::from_text(&text).unwrap_or_else(|error| panic!("{error}\n{}", text.content()));
}

#[test]
fn each_example_of_an_event_is_an_event() {
    let all = examples("events.md");
    let kinds: Vec<&str> = all.iter().map(|(key, _)| key.as_str()).filter(|key| *key != "events[].at").collect();
    assert!(kinds.len() > 5, "{kinds:?}");
    for kind in kinds {
        let text = document(&all, |key| key == kind || key == "events[].at");
        events::EventScript::from_text(&text).unwrap_or_else(|error| panic!("{kind}: {error}\n{}", text.content()));
    }
}

#[test]
fn examples_of_a_policy_are_a_policy() {
    let text = document(&examples("policy.md"), |_| true);
    let policy = volume_control::VolumePolicy::from_toml(text.content());
    policy.unwrap_or_else(|error| panic!("{error}\n{}", text.content()));
}
