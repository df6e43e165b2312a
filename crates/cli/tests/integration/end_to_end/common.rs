//! Runs the binary in the repository's root, as people do.

use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// What a run left behind.
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// The binary, with no settings of its caller's.
pub(crate) fn command(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_diskwright"));
    command.args(args).current_dir("../..");
    for setting in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS"] {
        command.env_remove(setting);
    }
    command.stdin(Stdio::null());
    command
}

/// Runs to the end.
pub(crate) fn run(args: &[&str]) -> Run {
    read(command(args).output().unwrap())
}

pub(crate) fn read(output: Output) -> Run {
    Run {
        code: output.status.code().expect("the program ends by itself"),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Runs with `--json` and reads the one document on standard output.
pub(crate) fn json(args: &[&str]) -> (i32, Value) {
    let Run { code, stdout, stderr } = run(&[args, &["--json"]].concat());
    let value = serde_json::from_str(&stdout).unwrap_or_else(|e| panic!("{args:?}: {e}\n{stdout}\n{stderr}"));
    (code, value)
}
