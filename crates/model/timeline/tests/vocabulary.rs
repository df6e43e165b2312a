//! No series is named outside the vocabulary: the sources of the workspace are read.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use diskwright_timeline::vocabulary::ALL;

/// What stands before the name of a series where one is read or made, and what follows it.
const NAMED: [(&str, &str); 9] = [
    (".select(", ","),
    (".find(", ", &["),
    ("told.get(", ")"),
    (".name == ", ""),
    (".of_disks(", ","),
    ("grown(since, ", ")"),
    ("values(", ","),
    ("sum(", ")"),
    ("per_s(", ")"),
];

/// Sources in which series are made: no name of the vocabulary stands in them as text.
const EMITTERS: [&str; 9] = [
    "crates/observe/metrics/src/series.rs",
    "crates/observe/ingest/src/iostat.rs",
    "crates/observe/ingest/src/diskstats.rs",
    "crates/bench/cluster/src/series.rs",
    "crates/bench/cluster/src/rows.rs",
    "crates/bench/cluster/src/counters.rs",
    "crates/analyze/simulate/src/record.rs",
    "crates/analyze/simulate/src/innodb/record.rs",
    "crates/analyze/diagnose/src/facts/raw.rs",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() {
            sources(&entry, found);
        } else if entry.extension().is_some_and(|extension| extension == "rs") {
            found.push(entry);
        }
    }
}

/// The part of a source that is no test.
fn without_tests(text: &str) -> &str {
    text.split("#[cfg(test)]").next().unwrap_or_default()
}

/// The words between quotes after `before`, where `after` follows them: names of two words or more, in snake case.
fn names<'t>(text: &'t str, before: &str, after: &str) -> Vec<&'t str> {
    let starts = text.match_indices(before).map(|(at, _)| text[at + before.len()..].trim_start());
    let quoted = starts.filter_map(|rest| rest.strip_prefix('"')?.split_once('"'));
    let snake = |name: &str| {
        name.contains('_') && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
    };
    quoted.filter(|(name, rest)| snake(name) && rest.trim_start().starts_with(after)).map(|(name, _)| name).collect()
}

#[test]
fn every_series_that_a_source_names_is_in_the_vocabulary() {
    let known: BTreeSet<&str> = ALL.iter().map(|spec| spec.name).collect();
    let (mut files, mut seen) = (Vec::new(), 0);
    for folder in ["crates/observe", "crates/bench", "crates/analyze", "crates/present", "crates/operate", "crates/cli"]
    {
        sources(&root().join(folder), &mut files);
    }
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        if !text.contains("imeline") {
            continue;
        }
        for (before, after) in NAMED {
            for name in names(without_tests(&text), before, after) {
                assert!(known.contains(name), "{}: `{name}` is no series of timeline::vocabulary", file.display());
                seen += 1;
            }
        }
    }
    assert!(seen >= 20, "only {seen} names were found: the forms that are looked for are gone");
}

#[test]
fn sources_that_make_series_take_them_from_the_vocabulary() {
    for emitter in EMITTERS {
        let text = std::fs::read_to_string(root().join(emitter)).unwrap();
        for spec in ALL.iter().filter(|spec| spec.name.contains('_')) {
            let literal = format!("\"{}\"", spec.name);
            assert!(
                !without_tests(&text).contains(&literal),
                "{emitter} writes {literal}: take it from the vocabulary"
            );
        }
    }
}

#[test]
fn a_name_outside_the_vocabulary_would_be_found() {
    let text = "timeline.select(\"reed_ops\", &[]); told.get(\n \"read_ops\"); text.find(\"a_b\")";
    assert_eq!(names(text, ".select(", ","), ["reed_ops"]);
    assert_eq!(names(text, "told.get(", ")"), ["read_ops"]);
    assert!(names(text, ".find(", ", &[").is_empty());
}
