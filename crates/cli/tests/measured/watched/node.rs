//! A disk mounted for one test, and the programs that use it.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::MutexGuard;

use serde_json::Value;

/// A disk at `@disk`, in a folder of its own; `@` stands for that folder.
pub(crate) struct Node {
    root: tempfile::TempDir,
    /// What `mount --json` said.
    pub(crate) mounted: Value,
    _machine: MutexGuard<'static, ()>,
}

/// What a run left behind.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// fio in the background.
pub(crate) struct Load(Child);

impl Load {
    /// Waits for its end.
    pub(crate) fn wait(mut self) {
        assert!(self.0.wait().unwrap().success());
    }
}

impl Node {
    /// Mounts a disk with a file of 256 MiB on it that fio works on.
    pub(crate) fn up(disk: &str, options: &[&str]) -> Self {
        let machine = crate::the_machine();
        let root = tempfile::Builder::new().prefix("diskwright-watched-").tempdir_in("/dev/shm").unwrap();
        let mut node = Self { root, mounted: Value::Null, _machine: machine };
        node.mounted = node.json(&format!("mount {disk} @disk {}", options.join(" ")));
        // Blocks that were never written are not read from the disk.
        node.fio("--rw=write --bs=1M --iodepth=16");
        node
    }

    /// A path in the test's folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    fn words(&self, line: &str) -> Vec<String> {
        let root = format!("{}/", self.root.path().display());
        let own = |word: &str| match word.split_once('@') {
            Some((before, after)) => format!("{before}{root}{after}"),
            None => word.to_owned(),
        };
        line.split_whitespace().map(own).collect()
    }

    fn command(&self, program: &str, line: &str) -> Command {
        let mut command = Command::new(program);
        command.args(self.words(line)).stdin(Stdio::null()).current_dir("/");
        command.env("DISKWRIGHT_RUN", self.path("run")).env("DISKWRIGHT_BACKING", self.path("backing"));
        command.env("NO_COLOR", "1");
        command
    }

    /// Runs the program to its end.
    pub(crate) fn run(&self, line: &str) -> Run {
        read(self.command(env!("CARGO_BIN_EXE_diskwright"), line).output().unwrap())
    }

    /// What it says, when all goes well.
    #[track_caller]
    pub(crate) fn ok(&self, line: &str) -> String {
        let run = self.run(line);
        assert_eq!(run.code, 0, "{line}: {run:?}");
        run.stdout
    }

    /// The document it prints, when all goes well.
    #[track_caller]
    pub(crate) fn json(&self, line: &str) -> Value {
        let (verb, rest) = line.split_once(' ').unwrap();
        serde_json::from_str(&self.ok(&format!("{verb} --json {rest}"))).unwrap()
    }

    fn fio_command(&self, options: &str) -> Command {
        let file = "--name=x --filename=@disk/file --size=256M --direct=1 --ioengine=libaio --output-format=json";
        self.command("fio", &format!("{file} {options}"))
    }

    /// fio's report.
    #[track_caller]
    pub(crate) fn fio(&self, options: &str) -> Value {
        let run = read(self.fio_command(options).output().expect("these tests need fio: apt-get install fio"));
        assert_eq!(run.code, 0, "{run:?}");
        serde_json::from_str(&run.stdout).unwrap()
    }

    /// Starts fio.
    pub(crate) fn spawn_fio(&self, options: &str) -> Load {
        Load(self.fio_command(options).stdout(Stdio::null()).spawn().unwrap())
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let down = self.run("down --all --delete");
        if down.code != 0 {
            eprintln!("{} stays mounted: {down:?}", Path::new(self.root.path()).display());
        }
    }
}

fn read(output: Output) -> Run {
    Run {
        code: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}
