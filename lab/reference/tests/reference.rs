//! The reference of `docs/reference` has every key, series, finding, metric and variable of the code, and no others.
//! `make reference` makes what the code tells.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use diagnose::FindingKind;
use reference::{
    FileKey, PageTable, SourceTree, TableColumn, TableRow, check_page, constants, environment_variables, file_keys,
    json_keys, registered_metrics, renamed, table_keys,
};
use timeline::vocabulary::{self, SeriesForm};

use TableColumn::{Made, Written};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn page(name: &str) -> PathBuf {
    root().join("docs/reference").join(name)
}

fn row(key: impl Into<String>, cells: &[&str]) -> TableRow {
    TableRow { key: key.into(), cells: cells.iter().map(|cell| (*cell).to_owned()).collect() }
}

/// A file that people write: its page, and the structure that it is read into.
fn check_file(name: &str, file: &str, structure: &str) {
    let (own, _) = file.split_once("/src/").unwrap();
    let tree = SourceTree::read(&root(), &["crates/model", own]);
    let keys = file_keys(&tree, file, structure);
    assert!(keys.len() > 3, "{file}: {keys:?}");
    let kind = |key: &FileKey| if key.required { format!("{}, required", key.kind) } else { key.kind.clone() };
    let rows = keys.iter().map(|key| row(&key.path, &[&kind(key), &key.meaning])).collect();
    let columns = &[Made("type"), Written("default"), Written("range"), Written("example"), Made("meaning")];
    check_page(&page(name), &[PageTable { name: "keys".to_owned(), columns, rows }]);
}

#[test]
fn every_key_of_a_workload_has_an_entry() {
    check_file("workload.md", "crates/model/workload/src/noun.rs", "Document");
}

#[test]
fn every_key_of_a_deployment_has_an_entry() {
    check_file("deployment.md", "crates/model/deployment/src/noun.rs", "Deployment");
}

#[test]
fn every_key_of_a_file_of_events_has_an_entry() {
    check_file("events.md", "crates/model/events/src/read.rs", "File");
}

#[test]
fn every_key_of_a_policy_has_an_entry() {
    check_file("policy.md", "crates/analyze/volume-control/src/policy.rs", "VolumePolicy");
}

#[test]
fn every_key_of_a_study_has_an_entry() {
    check_file("study.md", "crates/bench/mysql/src/study/mod.rs", "Document");
}

#[test]
fn every_series_of_a_timeline_has_an_entry() {
    let rows = vocabulary::ALL.iter().map(|series| {
        let (unit, merge) = match series.form {
            SeriesForm::Histogram => ("ns".to_owned(), "histogram".to_owned()),
            SeriesForm::Values(merge) => (format!("{}", series.unit), format!("{merge:?}").to_lowercase()),
        };
        // Two series share a name and differ in their labels.
        let twin = vocabulary::ALL.iter().filter(|other| other.name == series.name).count() > 1;
        let key = if twin { format!("{} ({unit})", series.name) } else { series.name.to_owned() };
        row(key, &[&unit, &merge, series.meaning])
    });
    let columns = &[Made("unit"), Made("merge"), Made("meaning")];
    check_page(&page("series.md"), &[PageTable { name: "series".to_owned(), columns, rows: rows.collect() }]);
}

#[test]
fn every_finding_has_an_entry_with_its_rules() {
    let rules = std::fs::read_to_string(root().join("crates/analyze/diagnose/tables/rules.toml")).unwrap();
    let rules: toml::Table = toml::from_str(&rules).unwrap();
    let rules = rules["rule"].as_array().unwrap();
    let rows = FindingKind::ALL.into_iter().map(|kind| {
        let own = rules.iter().filter(|rule| rule["kind"].as_str() == Some(kind.name()));
        let conditions: Vec<String> = own.map(rule_in_words).collect();
        let conditions = if conditions.is_empty() { "in code".to_owned() } else { conditions.join("; or ") };
        row(kind.name(), &[&kind.to_string(), &conditions])
    });
    let columns = &[Made("name"), Made("rule"), Written("meaning")];
    check_page(&page("findings.md"), &[PageTable { name: "findings".to_owned(), columns, rows: rows.collect() }]);
}

/// `bound-volume-iops>0.5` in 50% of 10s.
fn rule_in_words(rule: &toml::Value) -> String {
    let number = |value: &toml::Value| value.as_float().unwrap_or_else(|| value.as_integer().unwrap() as f64);
    let one = |condition: &toml::Value| {
        let bound = |key: &str, sign: &str| condition.get(key).map(|value| format!("{sign}{}", number(value)));
        let bounds: Vec<String> = [bound("above", ">"), bound("below", "<")].into_iter().flatten().collect();
        let known = condition.get("optional").is_some_and(|optional| optional.as_bool() == Some(true));
        let known = if known { "?" } else { "" };
        format!("`{}{}{known}`", condition["signal"].as_str().unwrap(), bounds.join(""))
    };
    let all: Vec<String> = rule["all"].as_array().into_iter().flatten().map(one).collect();
    let over: Vec<String> = rule.get("over").and_then(toml::Value::as_array).into_iter().flatten().map(one).collect();
    let span = rule.get("least").and_then(toml::Value::as_str).unwrap_or("1s");
    let share = rule.get("share").map_or(1.0, number) * 100.0;
    let over = if over.is_empty() { String::new() } else { format!(", overall {}", over.join(", ")) };
    format!("{} in {share:.0}% of {span}{over}", all.join(", "))
}

#[test]
fn every_variable_of_the_environment_has_an_entry() {
    let mut names = environment_variables(&SourceTree::read(&root(), &["crates"]));
    assert!(names.contains("DISKWRIGHT_RUN") && names.contains("DISKWRIGHT_PROMETHEUS_TOKEN"), "{names:?}");
    // What the libraries of the terminal and of AWS read: anstream, indicatif, aws-config.
    names.extend(["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "AWS_PROFILE", "AWS_REGION"].map(str::to_owned));
    let rows = names.into_iter().map(|name| row(name, &[])).collect();
    let columns = &[Written("read by"), Written("default"), Written("example"), Written("meaning")];
    check_page(&page("environment.md"), &[PageTable { name: "variables".to_owned(), columns, rows }]);
}

#[test]
fn every_metric_of_mounts_and_of_the_pilot_has_an_entry() {
    let tree = SourceTree::read(&root(), &["crates/observe/metrics", "crates/operate/pilot"]);
    let table = |name: &str, below: &[&str]| {
        let found = registered_metrics(&tree, below);
        assert!(found.len() > 5, "{found:?}");
        let rows = found.into_iter().map(|(name, help)| row(name, &[&help])).collect();
        let columns: &'static [TableColumn] = &[Made("help"), Written("type"), Written("unit"), Written("labels")];
        PageTable { name: name.to_owned(), columns, rows }
    };
    let mounts = table("mounts", &["crates/observe/metrics/src/prometheus.rs"]);
    let pilot = table("pilot", &["crates/operate/pilot/src/metrics.rs"]);
    check_page(&page("metrics.md"), &[mounts, pilot]);
}

/// Whose answers the files of the code make, as JSON.
const ANSWERS: &[(&str, &[&str])] = &[
    ("plan", &["crates/present/report/src/verbs/plan.rs"]),
    ("plan --prove", &["crates/present/report/src/verbs/prove_json.rs"]),
    (
        "check",
        &[
            "crates/present/report/src/verbs/check.rs",
            "crates/model/deployment/src/report.rs",
            "crates/model/deployment/src/vain.rs",
        ],
    ),
    (
        "simulate",
        &[
            "crates/present/report/src/verbs/simulate.rs",
            "crates/cli/src/simulate.rs",
            "crates/analyze/simulate/src/summary.rs",
        ],
    ),
    (
        "simulate --sweep",
        &[
            "crates/present/report/src/verbs/sweep.rs",
            "crates/cli/src/simulate/sweep.rs",
            "crates/analyze/simulate/src/cost.rs",
        ],
    ),
    (
        "diagnose",
        &["crates/present/report/src/verbs/diagnose.rs", "crates/analyze/diagnose/src", "crates/model/finding/src"],
    ),
    ("import", &["crates/operate/import/src"]),
    ("catalog", &["crates/model/catalog/src/rows.rs", "crates/model/catalog/src/coverage.rs"]),
    (
        "claims",
        &["crates/cli/src/claims.rs", "crates/present/claims/src/outcome.rs", "crates/present/claims/src/summary.rs"],
    ),
    (
        "availability",
        &[
            "crates/present/report/src/verbs/availability.rs",
            "crates/cli/src/availability.rs",
            "crates/analyze/availability/src",
        ],
    ),
    (
        "render",
        &[
            "crates/present/report/src/verbs/render.rs",
            "crates/operate/render/src/traffic.rs",
            "crates/operate/render/src/write.rs",
        ],
    ),
    (
        "bench",
        &[
            "crates/present/report/src/verbs/bench.rs",
            "crates/present/report/src/verbs/sql_bench.rs",
            "crates/bench/bench/src/report.rs",
            "crates/bench/bench/src/drive",
            "crates/bench/reference-store/src/counters.rs",
            "crates/bench/mysql/src/counters.rs",
        ],
    ),
    ("bench compare", &["crates/bench/bench/src/compare"]),
    ("bench study", &["crates/present/report/src/verbs/study.rs", "crates/bench/mysql/src/study"]),
    (
        "disk",
        &[
            "crates/present/report/src/verbs/disks.rs",
            "crates/present/report/src/verbs/mount.rs",
            "crates/present/report/src/verbs/record.rs",
            "crates/cli/src/disk",
            "crates/emulate/probe/src/json.rs",
            "crates/emulate/probe/src/against/json.rs",
            "crates/observe/metrics/src/rates.rs",
        ],
    ),
    ("pilot", &["crates/present/report/src/verbs/pilot.rs", "crates/cli/src/pilot"]),
    (
        "every verb",
        &[
            "crates/cli/src/failure.rs",
            "crates/cli/src/output.rs",
            "crates/cli/src/version.rs",
            "crates/cli/src/shell.rs",
        ],
    ),
];

#[test]
fn every_key_of_the_verbs_json_has_an_entry() {
    let tree = SourceTree::read(&root(), &["crates"]);
    let of_verbs: Vec<(&str, BTreeSet<String>)> = ANSWERS
        .iter()
        .map(|(verb, files)| {
            let gone: Vec<_> = files.iter().filter(|file| tree.below(&[**file]).next().is_none()).collect();
            assert!(gone.is_empty(), "{verb}: {gone:?} are not there any more");
            let mut keys: BTreeSet<String> = json_keys(&tree, files).into_keys().collect();
            if *verb == "catalog" {
                // The key of the document is the word on the command line.
                keys.extend(
                    ["disks", "instances", "prices", "transfer", "regions", "tables", "problems"].map(str::to_owned),
                );
            }
            assert!(!keys.is_empty(), "{verb}");
            (*verb, keys)
        })
        .collect();
    // What means the same in several answers stands once, in the table that the page has for it.
    let several = |key: &str| of_verbs.iter().filter(|(_, keys)| keys.contains(key)).count() > 1;
    let mut shared = table_keys(&page("json.md"), "several verbs");
    shared.retain(|key| several(key));
    let table = |name: &str, keys: &BTreeSet<String>| {
        let rows = keys.iter().map(|key| row(key, &[])).collect();
        PageTable { name: name.to_owned(), columns: &[Written("type"), Written("meaning")], rows }
    };
    let of_verbs = of_verbs.iter().map(|(verb, keys)| table(verb, &(keys - &shared)));
    let tables: Vec<PageTable> = std::iter::once(table("several verbs", &shared)).chain(of_verbs).collect();
    check_page(&page("json.md"), &tables);
}

#[test]
fn every_exit_code_has_an_entry() {
    let tree = SourceTree::read(&root(), &["crates/cli/src"]);
    let codes = constants(&tree, "crates/cli/src/failure.rs", "u8");
    assert!(codes.len() >= 4, "{codes:?}");
    let rows = std::iter::once(("0".to_owned(), "Fine".to_owned())).chain(codes);
    let rows = rows.map(|(code, meaning)| row(code, &[&meaning])).collect();
    let columns = &[Made("meaning"), Written("example")];
    check_page(&page("exit-codes.md"), &[PageTable { name: "codes".to_owned(), columns, rows }]);
}

/// Words of code spans and blocks of a page.
fn code_words(text: &str) -> BTreeSet<&str> {
    let code = text.split('`').skip(1).step_by(2);
    code.flat_map(|code| code.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-' || c == '_'))).collect()
}

#[test]
fn every_key_of_a_ledger_has_an_entry_and_every_entry_a_key() {
    let text = std::fs::read_to_string(page("ledger.md")).unwrap().replace("```", "`");
    let written = code_words(&text);
    let tree = SourceTree::read(&root(), &["crates/present/claims/src"]);
    let mut keys = BTreeSet::new();
    for (path, _) in tree.below(&["crates/present/claims/src/evaluate", "crates/present/claims/src/rows.rs"]) {
        for of in tree.types_of(path).filter(|of| of.derives("Deserialize")) {
            // Columns of tables are written as they are, keys of recipes with hyphens.
            let case = if path.ends_with("rows.rs") { None } else { Some("kebab-case") };
            let fields = of.fields().into_iter().map(|field| (field.ident.unwrap().to_string(), field.attrs));
            let variants = of.variants().into_iter().map(|variant| (variant.ident.to_string(), variant.attrs));
            keys.extend(fields.chain(variants).map(|(name, attributes)| {
                reference::serde_value(&attributes, "rename").unwrap_or_else(|| renamed(&name, case))
            }));
        }
    }
    assert!(keys.len() > 80, "{keys:?}");
    let missing: Vec<&String> = keys.iter().filter(|key| !key.split('/').all(|part| written.contains(part))).collect();
    assert!(missing.is_empty(), "docs/reference/ledger.md has no entry for {missing:?}");
    let recipes = text.split_once("## Recipes").unwrap().1;
    let first = recipes.lines().filter(|line| line.starts_with("|`")).filter_map(|line| line.split('|').nth(1));
    let combinations = std::fs::read_to_string(root().join("crates/present/claims/src/combine.rs")).unwrap();
    let known = |word: &str| keys.contains(word) || combinations.to_lowercase().contains(word);
    // The keys above every recipe, and names that people choose.
    let above = ["remark", "assumed", "facts", "NAME"];
    let stale: Vec<&str> =
        first.flat_map(code_words).filter(|w| !w.is_empty() && !above.contains(w) && !known(w)).collect();
    assert!(stale.is_empty(), "docs/reference/ledger.md has entries for keys that are not read: {stale:?}");
}
