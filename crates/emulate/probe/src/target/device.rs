//! Block devices: how large, and whether anybody uses them.

use std::fs::OpenOptions;
use std::io::{Seek, SeekFrom};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use units::Bytes;

use crate::ProbeError;

/// The kernel counts the size of any block device in units of this, whatever its sectors are.
const SECTOR: u64 = 512;

/// The size of a device that nobody has mounted or holds.
pub(super) fn unused(path: &Path) -> Result<Bytes, ProbeError> {
    let system = |what| move |source| ProbeError::System { path: path.to_owned(), what, source };
    // Without O_CREAT, O_EXCL asks of a block device that nobody else holds it: open(2).
    let opened = OpenOptions::new().read(true).custom_flags(nix::fcntl::OFlag::O_EXCL.bits()).open(path);
    let mut file = opened.map_err(|error| match error.raw_os_error() {
        Some(number) if number == nix::errno::Errno::EBUSY as i32 => ProbeError::InUse { device: path.to_owned() },
        _ => system("open it")(error),
    })?;
    file.seek(SeekFrom::End(0)).map(Bytes).map_err(system("find its size"))
}

/// The size of the device with a number, if it is one with a size (a tmpfs is not).
pub(super) fn size_of(device: u64) -> Option<Bytes> {
    let (major, minor) = (nix::sys::stat::major(device), nix::sys::stat::minor(device));
    let sectors = std::fs::read_to_string(format!("/sys/dev/block/{major}:{minor}/size")).ok()?;
    sectors.trim().parse::<u64>().ok().map(|sectors| Bytes(sectors * SECTOR))
}
