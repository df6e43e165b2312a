//! A disk as its server is given it.

use std::path::PathBuf;

use disk::DeviceSpec;

/// A disk to serve.
#[derive(Debug, Clone)]
pub struct DiskAttachment {
    /// Its name, also that of its file.
    pub name: String,
    /// As people write it.
    pub disk: String,
    /// The type of its volumes in the catalogue.
    pub kind: String,
    /// How it behaves.
    pub spec: DeviceSpec,
    /// The sparse file that holds its data; it must exist and have the disk's size.
    pub backing: PathBuf,
    /// Whether degraded minutes happen as often as the type's promise leaves room for.
    pub degraded_minutes: bool,
    /// Whether a block device stands on the backing file itself, so that nothing is in the way of a disk without limits. No
    /// fault reaches such a disk and nobody times its requests; counters are the block device's, which
    /// [`calibrate`](crate::FuseServer::calibrate) names.
    pub passthrough: bool,
}
