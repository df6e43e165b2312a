//! A server in a folder of its own. Needs root and /dev/fuse.

#![allow(dead_code, reason = "each test file takes what it needs")]

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use catalog::Catalog;
use fuse::{DiskAttachment, FuseServer, InstanceDisks, ServeError};
use tempfile::TempDir;

/// A disk and all that is needed to serve it; in memory, and gone when dropped.
pub(crate) struct Stage {
    pub(crate) server: FuseServer,
    pub(crate) backing: PathBuf,
    folder: TempDir,
}

/// With local flash, for disks that need one.
const INSTANCE: &str = "m5d.2xlarge";

pub(crate) fn attachment(text: &str, backing: PathBuf) -> DiskAttachment {
    let catalog = Catalog::embedded();
    let view = catalog.at(None);
    let disk: disk::Disk = text.parse().unwrap();
    DiskAttachment {
        name: "data".to_owned(),
        disk: text.to_owned(),
        kind: disk.volume.kind.clone(),
        spec: disk.spec(&view, Some(view.instance(INSTANCE).unwrap())).unwrap(),
        backing,
        degraded_minutes: false,
        passthrough: false,
    }
}

pub(crate) fn start(text: &str, folder: PathBuf, backing: PathBuf) -> Result<FuseServer, ServeError> {
    std::fs::create_dir_all(&folder).unwrap();
    let disks = vec![attachment(text, backing)];
    FuseServer::start(InstanceDisks { folder, instance: None, caps: None, disks, seed: 7 })
}

impl Stage {
    pub(crate) fn new(text: &str) -> Self {
        let folder = tempfile::tempdir_in("/dev/shm").unwrap();
        let backing = folder.path().join("backing");
        Self::over(text, folder, backing)
    }

    /// With a backing file elsewhere.
    pub(crate) fn over(text: &str, folder: TempDir, backing: PathBuf) -> Self {
        let disk: disk::Disk = text.parse().unwrap();
        File::create(&backing).unwrap().set_len(disk.volume.size.0 * u64::from(disk.stripe)).unwrap();
        let server = start(text, folder.path().join("disks"), backing.clone());
        Self { server: server.expect("these tests need root and /dev/fuse"), backing, folder }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("disks/data")
    }

    pub(crate) fn open(&self) -> File {
        File::options().read(true).write(true).open(self.path()).unwrap()
    }

    pub(crate) fn folder(&self) -> PathBuf {
        self.folder.path().join("disks")
    }
}

/// Whether something is mounted there.
pub(crate) fn mounted(folder: &std::path::Path) -> bool {
    std::fs::read_to_string("/proc/self/mounts").unwrap().contains(&*folder.to_string_lossy())
}

/// The bytes of a block.
pub(crate) fn block(file: &File, number: u64) -> Vec<u8> {
    let mut bytes = vec![0; 4096];
    file.read_exact_at(&mut bytes, number * 4096).unwrap();
    bytes
}
