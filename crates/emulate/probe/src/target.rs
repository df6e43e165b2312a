//! What is measured, and what must not be harmed by it.

mod contents;
mod device;

use std::fs::File;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use disk_space::DiskSpace;
use units::Bytes;

use crate::ProbeError;
use crate::options::{OverwriteScope, ProbeOptions};

/// What is measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProbeTarget {
    /// A folder on a mounted disk: a test file is made in it and removed at the end.
    Folder(PathBuf),
    /// A block device: only read, unless [`Options::destroy`] allows more.
    Device(PathBuf),
}

/// The least range that is worth measuring: smaller ones may be held by a cache.
const LEAST: Bytes = Bytes::mib(16);
/// The size of the test file if there is room.
const USUAL: Bytes = Bytes::gib(1);

/// Where jobs run.
#[derive(Debug)]
pub(crate) struct Range {
    pub(crate) path: PathBuf,
    pub(crate) size: Bytes,
    /// Of the disk as a whole, if it can be told.
    pub(crate) disk: Option<Bytes>,
    pub(crate) writable: bool,
    /// Whether it must be written once: unwritten blocks read without I/O.
    pub(crate) fill: bool,
    /// The test file. It has no name, so nothing is left of it however this process ends.
    _file: Option<File>,
}

impl ProbeTarget {
    /// What is at a path.
    ///
    /// # Errors
    /// When it is neither a folder nor a block device.
    pub fn at(path: impl AsRef<Path>) -> Result<Self, ProbeError> {
        let path = path.as_ref().to_owned();
        let no_target = |path, is| Err(ProbeError::NoTarget { path, is });
        match std::fs::metadata(&path) {
            Ok(found) if found.is_dir() => Ok(Self::Folder(path)),
            Ok(found) if found.file_type().is_block_device() => Ok(Self::Device(path)),
            Ok(found) if found.is_file() => no_target(path, "a file"),
            Ok(_) => no_target(path, "something else"),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => no_target(path, "not there"),
            Err(source) => Err(ProbeError::System { path, what: "look at it", source }),
        }
    }

    /// The folder or device.
    pub fn path(&self) -> &Path {
        match self {
            Self::Folder(path) | Self::Device(path) => path,
        }
    }

    pub(crate) fn prepare(&self, options: &ProbeOptions) -> Result<Range, ProbeError> {
        match self {
            Self::Folder(folder) => in_folder(folder, options),
            Self::Device(device) => on_device(device, options),
        }
    }
}

fn in_folder(folder: &Path, options: &ProbeOptions) -> Result<Range, ProbeError> {
    let system = |what| move |source| ProbeError::System { path: folder.to_owned(), what, source };
    let free = DiskSpace::of(folder).map_err(system("ask for free space"))?.available;
    let size = options.size.unwrap_or(USUAL.min(Bytes(free.0 / 10)));
    let size = Bytes(size.0 >> 20 << 20);
    if size < LEAST || Bytes(size.0.saturating_mul(2)) > free {
        return Err(ProbeError::NoRoom { folder: folder.to_owned(), free, least: LEAST.max(size) });
    }
    let file = tempfile::tempfile_in(folder).map_err(system("make a test file"))?;
    file.set_len(size.0).map_err(system("make a test file"))?;
    let disk = file.metadata().ok().and_then(|found| device::size_of(found.dev()));
    let path = format!("/proc/{}/fd/{}", std::process::id(), file.as_raw_fd()).into();
    Ok(Range { path, size, disk, writable: true, fill: true, _file: Some(file) })
}

fn on_device(path: &Path, options: &ProbeOptions) -> Result<Range, ProbeError> {
    let size = device::unused(path)?;
    if options.destroy == OverwriteScope::Blank
        && let Some(found) = contents::found(path)?
    {
        return Err(ProbeError::HoldsData { device: path.to_owned(), found });
    }
    if size < LEAST {
        return Err(ProbeError::TooSmall { device: path.to_owned(), size, least: LEAST });
    }
    let writable = options.destroy != OverwriteScope::Nothing;
    let usual = if writable { USUAL } else { size };
    let range = options.size.unwrap_or(usual).max(LEAST).min(size);
    Ok(Range {
        path: path.to_owned(),
        size: Bytes(range.0 >> 20 << 20),
        disk: Some(size),
        writable,
        fill: writable,
        _file: None,
    })
}

#[cfg(test)]
mod tests;
