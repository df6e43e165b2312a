//! The state folder of mounted disks, and the disk at a path.

use std::path::{Path, PathBuf};

use mount::{DaemonClient, MountHome, MountedDisk};

use crate::failure::Failure;

/// The state folder, `DISKWRIGHT_RUN` or the usual one. Its daemons run this program.
pub(crate) fn home() -> Result<MountHome, Failure> {
    let program = std::env::current_exe()
        .map_err(|error| Failure::environment(format!("this program cannot find its own file: {error}")))?;
    let folder = std::env::var_os("DISKWRIGHT_RUN").map_or_else(|| PathBuf::from(MountHome::FOLDER), PathBuf::from);
    Ok(MountHome::open(folder, program)?)
}

/// The folder of the disks' data unless `--backing` names one: `DISKWRIGHT_BACKING` or the default.
pub(crate) fn backing() -> PathBuf {
    std::env::var_os("DISKWRIGHT_BACKING").map_or_else(|| PathBuf::from(MountHome::BACKING), PathBuf::from)
}

/// One disk of a live node.
#[derive(Debug)]
pub(crate) struct Target {
    /// The disk.
    pub(crate) disk: MountedDisk,
    /// The client of its daemon.
    pub(crate) client: DaemonClient,
}

/// The disk at a path, with a client of its daemon.
pub(crate) fn target(dir: &Path) -> Result<Target, Failure> {
    let node = mount::find(&home()?, dir)?;
    let disk = node.disk_at(dir)?.clone();
    let client = DaemonClient::of(&node)?;
    Ok(Target { disk, client })
}
