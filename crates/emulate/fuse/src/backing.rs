//! The sparse file in which a disk's data lie.

use std::fs::{File, TryLockError};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use rustix::fs::{FallocateFlags, fallocate};

use crate::ServeError;
use crate::room::{self, Room};

/// A backing file, ours alone as long as it is open.
#[derive(Debug)]
pub(crate) struct Backing {
    file: File,
    path: PathBuf,
    /// Where it lies in memory.
    room: Option<Room>,
}

impl Backing {
    pub(crate) fn open(path: &Path) -> Result<Self, ServeError> {
        let system = |what| move |source| ServeError::System { what: format!("{what} {}", path.display()), source };
        let file = File::options().read(true).write(true).open(path).map_err(system("open the backing file"))?;
        match file.try_lock() {
            Ok(()) => Ok(Self { room: Room::of(&file), file, path: path.to_owned() }),
            Err(TryLockError::WouldBlock) => Err(ServeError::InUse { path: path.to_owned() }),
            Err(TryLockError::Error(source)) => Err(system("lock the backing file")(source)),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn size(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    pub(crate) fn read(&self, into: &mut [u8], offset: u64) -> io::Result<()> {
        self.file.read_exact_at(into, offset)
    }

    pub(crate) fn write(&self, from: &[u8], offset: u64) -> io::Result<()> {
        if let Some(room) = &self.room {
            room.take(from.len() as u64, room::available)?;
        }
        self.file.write_all_at(from, offset)
    }

    /// Makes a range read as zeros and gives its space back.
    pub(crate) fn punch(&self, offset: u64, length: u64) -> io::Result<()> {
        Ok(fallocate(&self.file, FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE, offset, length)?)
    }

    /// Appends a hole, or cuts off one that was appended.
    pub(crate) fn resize(&self, size: u64) -> io::Result<()> {
        self.file.set_len(size)
    }
}
