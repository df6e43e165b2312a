//! A ledger that somebody brings: answered as the embedded one is, and refused by file, line and key where it is broken.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::end_to_end::common::{Run, json, run};

const EXAMPLE: &str = "examples/ledger";

/// A copy of the example to break.
struct Copy(tempfile::TempDir);

impl Copy {
    fn new() -> Self {
        let copy = Self(tempfile::tempdir().unwrap());
        copy_folder(&Path::new("../..").join(EXAMPLE), copy.0.path());
        copy
    }

    fn path(&self, file: &str) -> PathBuf {
        self.0.path().join(file)
    }

    fn replace(&self, file: &str, old: &str, new: &str) {
        let text = fs::read_to_string(self.path(file)).unwrap();
        assert!(text.contains(old), "{file} has no {old}");
        fs::write(self.path(file), text.replacen(old, new, 1)).unwrap();
    }

    /// The one line that refuses it, with paths relative to its folder.
    fn refusal(&self) -> String {
        let Run { code, stdout, stderr } = run(&["claims", "--ledger", self.0.path().to_str().unwrap()]);
        assert_eq!((code, stdout.as_str(), stderr.lines().count()), (2, "", 1), "{stderr}");
        stderr.replace(&format!("{}/", self.0.path().display()), "")
    }
}

fn copy_folder(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let copy = to.join(path.file_name().unwrap());
        if path.is_dir() {
            fs::create_dir(&copy).unwrap();
            copy_folder(&path, &copy);
        } else {
            fs::copy(&path, &copy).unwrap();
        }
    }
}

#[test]
fn the_example_is_answered_and_its_simulated_claim_waits_for_a_run() {
    let Run { code, stdout, stderr } = run(&["claims", "--ledger", EXAMPLE]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    let headline = stdout.lines().next().unwrap();
    assert!(
        headline.starts_with("Median error 0.0 %, 90th percentile 0.0 %, worst 0.0 % (gp3-cheaper), of 1 claim"),
        "{stdout}"
    );
    assert!(stdout.contains("published 0.8 · ours 0.8 ratio · error 0 %"), "{stdout}");
    assert!(stdout.contains("simulate  raft-disk"), "{stdout}");
}

#[test]
fn a_threshold_prints_a_distance_and_no_error() {
    let Run { code, stdout, stderr } = run(&["claims", "--ledger", EXAMPLE, "--run", "simulate"]);
    assert_eq!((code, stderr.as_str()), (0, ""), "{stdout}");
    assert!(stdout.starts_with("1 of 1 claims hold."), "no claim has an error: {stdout}");
    assert!(stdout.contains("% above the threshold 1") && !stdout.contains("error"), "{stdout}");
    let (_, answer) = json(&["claims", "--ledger", EXAMPLE, "--run", "simulate"]);
    let claim = &answer["claims"][0];
    assert_eq!((&claim["relative_error"], &answer["median_error"]), (&Value::Null, &Value::Null));
    assert_eq!((&claim["distance"]["reference"], &answer["claims_with_error"]), (&"threshold".into(), &0.into()));
    let ours: f64 = claim["ours"].as_str().unwrap().parse().unwrap();
    let distance = claim["distance"]["relative"].as_f64().unwrap();
    assert!((distance - (ours - 1.0)).abs() < 1e-4 && distance > 0.0, "{claim}");
}

#[test]
fn the_embedded_ledger_brought_as_a_folder_prints_the_same() {
    let brought = run(&["claims", "--ledger", "crates/present/claims/ledger"]);
    let embedded = run(&["claims"]);
    assert_eq!((brought.code, brought.stdout), (embedded.code, embedded.stdout));
}

#[test]
fn a_folder_that_is_no_ledger_is_refused_by_the_file_that_it_lacks() {
    let Run { code, stderr, .. } = run(&["claims", "--ledger", "examples"]);
    assert_eq!(code, 2);
    assert!(stderr.contains("examples/sources.csv"), "{stderr}");
}

#[test]
fn a_broken_table_is_refused_by_file_line_and_column() {
    for (file, old, new, expected) in [
        (
            "claims.csv",
            ",1%,",
            ",about,",
            "claims.csv:2: column `tolerance`: the tolerance `about` is not understood; expected `15%`",
        ),
        (
            "claims.csv",
            "ebs,simulate",
            "ebs,simulated",
            "claims.csv:3: column `rung`: unknown variant `simulated`, expected one of `model`",
        ),
        (
            "claims.csv",
            "raft-disk,ebs",
            "raft-disk,ebbs",
            "claims.csv:3: column `source`: sources.csv has no `ebbs`; did you mean `ebs`?",
        ),
        (
            "claims.csv",
            "raft-disk",
            "raft-log",
            "claims.csv:3: claim raft-log has no recipe; expected the file recipes/raft-log.toml",
        ),
        (
            "claims.csv",
            "raft-disk",
            "gp3-cheaper",
            "claims.csv:3: id `gp3-cheaper` is in line 2 too; expected each once",
        ),
        (
            "claims.csv",
            "ebs,simulate",
            "ebs,plan",
            "claims.csv:3: column `rung`: claim raft-disk is of rung plan, and its recipe's evaluator `simulation` answers on simulate",
        ),
        ("claims.csv", ",note", "", "claims.csv:2: the row has 9 values; expected 8"),
        ("sources.csv", "2024-06-30", "June", "sources.csv:2: column `as_of`: "),
    ] {
        let copy = Copy::new();
        copy.replace(file, old, new);
        let refusal = copy.refusal();
        assert!(refusal.contains(expected), "{old} -> {new}: {refusal}");
    }
}

#[test]
fn a_broken_recipe_is_refused_by_file_line_and_key() {
    let cheaper = "recipes/gp3-cheaper.toml";
    let disk = "recipes/raft-disk.toml";
    for (file, old, new, expected) in [
        (
            cheaper,
            "[figures]",
            "[figure]",
            "gp3-cheaper.toml:2:2: unknown key `figure` in the file; did you mean `figures`?",
        ),
        (cheaper, "gp2:1000GiB", "gp2:many", "gp3-cheaper.toml:5:29: `figures.of.0.disk-monthly.disk`: "),
        (
            cheaper,
            "\"ratio\"",
            "\"ration\"",
            "gp3-cheaper.toml:3:8: unknown value `ration` for `figures.ours`; did you mean `ratio`?",
        ),
        (
            disk,
            "deployments/shared.toml",
            "deployments/sharde.toml",
            "raft-disk.toml:10:10: `runs.0.on`: there is no file deployments/sharde.toml",
        ),
        (
            disk,
            "deployments/shared.toml",
            "../shared.toml",
            "raft-disk.toml:10:10: `simulation.runs.0.on`: `../shared.toml` leads out of the ledger",
        ),
        (disk, "[\"throughput\"]", "[]", "raft-disk.toml:7:11: a run has no metric"),
    ] {
        let copy = Copy::new();
        copy.replace(file, old, new);
        let refusal = copy.refusal();
        assert!(refusal.contains(expected), "{old} -> {new}: {refusal}");
    }
}

#[test]
fn a_broken_deployment_is_named_where_the_claim_is_answered() {
    let copy = Copy::new();
    copy.replace("deployments/shared.toml", "zones = 3", "zoness = 3");
    let folder = copy.0.path().to_str().unwrap();
    let Run { code, stdout, .. } = run(&["claims", "--ledger", folder, "--run", "simulate"]);
    assert_eq!(code, 1);
    assert!(stdout.contains("not computed: ") && stdout.contains("shared.toml:5:1"), "{stdout}");
}
