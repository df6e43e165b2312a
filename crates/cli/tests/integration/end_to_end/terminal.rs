//! How the program behaves towards terminals, pipes and shells.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use crate::end_to_end::common::{command, json, read, run};

const VERBS: [&str; 16] = [
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
    "man",
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
fn a_completion_script_is_no_json() {
    let (code, answer) = json(&["completions", "bash"]);
    assert_eq!(code, 2);
    assert!(answer["error"]["message"].as_str().unwrap().contains("--json"), "{answer}");
}

/// What bash offers for the last of `words`, by the script that the program prints.
fn offered_by_bash(words: &[&str]) -> Vec<String> {
    let quoted = words.join(" ");
    let script = format!(
        "source <(\"$0\" completions bash)\ncd examples\nCOMP_WORDS=({quoted})\nCOMP_CWORD={}\nkind=-f\n\
         compopt() {{ case \"$*\" in *plusdirs*) kind=-d;; esac; }}\n\
         _diskwright diskwright \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD-1]}}\"\n\
         if [ ${{#COMPREPLY[@]}} = 0 ]; then compgen $kind -- \"${{COMP_WORDS[COMP_CWORD]}}\"; else printf '%s\\n' \"${{COMPREPLY[@]}}\"; fi",
        words.len() - 1
    );
    let output = Command::new("bash")
        .args(["--norc", "-c", &script, env!("CARGO_BIN_EXE_diskwright")])
        .current_dir("../..")
        .output()
        .unwrap();
    let result = read(output);
    assert_eq!(result.stderr, "", "{words:?}");
    result.stdout.lines().map(str::to_owned).collect()
}

#[test]
fn bash_offers_files_where_a_file_is_named_and_verbs_where_a_verb_is() {
    // An empty word: the first file is looked for without a letter typed.
    for line in [&["diskwright", "plan", "''"][..], &["diskwright", "simulate", "htap.toml", "''"]] {
        assert!(offered_by_bash(line).contains(&"tpcc-5000.toml".to_owned()), "{line:?}");
    }
    assert_eq!(offered_by_bash(&["diskwright", "check", "tpcc-5000-raid"]), ["tpcc-5000-raid0.toml"]);
    assert_eq!(offered_by_bash(&["diskwright", "diagnose", "timeline", "t", "--on", "hta"]), ["htap.toml"]);
    let folders = offered_by_bash(&["diskwright", "plan", "w.toml", "--out", "''"]);
    assert!(folders.contains(&"ledger".to_owned()) && !folders.contains(&"htap.toml".to_owned()), "{folders:?}");
    assert_eq!(offered_by_bash(&["diskwright", "disk", "mo"]), ["mount", "modify"]);
    assert_eq!(offered_by_bash(&["diskwright", "plan", "w.toml", "--fut"]), ["--futures"]);
}

#[test]
fn every_verb_has_a_manual_page_that_man_reads() {
    let folder = tempfile::tempdir().unwrap();
    let result = run(&["man", folder.path().to_str().unwrap()]);
    assert_eq!((result.code, result.stderr.as_str()), (0, ""));
    let page = |verb: &str| folder.path().join(format!("diskwright-{}.1", verb.replace(' ', "-")));
    for verb in VERBS {
        let text = std::fs::read_to_string(page(verb)).unwrap_or_else(|error| panic!("{verb}: {error}"));
        assert!(text.contains(".TH diskwright-") && text.contains(".SH EXAMPLES"), "{verb}: {text}");
    }
    assert!(!page("daemon").exists(), "what people do not call has no page");
    // groff's warnings name what would be set wrongly.
    let Ok(output) = Command::new("man").args(["--warnings", "-l"]).arg(page("plan")).output() else { return };
    let set = read(output);
    assert_eq!((set.code, set.stderr.as_str()), (0, ""));
    assert!(set.stdout.contains("diskwright plan examples/tpcc-5000.toml --region eu-west-1"), "{}", set.stdout);
}

#[test]
fn the_version_tells_the_age_of_the_catalogue() {
    let result = run(&["--version"]);
    let lines: Vec<&str> = result.stdout.lines().collect();
    assert_eq!(result.code, 0);
    assert!(lines[0].starts_with(concat!("diskwright ", env!("CARGO_PKG_VERSION"))), "{lines:?}");
    assert!(lines[1].starts_with("catalogue of 20") && lines[1].ends_with(" old"), "{lines:?}");
    let (code, version) = json(&["--version"]);
    assert_eq!((code, &version["version"]), (0, &env!("CARGO_PKG_VERSION").into()));
    assert!(version["catalogue_age_days"].is_i64(), "{version}");
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
