//! Commands of the manual that no test can run (they want root, a cluster or a cloud) name verbs and options that are there.

use std::path::{Path, PathBuf};

use crate::end_to_end::common::run;

/// Commands of code blocks and code spans, with the page that has them.
fn commands(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap().replace("\\\n", " ");
    let spans = text.split('`').flat_map(str::lines).map(str::to_owned).collect::<Vec<_>>();
    let of = |line: String| {
        let (_, rest) = line.split_once("diskwright ")?;
        let before = &line[..line.len() - rest.len() - "diskwright ".len()];
        let is_command = ["", "$ ", "# "].contains(&before) || before.ends_with("| ");
        is_command.then(|| rest.split(" | ").next().unwrap().split(" -- ").next().unwrap().to_owned())
    };
    spans.into_iter().filter_map(of).collect()
}

fn pages() -> Vec<PathBuf> {
    let guides = std::fs::read_dir("../../docs/guide").unwrap().map(|entry| entry.unwrap().path());
    let design = std::fs::read_dir("../../docs/design").unwrap().map(|entry| entry.unwrap().path());
    guides.chain(design).chain(["../../README.md", "../../examples/README.md"].map(PathBuf::from)).collect()
}

#[test]
fn every_command_of_the_manual_names_a_verb_and_its_options() {
    let mut seen = 0;
    for page in pages() {
        for command in commands(&page) {
            let words: Vec<&str> = command.split_whitespace().collect();
            let help = help_of(&words).unwrap_or_else(|| panic!("{}: no verb: {command}", page.display()));
            for option in words.iter().filter(|word| word.starts_with("--")) {
                let name = option.split(['=', ',']).next().unwrap();
                let known = help
                    .split_whitespace()
                    .any(|word| word.trim_end_matches([',', '[']).split(['=', '[']).next() == Some(name));
                assert!(known, "{}: {name} is no option of: {command}", page.display());
            }
            seen += 1;
        }
    }
    assert!(seen > 40, "{seen}");
}

/// The help of the longest verb that the words begin with.
fn help_of(words: &[&str]) -> Option<String> {
    let word = |text: &&str| {
        !text.is_empty() && text.chars().all(|c| c.is_ascii_lowercase() || c == '-') && !text.starts_with('-')
    };
    let verbs = words.iter().take(2).take_while(|text| word(text)).count();
    (1..=verbs).rev().find_map(|count| {
        let result = run(&[&words[..count], &["--help"]].concat());
        let usage = format!("Usage: diskwright {}", words[..count].join(" "));
        (result.code == 0 && result.stdout.contains(&usage)).then_some(result.stdout)
    })
}
