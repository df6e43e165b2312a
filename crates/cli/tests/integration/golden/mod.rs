//! Golden outputs: what each verb prints for the examples, as text in full, as JSON by its keys and a checksum of its values.
//!
//! A restructuring leaves these files as they are; a change of behaviour shows here as a difference to be read and named in the
//! changelog.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

/// Commands without an effect, each quick; run in the repository's root.
const COMMANDS: &[&str] = &[
    "plan examples/tpcc-5000.toml",
    "plan examples/ycsb-a-uniform.toml --region us-east-1",
    "plan examples/rds-inserts.toml",
    "check examples/tpcc-5000-m5.4xlarge.toml examples/tpcc-5000.toml",
    "check examples/undeliverable.toml examples/mix.toml",
    "check examples/rds-io1.toml examples/rds-inserts.toml",
    "check examples/htap.toml examples/tpcc-5000.toml",
    "simulate examples/tpcc-5000-m5.4xlarge.toml examples/tpcc-5000.toml --for 10s --seed 7",
    "simulate examples/rds-gp2.toml examples/rds-inserts.toml --for 10s --seed 7",
    "diagnose iostat examples/tikv-node-iostat.txt --interval 1s --disk sdb=gp3:500GiB",
    "availability --nodes 6 --data-per-node 2TiB --storage volumes",
    "catalog disks",
    "catalog instances --filter m5.",
    "catalog prices --region us-west-2 --filter m5.2xlarge --as-of 2020-11",
    "catalog transfer",
    "claims --rung model",
    "claims --rung plan",
];

/// Keys of how long the machine took.
const TIMES: &[&str] = &["elapsed_ms", "simulated_per_second"];

fn diskwright(arguments: &str) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_diskwright"));
    command.args(arguments.split(' ')).current_dir(repository_root()).stdin(Stdio::null()).env("COLUMNS", "100");
    for setting in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
        command.env_remove(setting);
    }
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().expect("the program ends by itself"), text(output.stdout), text(output.stderr))
}

/// Leaves out how long the machine took: no part of the answer.
fn without_times(text: &str) -> String {
    let line = |line: &str| match [", in ", " simulated in "].iter().find_map(|words| line.split_once(words)) {
        Some((before, after)) if after.ends_with(" ms.") || after.ends_with(" a second") => format!("{before} [time]"),
        _ => line.to_owned(),
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

fn repository_root() -> &'static Path {
    Path::new("../..")
}

/// Paths of all keys, an array's elements taken together.
fn key_paths(value: &Value, path: &str, paths: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            for (key, inner) in fields {
                key_paths(inner, &format!("{path}.{key}"), paths);
            }
        }
        Value::Array(elements) => elements.iter().for_each(|inner| key_paths(inner, &format!("{path}[]"), paths)),
        _ => {
            paths.insert(path.to_owned());
        }
    }
}

#[test]
fn every_verb_prints_for_the_examples_what_it_did() {
    for arguments in COMMANDS {
        let name = arguments.replace(|c: char| !c.is_ascii_alphanumeric(), "_");
        let (code, stdout, stderr) = diskwright(arguments);
        insta::assert_snapshot!(
            format!("text_{name}"),
            format!("exit code {code}\n{}\n--- errors\n{stderr}", without_times(&stdout))
        );
        let (code, stdout, _) = diskwright(&format!("{arguments} --json"));
        let mut value: Value = serde_json::from_str(&stdout).unwrap_or_else(|e| panic!("{arguments}: {e}\n{stdout}"));
        for key in TIMES {
            if let Some(time) = value.get_mut(key) {
                *time = 0.into();
            }
        }
        let mut paths = BTreeSet::new();
        key_paths(&value, "", &mut paths);
        let paths: Vec<String> = paths.into_iter().collect();
        let checksum = crc32fast::hash(value.to_string().as_bytes());
        insta::assert_snapshot!(
            format!("json_{name}"),
            format!("exit code {code}\nvalues {checksum:08x}\n{}", paths.join("\n"))
        );
    }
}

#[test]
fn a_rendered_folder_holds_what_it_did() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("rendered");
    let (code, _, stderr) = diskwright(&format!("render examples/htap.toml --out {}", out.display()));
    assert_eq!(code, 0, "{stderr}");
    let mut files: Vec<_> = walk(&out);
    files.sort();
    let lines: Vec<String> = files
        .iter()
        .map(|path| {
            let bytes = std::fs::read(path).unwrap();
            format!(
                "{} {} bytes {:08x}",
                path.strip_prefix(&out).unwrap().display(),
                bytes.len(),
                crc32fast::hash(&bytes)
            )
        })
        .collect();
    insta::assert_snapshot!("rendered_htap", lines.join("\n"));
}

fn walk(folder: &Path) -> Vec<std::path::PathBuf> {
    std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] })
        .collect()
}
