//! Daemons whose state files are gone, or are in another state folder: they are found by what the kernel shows of them.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use textfile::shell_word;

use crate::home::State;
use crate::{MountError, MountHome, MountedNode, loops, mounts, processes, system};

/// A daemon that serves disks, as its process shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiskDaemon {
    /// Its process.
    pub pid: i32,
    /// The state folder of its mount, as it was started with.
    pub state: PathBuf,
    /// Where its disks are mounted.
    pub at: Vec<PathBuf>,
}

/// Daemons that serve disks of a state folder which has no record of them: somebody removed its files.
pub fn unrecorded(home: &MountHome) -> Vec<DiskDaemon> {
    let of_home = all().into_iter().filter(|daemon| daemon.state.parent() == Some(&home.folder));
    of_home.filter(|daemon| !daemon.is_recorded()).collect()
}

/// The daemon whose disks are mounted at or below a path, whatever its state folder.
pub(crate) fn serving(path: &Path) -> Option<DiskDaemon> {
    all().into_iter().find(|daemon| daemon.at.iter().any(|at| at.starts_with(path)))
}

/// The daemon of a state folder, if its disks are mounted.
pub(crate) fn of(state: &State) -> Option<DiskDaemon> {
    all().into_iter().find(|daemon| daemon.state == state.folder)
}

impl DiskDaemon {
    fn is_recorded(&self) -> bool {
        MountedNode::read(&State { folder: self.state.clone() }).is_some_and(|node| node.pid == self.pid)
    }

    /// That its disks are in the way or out of reach, with what to do.
    pub fn refusal(&self) -> MountError {
        let at = self.at.iter().map(|at| at.display().to_string()).collect::<Vec<_>>().join(" and ");
        let (pid, state) = (self.pid, self.state.display());
        MountError::Refused(match self.state.parent().filter(|_| self.is_recorded()) {
            Some(home) => format!(
                "the disks at {at} were mounted with another state folder (daemon {pid}): set DISKWRIGHT_RUN={}",
                shell_word(home)
            ),
            None => format!(
                "daemon {pid} serves the disks at {at}, but its files in {state} are gone: end it with `kill {pid}`, which \
                 unmounts them first, and try again"
            ),
        })
    }
}

/// All daemons that this process sees whose disks are mounted.
fn all() -> Vec<DiskDaemon> {
    let mounted = mounts::all();
    let served = processes::all().filter_map(|pid| Some((pid, state(pid)?)));
    // Whatever else is started with such words serves no files there.
    let served = served.filter(|(_, state)| mounted.iter().any(|mount| mount.at == state.disks()));
    let daemons = served.map(|(pid, state)| {
        let opened: Vec<PathBuf> =
            processes::links(pid).iter().filter_map(|link| std::fs::read_link(link).ok()).collect();
        // Disks that the kernel serves itself stand on their backing files, which the daemon has open.
        let ours = |disk: &loops::Loop| disk.file.starts_with(state.disks()) || opened.contains(&disk.file);
        let devices: Vec<_> = loops::all().iter().filter(|disk| ours(disk)).filter_map(loops::Loop::numbers).collect();
        let at = mounted.iter().filter(|mount| devices.contains(&mount.device)).map(|mount| mount.at.clone());
        DiskDaemon { pid, state: state.folder, at: at.collect() }
    });
    daemons.filter(|daemon| !daemon.at.is_empty()).collect()
}

/// The state folder that a process was started with, if it is a daemon: `PROGRAM daemon FOLDER`.
fn state(pid: i32) -> Option<State> {
    system::process_started(pid)?;
    let line = std::fs::read(format!("/proc/{pid}/cmdline")).ok()?;
    let mut words = line.split(|byte| *byte == 0).skip(1);
    let (verb, folder) = (words.next()?, words.next()?);
    let folder = PathBuf::from(OsString::from_vec(folder.to_vec()));
    (verb == b"daemon" && folder.is_absolute()).then_some(State { folder })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_is_no_daemon_has_no_state_folder() {
        assert!(state(std::process::id() as i32).is_none());
        assert!(state(0).is_none());
    }
}
