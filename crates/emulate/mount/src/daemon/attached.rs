//! One disk as block device and filesystem.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use crate::loops::{self, Loop, Manner};
use crate::{Filesystem, FilesystemHolder, MountError, holders, mounts, processes, unmount};

/// A disk whose file has a loop device over it.
#[derive(Debug)]
pub(crate) struct Attached {
    pub(crate) name: String,
    pub(crate) at: PathBuf,
    pub(crate) device: Loop,
    filesystem: Filesystem,
    /// Whether a detach or a power cut was let loose on it since it was last mounted.
    pub(crate) cut: AtomicBool,
}

impl Attached {
    /// Makes a device over a file: the server's, or a backing file itself.
    pub(crate) fn new(file: &Path, name: &str, at: &Path, manner: Manner, fs: Filesystem) -> Result<Self, MountError> {
        let device = loops::attach(file)?;
        if let Err(error) = device.tune(manner) {
            let _ = device.detach();
            return Err(error);
        }
        let (name, at) = (name.to_owned(), at.to_owned());
        Ok(Self { name, at, device, filesystem: fs, cut: AtomicBool::new(false) })
    }

    /// Mounts it; answers what people should know of it.
    pub(crate) fn mount(&self) -> Result<Option<String>, MountError> {
        let noted = self.filesystem.mount(&self.device.device(), &self.at)?;
        self.cut.store(false, Ordering::Relaxed);
        Ok(noted)
    }

    /// Whether nobody but the kernel uses the filesystem or the device.
    pub(crate) fn check_idle(&self) -> Result<(), MountError> {
        let mut users: Vec<FilesystemHolder> = holders::of(&self.at);
        users.extend(processes::of_device(&self.device.device()));
        if users.is_empty() { Ok(()) } else { Err(MountError::Busy { place: self.at.clone(), holders: users }) }
    }

    /// Unmounts it.
    pub(crate) fn unmount(&self) -> Result<(), MountError> {
        unmount::now(&self.at)
    }

    /// Takes it away from whoever uses it; what can be written is.
    pub(crate) fn give_up(&self) {
        if mounts::is_mounted(&self.at) {
            // Whoever holds files open loses them with the server: this is the last chance of what they wrote.
            let cut = self.cut.load(Ordering::Relaxed);
            if let Some(folder) = std::fs::File::open(&self.at).ok().filter(|_| !cut) {
                let _ = nix::unistd::syncfs(folder);
            }
            unmount::lazily(&self.at);
        }
        self.device.let_go();
    }

    /// Takes over the size of the file, if that grew.
    pub(crate) fn grow(&self, size: u64) -> Result<bool, MountError> {
        if self.device.size().is_none_or(|now| now >= size) {
            return Ok(false);
        }
        // The kernel knows the size of a FUSE file from the last time that somebody asked.
        std::fs::metadata(&self.device.file).map_err(|e| MountError::system(self.device.file.display(), e))?;
        self.device.grow()?;
        Ok(self.device.size() == Some(size))
    }

    /// The command that makes the filesystem as large as the device.
    pub(crate) fn grow_command(&self) -> String {
        self.filesystem.grow_command(&self.device.device(), &self.at)
    }
}
