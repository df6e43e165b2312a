//! Size of a filesystem, and what of it is left to this process.

#![forbid(unsafe_code)]

use std::io;
use std::path::Path;

use rustix::fs::statvfs;
use units::Bytes;

/// Space of a filesystem.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DiskSpace {
    /// All of it.
    pub capacity: Bytes,
    /// What is left to this process, without what is reserved for root.
    pub available: Bytes,
}

impl DiskSpace {
    /// Space of the filesystem that holds a path.
    ///
    /// # Errors
    /// When the path does not exist, or its filesystem does not answer.
    pub fn of(path: &Path) -> io::Result<Self> {
        let stat = statvfs(path)?;
        Ok(Self { capacity: Bytes(stat.f_blocks * stat.f_frsize), available: Bytes(stat.f_bavail * stat.f_frsize) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filesystem_has_no_more_left_than_it_holds() {
        let folder = tempfile::tempdir().unwrap();
        let space = DiskSpace::of(folder.path()).unwrap();
        assert!(space.capacity > Bytes(0) && space.available <= space.capacity, "{space:?}");
    }

    #[test]
    fn a_path_that_is_missing_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let error = DiskSpace::of(&folder.path().join("missing")).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }
}
