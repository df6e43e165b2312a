//! What a cluster began, written down before it is begun, so that another process can clear it away.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use mount::{Home, MountError};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::{ClusterError, Lab, cgroup, process};

/// How the folders of clusters begin.
pub(crate) const PREFIX: &str = "cluster-";

/// What a cluster began.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Record {
    /// Who started it: its number and when it started.
    pub(crate) starter: (i32, u64),
    /// Programs, likewise.
    pub(crate) processes: Vec<(i32, u64)>,
    /// Folders in which disks are mounted.
    pub(crate) mounts: Vec<PathBuf>,
    /// Control groups.
    pub(crate) groups: Vec<String>,
}

impl Record {
    const FILE: &str = "cluster.json";

    /// This process has begun nothing yet.
    pub(crate) fn new() -> Self {
        let pid = std::process::id() as i32;
        Self { starter: (pid, process::started(pid).unwrap_or_default()), ..Self::default() }
    }

    /// Writes it to a cluster's folder, aside first.
    pub(crate) fn write(&self, folder: &Path) -> Result<(), ClusterError> {
        let (path, aside) = (folder.join(Self::FILE), folder.join("cluster.new"));
        let text = serde_json::to_vec(self).map_err(|error| ClusterError::system(path.display(), error))?;
        let written = std::fs::write(&aside, text).and_then(|()| std::fs::rename(&aside, &path));
        written.map_err(|error| ClusterError::system(path.display(), error))
    }

    fn read(folder: &Path) -> Option<Self> {
        serde_json::from_slice(&std::fs::read(folder.join(Self::FILE)).ok()?).ok()
    }
}

/// Clears away what clusters left whose process was killed: programs, disks with their data, control groups, folders.
/// Answers how many there were. [`Cluster::start`](crate::Cluster::start) does it first.
///
/// # Errors
/// When something cannot be cleared away: the first such thing, after all others were.
pub fn sweep(lab: &Lab) -> Result<u32, ClusterError> {
    sweep_in(&lab.home, &lab.scratch)
}

/// The same in a scratch folder.
pub(crate) fn sweep_in(home: &Home, scratch: &Path) -> Result<u32, ClusterError> {
    let entries = std::fs::read_dir(scratch).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(PREFIX));
    let (mut swept, mut first) = (0, Ok(()));
    for folder in folders.map(|entry| entry.path()) {
        let Some(record) = Record::read(&folder) else { continue };
        let (pid, since) = record.starter;
        if process::started(pid) == Some(since) {
            continue;
        }
        swept += 1;
        first = first.and(clear(home, &record, &folder));
    }
    first.map(|()| swept)
}

/// Ends and removes all of a record, and the folder itself, as far as it can be.
pub(crate) fn clear(home: &Home, record: &Record, folder: &Path) -> Result<(), ClusterError> {
    for (pid, since) in &record.processes {
        end(*pid, *since);
    }
    let mut first = Ok(());
    for dir in &record.mounts {
        first = first.and(unmount(home, dir));
    }
    for group in &record.groups {
        first = first.and(cgroup::remove(group));
    }
    first?;
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(ClusterError::system(format!("{} cannot be removed", folder.display()), error))
        }
        _ => Ok(()),
    }
}

/// Kills a process, if it still is the one that was started, and waits until it is gone.
fn end(pid: i32, since: u64) {
    const PATIENCE: Duration = Duration::from_secs(20);
    let from = Instant::now();
    while process::started(pid) == Some(since) && from.elapsed() < PATIENCE {
        let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Unmounts the disks in a folder and deletes their data; fine if there are none.
pub(crate) fn unmount(home: &Home, dir: &Path) -> Result<(), ClusterError> {
    /// A process that was killed leaves its files a moment later.
    const PATIENCE: Duration = Duration::from_secs(10);
    let from = Instant::now();
    loop {
        match mount::down(home, dir, true) {
            Err(MountError::Busy { .. }) if from.elapsed() < PATIENCE => std::thread::sleep(Duration::from_millis(50)),
            // Nothing is known of the folder: the mount had not been begun.
            Err(MountError::Input(_)) => return Ok(()),
            done => return Ok(done?),
        }
    }
}
