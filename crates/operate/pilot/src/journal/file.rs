//! A pilot's folder: its journal, its log for people, and its lock.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use private_dir::FolderPurpose;

use super::files::{open, read_whole, sync_folder, write_whole};
use super::upgrade::upgraded;
use super::{JournalReplay, JournalSink};
use crate::PilotError;

const JOURNAL: &str = "journal.jsonl";
/// Where a journal of format 1 is kept that was written anew.
const FORMER: &str = "journal-1.jsonl";
const LOG: &str = "pilot.log";
const LOCK: &str = "lock";

/// A journal is believed when it is undone: others may read it, where its owner lets them, but not write it.
const PLACE: FolderPurpose =
    FolderPurpose { what: "pilot's folder", choose: "name another with --journal DIR", allowed: 0o055 };

/// A pilot's folder.
#[derive(Debug)]
pub struct PilotFolder {
    path: PathBuf,
    /// Held as long as this lives; the system lets go of it when a pilot is killed.
    lock: Option<File>,
}

impl PilotFolder {
    /// Opens a folder to read in, beside a pilot that may run. One that is missing is empty.
    ///
    /// # Errors
    /// When others could have written what is in it.
    pub fn at(path: impl AsRef<Path>) -> Result<Self, PilotError> {
        let path = path.as_ref();
        let there = private_dir::existing(path, PLACE)?;
        Ok(Self { path: there.unwrap_or_else(|| path.to_owned()), lock: None })
    }

    /// The same folder to read in.
    pub(crate) fn reader(&self) -> Self {
        Self { path: self.path.clone(), lock: None }
    }

    /// Opens a folder to write in, and makes it if it is not there.
    ///
    /// # Errors
    /// When another pilot has it, it cannot be written, or others could have written in it.
    pub fn take(path: impl AsRef<Path>) -> Result<Self, PilotError> {
        let path = private_dir::open(path.as_ref(), PLACE)?;
        let name = path.join(LOCK);
        let failed = |error: std::io::Error| PilotError::system(name.display(), error);
        let lock = open(&name, OpenOptions::new().create(true).truncate(false).write(true))?;
        let lock = lock.ok_or_else(|| failed(ErrorKind::NotFound.into()))?;
        match lock.try_lock() {
            Ok(()) => Ok(Self { path, lock: Some(lock) }),
            Err(TryLockError::WouldBlock) => Err(PilotError::Refused(format!(
                "another pilot works in {}: one pilot a cluster; end it with `diskwright pilot stop --journal {0}`",
                path.display()
            ))),
            Err(TryLockError::Error(error)) => Err(failed(error)),
        }
    }

    /// Whether a pilot works in it.
    pub fn is_taken(&self) -> bool {
        let locked = |lock: File| matches!(lock.try_lock_shared(), Err(TryLockError::WouldBlock));
        let lock = || open(&self.path.join(LOCK), OpenOptions::new().read(true)).ok().flatten();
        self.lock.is_some() || lock().is_some_and(locked)
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What its journal says; nothing if there is none.
    ///
    /// # Errors
    /// When it cannot be read, or a newer program wrote it.
    pub fn replay(&self) -> Result<JournalReplay, PilotError> {
        let (replay, _) = JournalReplay::read(&self.name(), self.bytes()?)?;
        Ok(replay)
    }

    /// Its journal to write on. A line that a crash cut off is taken away, unless the journal is damaged elsewhere: then it is only
    /// added to. One of format 1 is written anew with checksums, and kept beside.
    ///
    /// # Errors
    /// When it cannot be read or written, or a newer program wrote it.
    pub fn lines(&self) -> Result<(Box<dyn JournalSink>, JournalReplay), PilotError> {
        let (path, bytes) = (self.journal(), self.bytes()?);
        let (mut replay, mut whole) = JournalReplay::read(&self.name(), &bytes)?;
        let failed = |error: std::io::Error| PilotError::system(path.display(), error);
        let mut ends = bytes[..whole].last().is_none_or(|last| *last == b'\n');
        if replay.is_damaged() {
            // What seems to be cut off may be what was damaged.
            (ends, whole) = (bytes.ends_with(b"\n"), bytes.len());
        } else if replay.unsealed {
            let (text, again) = upgraded(&self.name(), &bytes[..whole], &replay)?;
            std::fs::hard_link(&path, self.path.join(FORMER)).or_else(|error| match error.kind() {
                ErrorKind::AlreadyExists => Ok(()),
                _ => Err(failed(error)),
            })?;
            write_whole(&path, text.as_bytes())?;
            (replay, whole, ends) = (again, text.len(), true);
        }
        let file = open(&path, OpenOptions::new().create(true).append(true))?;
        let file = file.ok_or_else(|| failed(ErrorKind::NotFound.into()))?;
        if file.metadata().map_err(failed)?.len() > whole as u64 {
            file.set_len(whole as u64).map_err(failed)?;
        }
        // The name is durable too.
        file.sync_all().and_then(|()| sync_folder(&self.path)).map_err(failed)?;
        Ok((Box::new(Durable { file, path, ends, failed: false }), replay))
    }

    /// Its journal to read, and to write on without leaving a trace: for who only looks.
    ///
    /// # Errors
    /// When it cannot be read, or a newer program wrote it.
    pub fn glance(&self) -> Result<(Box<dyn JournalSink>, JournalReplay), PilotError> {
        Ok((Box::new(Nowhere), self.replay()?))
    }

    /// Adds a sentence to the log for people.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn log(&self, at: Timestamp, sentence: &str) -> Result<(), PilotError> {
        let path = self.path.join(LOG);
        let failed = |error: std::io::Error| PilotError::system(path.display(), error);
        let file = open(&path, OpenOptions::new().create(true).append(true))?;
        let mut file = file.ok_or_else(|| failed(ErrorKind::NotFound.into()))?;
        writeln!(file, "{at:.0}  {sentence}").map_err(failed)
    }

    /// The log for people.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn logged(&self) -> Result<String, PilotError> {
        Ok(String::from_utf8_lossy(&read_whole(&self.path.join(LOG))?).into_owned())
    }

    fn journal(&self) -> PathBuf {
        self.path.join(JOURNAL)
    }

    fn name(&self) -> String {
        self.journal().display().to_string()
    }

    fn bytes(&self) -> Result<Vec<u8>, PilotError> {
        read_whole(&self.journal())
    }
}

struct Nowhere;

impl JournalSink for Nowhere {
    fn append(&mut self, _: &str) -> Result<(), PilotError> {
        Ok(())
    }
}

struct Durable {
    file: File,
    path: PathBuf,
    /// Whether it ends with a line break.
    ends: bool,
    /// Whether a line was not written: of one after it, it would not be known where it begins.
    failed: bool,
}

impl JournalSink for Durable {
    fn append(&mut self, line: &str) -> Result<(), PilotError> {
        if self.failed {
            return Err(PilotError::system(self.path.display(), "a line before could not be written"));
        }
        let line = format!("{}{line}\n", if self.ends { "" } else { "\n" });
        let written = self.file.write_all(line.as_bytes()).and_then(|()| self.file.sync_data());
        (self.failed, self.ends) = (written.is_err(), true);
        written.map_err(|error| PilotError::system(self.path.display(), error))
    }
}
