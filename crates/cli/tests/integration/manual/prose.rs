//! Spelling and style of what people read, as `make prose` checks them.

use std::path::Path;
use std::process::{Command, Output};

const ROOT: &str = "../..";

/// Runs the check of a checkout, with the speller that `make tools` puts in place.
fn check(root: &Path) -> Output {
    let speller = testkit::folder("codespell").join("bin/codespell");
    assert!(speller.exists(), "{} is not there: run `make tools`", speller.display());
    let mut command = Command::new("python3");
    command.arg(root.join("lab/prose.py")).arg("--codespell").arg(speller);
    command.output().unwrap()
}

#[test]
fn what_people_read_is_spelt_and_written_as_the_style_asks() {
    let output = check(Path::new(ROOT));
    assert!(
        output.status.success(),
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn retired_words_misspellings_and_lines_without_a_subject_are_named_with_their_line() {
    let folder = tempfile::tempdir().unwrap();
    for part in
        ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "docs", "lab", "examples", "crates/cli/src"]
    {
        let to = folder.path().join(part);
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        assert!(Command::new("cp").arg("-r").arg(Path::new(ROOT).join(part)).arg(&to).status().unwrap().success());
    }
    assert!(check(folder.path()).status.success(), "the copy is as the checkout");
    let plant = |page: &str, text: &str| {
        let path = folder.path().join(page);
        let whole = std::fs::read_to_string(&path).unwrap();
        let line = whole.lines().count() + 1;
        std::fs::write(&path, format!("{whole}{text}\n")).unwrap();
        format!("{page}:{line}")
    };
    let faults = [
        plant("README.md", "It runs so many clients."),
        plant("docs/guide/slow-mysql.md", "A volume may recieve less than it is promised."),
        plant("docs/design/pilot.md", "Of the stores the first is asked."),
        plant("docs/reference/values.md", "The behavior of a disk."),
    ];
    let output = check(folder.path());
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(!output.status.success());
    for fault in faults {
        assert!(said.contains(&fault), "{fault} is not named: {said}");
    }
}
