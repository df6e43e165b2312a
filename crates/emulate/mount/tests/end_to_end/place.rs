//! A place of its own for each test, which must be as clean after it as before.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use mount::{DaemonClient, MountError, MountHome, MountRequest, MountedNode};

/// A state folder, a backing folder and a folder to mount at, all of them gone in the end.
pub(crate) struct Place {
    pub(crate) home: MountHome,
    pub(crate) dir: PathBuf,
    pub(crate) backing: PathBuf,
    _scratch: tempfile::TempDir,
}

impl Place {
    pub(crate) fn new() -> Self {
        assert!(nix::unistd::geteuid().is_root(), "these tests mount disks: run them as root");
        let scratch = tempfile::Builder::new().prefix("dw-mount-").tempdir_in("/dev/shm").unwrap();
        let root = scratch.path().canonicalize().unwrap();
        let home = MountHome::open(root.join("run"), daemon()).unwrap();
        Self { home, dir: root.join("db"), backing: root.join("backing"), _scratch: scratch }
    }

    pub(crate) fn request(&self, disk: &str) -> MountRequest {
        MountRequest { backing: self.backing.clone(), ..MountRequest::single(&self.dir, disk.parse().unwrap()) }
    }

    pub(crate) fn up(&self, disk: &str) -> MountedNode {
        mount::up(&self.home, &self.request(disk)).unwrap()
    }

    pub(crate) fn down(&self) -> Result<(), MountError> {
        mount::down(&self.home, &self.dir, false)
    }

    pub(crate) fn client(&self) -> DaemonClient {
        DaemonClient::of(&mount::find(&self.home, &self.dir).unwrap()).unwrap()
    }

    /// All that may never stay behind: loop devices, mounts, state. Data may.
    pub(crate) fn assert_nothing_left(&self) {
        let root = self.home.folder.parent().unwrap();
        assert_eq!(loops_under(root), Vec::<PathBuf>::new());
        let mounts = std::fs::read_to_string("/proc/self/mounts").unwrap();
        let left: Vec<&str> = mounts.lines().filter(|line| line.contains(root.to_str().unwrap())).collect();
        assert_eq!(left, Vec::<&str>::new());
        let states: Vec<_> = self.home.folder.read_dir().unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(states, ["lock"]);
        assert!(!self.dir.exists(), "{} is still there", self.dir.display());
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // A test that failed must not leave the machine with mounts; whoever holds one is the test itself, by now gone.
        for node in mount::nodes(&self.home) {
            if let Err(error) = mount::down(&self.home, &node.dir, true) {
                eprintln!("left behind: {error}");
            }
        }
    }
}

/// The daemon as a program. It is built here, for `cargo test --test` builds no example and an old one would be taken.
fn daemon() -> &'static Path {
    static PROGRAM: LazyLock<PathBuf> = LazyLock::new(|| {
        // target/debug/deps/this → target/debug
        let me = std::env::current_exe().unwrap();
        let folder = me.ancestors().nth(2).unwrap();
        let profile = if folder.ends_with("release") { "release" } else { "dev" };
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["build", "--quiet", "--example", "daemon", "--profile", profile]);
        cargo.env("CARGO_TARGET_DIR", folder.parent().unwrap());
        assert!(cargo.status().unwrap().success(), "the daemon cannot be built");
        folder.join("examples/daemon")
    });
    &PROGRAM
}

/// The files under loop devices in a folder.
pub(crate) fn loops_under(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir("/sys/block").unwrap().flatten();
    let files = entries.filter_map(|entry| std::fs::read_to_string(entry.path().join("loop/backing_file")).ok());
    files.map(|file| PathBuf::from(file.trim_end())).filter(|file| file.starts_with(folder)).collect()
}

/// Waits until something holds, for ten seconds.
pub(crate) fn eventually(what: &str, holds: impl Fn() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_secs(10), "not within 10 s: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}
