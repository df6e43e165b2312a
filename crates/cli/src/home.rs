//! Where mounted disks are found: the state folder, and the disks that a path means.

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

/// Where data is kept unless `--backing` says otherwise: `DISKWRIGHT_BACKING` or the usual folder.
pub(crate) fn backing() -> PathBuf {
    std::env::var_os("DISKWRIGHT_BACKING").map_or_else(|| PathBuf::from(MountHome::BACKING), PathBuf::from)
}

/// One disk of a live node.
#[derive(Debug)]
pub(crate) struct Target {
    /// The disk.
    pub(crate) disk: MountedDisk,
    /// Its daemon's ear.
    pub(crate) client: DaemonClient,
}

/// The disk that a path means, its daemon being alive.
pub(crate) fn target(dir: &Path) -> Result<Target, Failure> {
    let node = mount::find(&home()?, dir)?;
    let disk = node.disk_at(dir)?.clone();
    let client = DaemonClient::of(&node)?;
    Ok(Target { disk, client })
}
