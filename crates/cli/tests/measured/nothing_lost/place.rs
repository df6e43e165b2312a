//! A private world for one test: its own state, backing and mount folders, cleaned up whatever the test did.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::MutexGuard;
use std::time::Duration;

use nix::sys::signal::Signal;
use nix::unistd::Uid;
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::nothing_lost::leftovers;
use crate::nothing_lost::process::{self, Run};

/// No command of the program may take longer, not even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// Where one test runs.
pub(crate) struct Place {
    root: PathBuf,
    /// Loop devices without a file that were there before: not ours.
    unreachable: Vec<String>,
    /// FUSE connections that were there before.
    connections: BTreeSet<String>,
    _turn: MutexGuard<'static, ()>,
}

impl Place {
    /// A place of its own in memory where there is some, as the backing files are sparse and the data small.
    pub(crate) fn new() -> Self {
        let turn = crate::the_machine();
        assert!(Uid::effective().is_root(), "these tests mount filesystems: run them as root");
        assert!(Path::new("/dev/fuse").exists(), "these tests need /dev/fuse: `modprobe fuse`");
        assert!(Path::new("/dev/loop-control").exists(), "these tests need loop devices: `modprobe loop`");
        let memory = Path::new("/dev/shm");
        let parent = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
        let root = tempfile::Builder::new().prefix("nothing-lost-").tempdir_in(parent).unwrap().keep();
        let connections = leftovers::connections(&root);
        Self { root, unreachable: leftovers::unreachable(), connections, _turn: turn }
    }

    /// The folder that holds all of it.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// A path in it.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// The state folder.
    pub(crate) fn state(&self) -> PathBuf {
        self.path("run")
    }

    /// The default backing folder.
    pub(crate) fn backing(&self) -> PathBuf {
        self.path("backing")
    }

    /// A command that knows the place and no other settings of its caller's.
    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env("DISKWRIGHT_RUN", self.state()).env("DISKWRIGHT_BACKING", self.backing());
        for setting in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS"] {
            command.env_remove(setting);
        }
        command.current_dir("/").stdin(Stdio::null());
        command
    }

    /// What the program says; words that begin with `@` are paths in the place.
    pub(crate) fn run(&self, line: &str) -> Run {
        process::finish(self.start(line), PATIENCE)
    }

    /// Starts the program.
    pub(crate) fn start(&self, line: &str) -> Child {
        let mut command = self.command(env!("CARGO_BIN_EXE_diskwright"));
        command.args(self.words(line));
        process::start(command)
    }

    /// The words of a command line, with `@name` as the path of that name.
    pub(crate) fn words(&self, line: &str) -> Vec<String> {
        let path = |name: &str| self.path(name).to_str().unwrap().to_owned();
        line.split_whitespace().map(|word| word.strip_prefix('@').map_or(word.to_owned(), path)).collect()
    }

    /// Runs the program, which must succeed.
    #[track_caller]
    pub(crate) fn ok(&self, line: &str) -> Run {
        let run = self.run(line);
        assert_eq!(run.code, 0, "`{line}` failed\n{run}{}", self.logs());
        run
    }

    /// Runs the program, which must refuse as wrong input, in one line that has all of `parts`; says it.
    #[track_caller]
    pub(crate) fn refused(&self, line: &str, parts: &[&str]) -> String {
        let run = self.run(line);
        run.says(2, line, parts);
        run.stderr
    }

    /// The daemons that serve disks of this place.
    pub(crate) fn daemons(&self) -> Vec<i32> {
        process::all().filter(|p| p.is_daemon_of(&self.root)).map(|p| p.pid).collect()
    }

    /// The only daemon.
    #[track_caller]
    pub(crate) fn daemon(&self) -> i32 {
        match self.daemons()[..] {
            [pid] => pid,
            ref other => panic!("one daemon should run, not {other:?}{}", self.logs()),
        }
    }

    /// Kills the daemon in the midst of what it does.
    #[track_caller]
    pub(crate) fn kill_daemon(&self) {
        process::end(self.daemon(), Signal::SIGKILL);
    }

    /// What the daemons wrote to their logs, to show when a test fails.
    pub(crate) fn logs(&self) -> String {
        let logs = leftovers::files(&self.state()).into_iter().filter(|path| path.to_string_lossy().ends_with("log"));
        logs.map(|log| format!("\n--- {}\n{}", log.display(), std::fs::read_to_string(&log).unwrap_or_default()))
            .collect()
    }

    /// Asserts that no loop device, mount, process or socket of this place is left, nor a file but those that hold data.
    #[track_caller]
    pub(crate) fn assert_nothing_left(&self) {
        self.assert_nothing_left_but(&[]);
    }

    /// The same, but for what the test itself made, by its kind.
    #[track_caller]
    pub(crate) fn assert_nothing_left_but(&self, kinds: &[&str]) {
        let mut left = leftovers::of(&self.root);
        let unreachable = leftovers::unreachable().into_iter().filter(|name| !self.unreachable.contains(name));
        left.extend(unreachable.map(|name| format!("loop device {name} over a file out of reach")));
        // The lock of the state folder must stay: removed, it could be locked twice.
        let files = leftovers::files(&self.state()).into_iter().filter(|file| *file != self.state().join("lock"));
        left.extend(files.map(|file| format!("file {}", file.display())));
        left.retain(|what| !kinds.iter().any(|kind| what.starts_with(kind)));
        assert!(left.is_empty(), "left behind:\n{}{}", left.join("\n"), self.logs());
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        for pid in self.daemons() {
            leftovers::clear_inside(pid, &self.root);
            process::signal(pid, Signal::SIGKILL);
        }
        // No assertion here: it would hide the one that failed.
        for _ in 0..1000 {
            if self.daemons().is_empty() {
                break;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        leftovers::abort_connections(&self.root, &self.connections);
        leftovers::clear(&self.root);
        if let Err(error) = std::fs::remove_dir_all(&self.root) {
            eprintln!("{} cannot be removed: {error}", self.root.display());
        }
    }
}

/// How often to do it: few times in the short form, many in the long one.
pub(crate) fn times(short: u64, long: u64) -> u64 {
    if std::env::var_os("DISKWRIGHT_LONG").is_some_and(|v| v == "1") { long } else { short }
}

/// The random numbers of a test, from a seed that is printed when the test fails.
pub(crate) fn random(test: &str) -> Xoshiro256PlusPlus {
    let seed = std::env::var("DISKWRIGHT_SEED").map_or(1, |seed| seed.parse().expect("DISKWRIGHT_SEED is a number"));
    eprintln!("{test}: DISKWRIGHT_SEED={seed}");
    Xoshiro256PlusPlus::seed_from_u64(seed)
}
