//! What can go wrong.

use std::path::PathBuf;

use disk::ModifyError;

/// Why a disk cannot be modified.
#[derive(Debug, thiserror::Error)]
pub enum ModifyFailure {
    /// The cloud would not do it now.
    #[error(transparent)]
    Refused(#[from] ModifyError),
    /// Its backing file cannot grow.
    #[error(transparent)]
    Backing(#[from] ServeError),
}

/// Why disks cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The backing file is in use by another daemon.
    #[error("{path} is already served by another process: bring that one down first")]
    InUse {
        /// The file.
        path: PathBuf,
    },
    /// There is no FUSE behind `/dev/fuse`, or it may not be used.
    #[error(
        "{folder} cannot be served over FUSE: {source}. Is FUSE there (`modprobe fuse`)? A container needs /dev/fuse and CAP_SYS_ADMIN"
    )]
    Fuse {
        /// Where the disks were to appear.
        folder: PathBuf,
        /// What the kernel said.
        source: std::io::Error,
    },
    /// Something of the system failed.
    #[error("{what}: {source}")]
    System {
        /// What was tried.
        what: String,
        /// What came of it.
        source: std::io::Error,
    },
}
