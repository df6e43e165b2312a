//! The log's files. The log ends the process when a sync fails; here a failed sync breaks the node instead, so that it can
//! say so and hand over what it leads.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;

use raft_engine::env::{FileSystem, Handle, Permission, WriteExt};
use rustix::fs::{FallocateFlags, fallocate};

use crate::health::Broken;

/// Opens files that tell of their failures.
pub(crate) struct Files {
    broken: Arc<Broken>,
}

impl Files {
    /// Failures go there.
    pub(crate) fn new(broken: Arc<Broken>) -> Self {
        Self { broken }
    }
}

/// An open file.
pub(crate) struct LogFile {
    file: File,
    broken: Arc<Broken>,
}

/// A place in an open file.
pub(crate) struct Cursor {
    file: Arc<LogFile>,
    offset: u64,
}

/// How a failure of the log's disk is told.
pub(crate) fn failure(error: &io::Error) -> String {
    format!("raft log disk: {error}")
}

impl FileSystem for Files {
    type Handle = LogFile;
    type Reader = Cursor;
    type Writer = Cursor;

    fn create<P: AsRef<Path>>(&self, path: P) -> io::Result<LogFile> {
        let file = File::options().read(true).write(true).create(true).truncate(false).open(path)?;
        Ok(LogFile { file, broken: Arc::clone(&self.broken) })
    }

    fn open<P: AsRef<Path>>(&self, path: P, permission: Permission) -> io::Result<LogFile> {
        let file = File::options().read(true).write(permission == Permission::ReadWrite).open(path)?;
        Ok(LogFile { file, broken: Arc::clone(&self.broken) })
    }

    fn delete<P: AsRef<Path>>(&self, path: P) -> io::Result<()> {
        std::fs::remove_file(path)
    }

    fn rename<P: AsRef<Path>>(&self, from: P, to: P) -> io::Result<()> {
        std::fs::rename(from, to)
    }

    fn new_reader(&self, file: Arc<LogFile>) -> io::Result<Cursor> {
        Ok(Cursor { file, offset: 0 })
    }

    fn new_writer(&self, file: Arc<LogFile>) -> io::Result<Cursor> {
        Ok(Cursor { file, offset: 0 })
    }
}

impl Handle for LogFile {
    fn truncate(&self, offset: usize) -> io::Result<()> {
        self.file.set_len(offset as u64)
    }

    fn file_size(&self) -> io::Result<usize> {
        Ok(self.file.metadata()?.len() as usize)
    }

    fn sync(&self) -> io::Result<()> {
        // After a failed sync nobody knows what is on the disk, and a second one that succeeds proves nothing: whoever
        // waits for this one looks whether the node is broken before it trusts the answer.
        if let Err(error) = self.file.sync_data() {
            self.broken.set(&failure(&error));
        }
        Ok(())
    }
}

impl Read for Cursor {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let read = self.file.file.read_at(to, self.offset)?;
        self.offset += read as u64;
        Ok(read)
    }
}

impl Write for Cursor {
    fn write(&mut self, from: &[u8]) -> io::Result<usize> {
        let written = self.file.file.write_at(from, self.offset)?;
        self.offset += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for Cursor {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let (base, by) = match to {
            SeekFrom::Start(offset) => (offset, 0),
            SeekFrom::Current(by) => (self.offset, by),
            SeekFrom::End(by) => (self.file.file.metadata()?.len(), by),
        };
        self.offset = base.checked_add_signed(by).ok_or(ErrorKind::InvalidInput)?;
        Ok(self.offset)
    }
}

impl WriteExt for Cursor {
    fn truncate(&mut self, offset: usize) -> io::Result<()> {
        self.file.file.set_len(offset as u64)?;
        self.offset = offset as u64;
        Ok(())
    }

    fn allocate(&mut self, offset: usize, size: usize) -> io::Result<()> {
        match fallocate(&self.file.file, FallocateFlags::empty(), offset as u64, size as u64) {
            // A filesystem that cannot reserve room still takes what is written.
            Err(error) if error == rustix::io::Errno::OPNOTSUPP => Ok(()),
            outcome => Ok(outcome?),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sync_that_fails_breaks_the_node_and_ends_no_process() {
        let broken = Arc::new(Broken::default());
        // What is written there is on no disk, and Linux says so: EINVAL.
        let file = Files::new(Arc::clone(&broken)).open("/dev/null", Permission::ReadWrite).unwrap();
        assert!(file.sync().is_ok());
        assert_eq!(broken.why().as_deref(), Some("raft log disk: Invalid argument (os error 22)"));
    }
}
