//! The binary with no more memory than a small machine has to spare.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const PROGRAM: &str = env!("CARGO_BIN_EXE_diskwright");
/// What the program may take of memory: heap, stacks and everything else that it writes to.
const MEMORY: u64 = 512 << 20;
/// Processor seconds after which a run is killed: the debug program on a busy machine ends long before.
const SECONDS: u32 = 60;

/// What a run left behind.
#[derive(Debug)]
pub(crate) struct Run {
    /// The exit code; `None` if a signal ended it.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) took: Duration,
}

/// Runs to the end, in the repository's root.
pub(crate) fn run(args: &[&str]) -> Run {
    let mut command = Command::new("prlimit");
    command.args([format!("--data={MEMORY}"), format!("--cpu={SECONDS}")]).arg(PROGRAM).args(args);
    ended(command)
}

/// The same with all the memory that there is.
pub(crate) fn unconfined(args: &[&str]) -> Run {
    let mut command = Command::new(PROGRAM);
    command.args(args);
    ended(command)
}

fn ended(mut command: Command) -> Run {
    command.current_dir("../..").stdin(Stdio::null());
    // Of a failure the message alone is looked at.
    command.env("RUST_BACKTRACE", "0");
    let began = Instant::now();
    let output = command.output().expect("prlimit is part of util-linux");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Run { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr), took: began.elapsed() }
}

/// Runs, and expects it to be refused in one line that has all these parts.
#[track_caller]
pub(crate) fn refused(args: &[&str], parts: &[&str]) {
    let run = run(args);
    assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{args:?}: {run:?}");
    assert_eq!(run.stderr.lines().count(), 1, "{args:?}: {}", run.stderr);
    for part in parts {
        assert!(run.stderr.contains(part), "{args:?}: `{part}` is not in: {}", run.stderr);
    }
}

/// An example of the repository.
pub(crate) fn example(name: &str) -> String {
    std::fs::read_to_string(Path::new("../../examples").join(name)).unwrap()
}

/// A file with this content in a folder that lives as long as the value.
pub(crate) struct File {
    _folder: tempfile::TempDir,
    path: PathBuf,
}

impl File {
    pub(crate) fn new(content: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("given.toml");
        std::fs::write(&path, content).unwrap();
        Self { _folder: folder, path }
    }

    /// An example in which `old` became `new`.
    #[track_caller]
    pub(crate) fn changed(name: &str, old: &str, new: &str) -> Self {
        let text = example(name);
        assert!(text.contains(old), "{name} has no `{old}`");
        Self::new(&text.replacen(old, new, 1))
    }

    pub(crate) fn path(&self) -> &str {
        self.path.to_str().unwrap()
    }
}
