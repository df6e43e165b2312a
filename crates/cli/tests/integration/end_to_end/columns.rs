//! Texts fit the columns there are, on terminals of several widths and where `COLUMNS` tells them.

use std::process::{Command, Stdio};

use crate::end_to_end::common::{command, read};

/// What every verb prints of the examples, without root and within seconds.
const TEXTS: &[&str] = &[
    "plan examples/tpcc-5000.toml --top 10",
    "plan examples/rds-inserts.toml",
    "plan examples/mix.toml --futures 10",
    "plan examples/tpcc-5000.toml --max-usd 100",
    "check examples/undeliverable.toml",
    "check examples/raft-dedicated.toml examples/social-inserts.toml",
    "check examples/htap.toml examples/tpcc-5000.toml",
    "check examples/rds-io1.toml examples/rds-inserts.toml",
    "simulate examples/tpcc-5000-m5.4xlarge.toml examples/tpcc-5000.toml --for 10s --seed 7",
    "simulate examples/rds-gp2.toml examples/rds-inserts.toml --for 10s --seed 7",
    "simulate examples/raft-dedicated.toml examples/mix.toml --for 2s --sweep clients=8,64",
    "diagnose iostat examples/tikv-node-iostat.txt --interval 1s --disk sdb=gp3:500GiB",
    "catalog disks",
    "catalog disks --region eastus",
    "catalog instances --filter m5.",
    "catalog prices --filter m5.2xlarge",
    "catalog transfer",
    "claims --rung model",
    "claims --rung plan",
    "availability",
    "availability --nodes 6 --data-per-node 2TiB --storage volumes",
    "availability --rates",
    "pilot iam",
];

/// What a command prints where `COLUMNS` is set, as in `watch`.
fn printed(line: &str, columns: usize) -> String {
    let arguments: Vec<&str> = line.split(' ').collect();
    let output = command(&arguments).env("COLUMNS", columns.to_string()).output().unwrap();
    let result = read(output);
    assert!(result.code < 2, "{line}: {}", result.stderr);
    result.stdout
}

/// What a command prints on a terminal of so many columns, which `script` makes.
fn on_terminal(line: &str, columns: usize, variables: &[(&str, &str)]) -> String {
    let program = env!("CARGO_BIN_EXE_diskwright");
    let mut script = Command::new("script");
    script.args(["--quiet", "--return", "--command"]);
    script.arg(format!("stty rows 50 cols {columns}; exec {program} {line}")).arg("/dev/null");
    script.current_dir("../..").stdin(Stdio::null()).env("TERM", "xterm-256color");
    for setting in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "CI"] {
        script.env_remove(setting);
    }
    let output =
        script.envs(variables.iter().copied()).output().expect("script, of Debian's bsdutils, makes a terminal");
    read(output).stdout.replace("\r\n", "\n")
}

/// The text without the sequences of colours.
fn uncoloured(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |out, part| out + part.split_once('m').map_or("", |(_, rest)| rest))
}

/// Words of a text, without what stands around them: a head that names a cell ends with a colon.
fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().map(|word| word.trim_end_matches([':', ','])).filter(|word| !word.is_empty()).collect()
}

#[test]
fn no_line_is_wider_than_the_terminal_and_no_word_is_broken() {
    for line in TEXTS {
        let wide = printed(line, 160);
        for columns in [60, 80, 120] {
            let text = printed(line, columns);
            for printed in text.lines() {
                assert!(printed.chars().count() <= columns, "{line} at {columns} columns: {printed}\n{text}");
            }
            let there = words(&text);
            // Times that the machine took differ from run to run.
            let is_stable = |word: &&&str| !word.contains(|c: char| c.is_ascii_digit());
            for word in words(&wide).iter().filter(|word| word.chars().count() <= columns / 2).filter(is_stable) {
                assert!(there.contains(word), "{line} at {columns} columns breaks `{word}`:\n{text}");
            }
        }
    }
}

#[test]
fn a_terminal_gets_its_own_width_and_colour_for_what_is_wrong() {
    let line = "check examples/undeliverable.toml";
    for columns in [60, 80, 120] {
        let text = on_terminal(line, columns, &[]);
        let over = text.lines().filter(|line| line.contains("over")).collect::<Vec<_>>();
        assert!(over.iter().any(|line| line.contains("\u{1b}[1m\u{1b}[31m")), "what is exceeded is red: {text}");
        for printed in uncoloured(&text).lines() {
            assert!(printed.chars().count() <= columns, "{printed}");
        }
        assert_eq!(uncoloured(&text), printed(line, columns));
    }
}

#[test]
fn a_terminal_gets_no_colour_against_no_color() {
    let text = on_terminal("check examples/undeliverable.toml", 80, &[("NO_COLOR", "1")]);
    assert!(text.contains("Not deliverable") && !text.contains('\u{1b}'), "{text:?}");
}

#[test]
fn a_plan_that_takes_long_tells_a_terminal_for_how_long() {
    // More futures on a faster machine.
    let tells = |futures: u32| {
        let text = on_terminal(&format!("plan examples/mix.toml --futures {futures}"), 80, &[]);
        text.contains("planning: about ") && text.contains(" s left")
    };
    assert!([5_000, 20_000, 80_000].into_iter().any(tells));
}

#[test]
fn json_and_pipes_do_not_depend_on_the_terminal() {
    let line = "check examples/undeliverable.toml --json";
    assert_eq!(printed(line, 60), printed(line, 120));
}

#[test]
fn a_size_prints_in_the_unit_in_which_it_was_given() {
    let example = std::fs::read_to_string("../../examples/raft-dedicated.toml").unwrap();
    assert!(example.contains("gp3:1000GiB") && example.contains("gp3:20GiB"), "{example}");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deployment.toml");
    std::fs::write(&path, example.replace("GiB", "GB")).unwrap();
    for verb in ["check", "simulate --for 1s"] {
        let text = printed(&format!("{verb} {} examples/social-inserts.toml", path.display()), 160);
        assert!(!text.contains("KiB"), "{text}");
    }
    let arguments = ["check", path.to_str().unwrap(), "examples/social-inserts.toml", "--json"];
    let document = read(command(&arguments).output().unwrap()).stdout;
    assert!(!document.contains("KiB"), "{document}");
}
