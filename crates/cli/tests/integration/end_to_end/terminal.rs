//! How the program behaves towards terminals, pipes and shells.

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use crate::end_to_end::common::{command, read, run};

const VERBS: [&str; 15] = [
    "plan",
    "check",
    "catalog",
    "claims",
    "availability",
    "disk",
    "disk mount",
    "disk up",
    "disk down",
    "disk ls",
    "disk modify",
    "disk fault",
    "disk record",
    "disk probe",
    "completions",
];

/// The arguments that ask for the help of a verb.
fn help_of(verb: &str) -> Vec<&str> {
    verb.split(' ').chain(["--help"]).collect()
}

#[test]
fn help_is_as_it_was() {
    let mut all = run(&["--help"]).stdout;
    for verb in VERBS {
        all += &format!("\n----- {verb}\n\n{}", run(&help_of(verb)).stdout);
    }
    insta::assert_snapshot!("help", all);
}

#[test]
fn the_former_words_of_the_disk_commands_are_understood_and_not_shown() {
    let shown = run(&["--help"]).stdout;
    for word in ["mount", "up", "down", "disks", "modify", "fault", "record", "probe"] {
        assert!(!shown.lines().any(|line| line.trim_start().starts_with(&format!("{word} "))), "{word}: {shown}");
        let grouped = if word == "disks" { "ls" } else { word };
        let options =
            |help: String| help.split_once("Usage:").and_then(|(_, rest)| rest.split_once('\n')).unwrap().1.to_owned();
        let (former, new) = (run(&[word, "--help"]), run(&["disk", grouped, "--help"]));
        assert_eq!((former.code, options(former.stdout)), (0, options(new.stdout)), "{word}");
    }
}

#[test]
fn every_verb_with_choices_has_examples() {
    for verb in VERBS {
        assert!(run(&help_of(verb)).stdout.contains("Examples:"), "{verb}");
    }
}

#[test]
fn no_line_is_wider_than_100_columns() {
    let narrow: &[&[&str]] = &[
        &["--help"],
        &["plan", "examples/tpcc-5000.toml", "--top", "10"],
        &["plan", "examples/social-inserts.toml"],
        &["plan", "examples/rds-inserts.toml"],
        &["plan", "examples/tikv-node-iostat.toml"],
        &["plan", "examples/mix.toml", "--futures", "10"],
        &["check", "examples/undeliverable.toml"],
        &["check", "examples/raft-dedicated.toml", "examples/social-inserts.toml"],
        &["catalog", "disks"],
        &["catalog", "disks", "--region", "us-central1"],
        &["catalog", "disks", "--region", "eastus"],
        &["catalog", "instances"],
        &["catalog", "prices"],
        &["catalog", "prices", "--region", "eastus"],
        &["catalog", "transfer"],
        &["claims"],
        &["availability"],
        &["availability", "--rates"],
    ];
    let help = VERBS.map(help_of);
    for args in narrow.iter().copied().chain(help.iter().map(Vec::as_slice)) {
        let result = run(args);
        for line in result.stdout.lines().chain(result.stderr.lines()) {
            assert!(line.chars().count() <= 100, "{args:?}: {line}");
            assert!(!line.contains('\u{1b}'), "{args:?} colours a pipe");
        }
    }
}

#[test]
fn colour_is_shown_when_asked_for_and_never_against_no_color() {
    let coloured = |args: &[&str], no_color: bool| {
        let mut command = command(&[&["check", "examples/undeliverable.toml"], args].concat());
        if no_color {
            command.env("NO_COLOR", "1");
        }
        read(command.output().unwrap()).stdout.contains('\u{1b}')
    };
    assert!(!coloured(&[], false), "a pipe is no terminal");
    assert!(coloured(&["--color", "always"], false));
    assert!(coloured(&["--color", "always"], true), "what is asked for on the command line counts most");
    assert!(!coloured(&["--color", "never"], false));
    let mut forced = command(&["check", "examples/undeliverable.toml"]);
    forced.env("CLICOLOR_FORCE", "1").env("NO_COLOR", "1");
    assert!(!read(forced.output().unwrap()).stdout.contains('\u{1b}'), "NO_COLOR wins over the environment");
}

#[test]
fn completions_name_every_verb() {
    for shell in ["bash", "zsh", "fish"] {
        let result = run(&["completions", shell]);
        assert_eq!(result.code, 0);
        for verb in VERBS {
            assert!(verb.split(' ').all(|word| result.stdout.contains(word)), "{shell} does not know {verb}");
        }
    }
    assert_eq!(run(&["completions", "dos"]).code, 2);
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    // More than a pipe holds, so that the writer is still at it when the reader leaves.
    let mut child =
        command(&["catalog", "instances", "--json"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut first = String::new();
    BufReader::with_capacity(16, child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    assert_eq!(first, "{\n");
    let result = read(child.wait_with_output().unwrap());
    assert_eq!((result.code, result.stderr.as_str()), (0, ""));
}

#[test]
fn a_full_disk_is_the_environments_fault() {
    let full = std::fs::File::options().write(true).open("/dev/full");
    let Ok(full) = full else { return };
    let output = command(&["catalog", "transfer"]).stdout(full).output().unwrap();
    let result = read(output);
    assert_eq!(result.code, 3);
    assert!(result.stderr.starts_with("error: standard output cannot be written"), "{}", result.stderr);
}

#[test]
fn standard_input_is_a_file_too() {
    let folder = "../../examples/undeliverable.toml";
    let input = std::fs::File::open(folder).unwrap();
    let result = read(command(&["check", "-"]).stdin(input).output().unwrap());
    assert_eq!(result.code, 1, "{}", result.stderr);
}
