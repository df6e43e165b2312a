//! What a cluster began, written down before it is begun, so that another process can clear it away.

use std::fs::{DirEntry, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, Instant};

use mount::{MountError, MountHome};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use private_dir::FolderPurpose;

use crate::{ClusterError, TestBed, cgroup, process};

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
        let file = OpenOptions::new().create(true).truncate(true).write(true).mode(0o600).open(&aside);
        let written = file.and_then(|mut file| file.write_all(&text)).and_then(|()| std::fs::rename(&aside, &path));
        written.map_err(|error| ClusterError::system(path.display(), error))
    }

    fn read(folder: &Path) -> Option<Self> {
        serde_json::from_slice(&std::fs::read(folder.join(Self::FILE)).ok()?).ok()
    }

    /// Refuses a record that names what no cluster in this folder begins.
    fn check(&self, folder: &Path) -> Result<(), ClusterError> {
        let foreign = |what: String| {
            let file = folder.join(Self::FILE);
            Err(ClusterError::ForeignRecord { file, folder: folder.to_owned(), what })
        };
        for dir in &self.mounts {
            let below = dir.strip_prefix(folder).ok().map(|below| below.components().collect::<Vec<_>>());
            if !matches!(below.as_deref(), Some([Component::Normal(_)])) {
                return foreign(format!("the mounted folder {}", dir.display()));
            }
        }
        for group in &self.groups {
            if !group.starts_with(&group_prefix(folder)) || cgroup::check(group).is_err() {
                return foreign(format!("the control group {group:?}"));
            }
        }
        match self.processes.iter().find(|(pid, _)| *pid <= 1) {
            Some((pid, _)) => foreign(format!("the process {pid}")),
            None => Ok(()),
        }
    }
}

/// How the names of a cluster's control groups begin.
pub(crate) fn group_prefix(folder: &Path) -> String {
    let id = folder.file_name().unwrap_or_default().to_string_lossy();
    format!("diskwright-{}-", id.trim_start_matches(PREFIX).trim_start_matches('.'))
}

/// Clears away what clusters left whose process was killed: programs, disks with their data, control groups, folders.
/// Answers how many there were. [`Cluster::start`](crate::Cluster::start) does it first.
///
/// # Errors
/// When the scratch folder is not this user's alone, or something cannot be cleared away: the first such thing, after all others
/// were.
pub fn sweep(lab: &TestBed) -> Result<u32, ClusterError> {
    match private_dir::existing(&lab.scratch, FolderPurpose::SCRATCH)? {
        Some(scratch) => sweep_in(&lab.home, &scratch),
        None => Ok(0),
    }
}

/// The same in a scratch folder that was opened before.
pub(crate) fn sweep_in(home: &MountHome, scratch: &Path) -> Result<u32, ClusterError> {
    let entries = std::fs::read_dir(scratch).into_iter().flatten().flatten();
    let (mut swept, mut first) = (0, Ok(()));
    for folder in entries.filter(is_cluster).map(|entry| entry.path()) {
        match swept_one(home, &folder) {
            Ok(true) => swept += 1,
            Ok(false) => {}
            Err(error) => first = first.and(Err(error)),
        }
    }
    first.map(|()| swept)
}

/// Whether an entry of the scratch folder is a folder, not a link to one, with the name of a cluster's.
fn is_cluster(entry: &DirEntry) -> bool {
    entry.file_name().to_string_lossy().starts_with(PREFIX) && entry.file_type().is_ok_and(|kind| kind.is_dir())
}

/// Clears a cluster away if its process is gone; answers whether it was.
fn swept_one(home: &MountHome, folder: &Path) -> Result<bool, ClusterError> {
    private_dir::existing(folder, FolderPurpose::SCRATCH)?;
    let Some(record) = Record::read(folder) else { return Ok(false) };
    let (pid, since) = record.starter;
    if process::started(pid) == Some(since) {
        return Ok(false);
    }
    record.check(folder)?;
    clear(home, &record, folder).map(|()| true)
}

/// Ends and removes all of a record, and the folder itself, as far as it can be.
pub(crate) fn clear(home: &MountHome, record: &Record, folder: &Path) -> Result<(), ClusterError> {
    for (pid, since) in &record.processes {
        end(*pid, *since, folder);
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

/// Kills a process of the cluster in a folder, if it still is the one that was started, and waits until it is gone.
fn end(pid: i32, since: u64, folder: &Path) {
    const PATIENCE: Duration = Duration::from_secs(20);
    let from = Instant::now();
    while process::started(pid) == Some(since) && process::is_of(pid, folder) && from.elapsed() < PATIENCE {
        let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Unmounts the disks in a folder and deletes their data; fine if there are none.
pub(crate) fn unmount(home: &MountHome, dir: &Path) -> Result<(), ClusterError> {
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

#[cfg(test)]
#[path = "record_tests.rs"]
mod tests;
