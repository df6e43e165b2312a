//! A pilot's folder: its journal, its log for people, its lock, and what other processes ask of it.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use private::Purpose;

use super::Replay;
use crate::PilotError;

const JOURNAL: &str = "journal.jsonl";
const LOG: &str = "pilot.log";
const LOCK: &str = "lock";
const STOP: &str = "stop";
const UNDO: &str = "undo";

/// A journal is believed when it is undone: others may read it, where its owner lets them, but not write it.
const PLACE: Purpose = Purpose { what: "pilot's folder", choose: "name another with --journal DIR", allowed: 0o055 };

/// Where the lines of a journal go.
pub trait Lines {
    /// Adds a line; it is durable when this returns.
    ///
    /// # Errors
    /// When it is not.
    fn append(&mut self, line: &str) -> Result<(), PilotError>;
}

/// A pilot's folder.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    /// Held as long as this lives; the system lets go of it when a pilot is killed.
    lock: Option<File>,
}

impl Folder {
    /// Opens a folder to read in, beside a pilot that may run. One that is missing is empty.
    ///
    /// # Errors
    /// When others could have written what is in it.
    pub fn at(path: impl AsRef<Path>) -> Result<Self, PilotError> {
        let path = path.as_ref();
        let there = private::existing(path, PLACE)?;
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
        let path = private::open(path.as_ref(), PLACE)?;
        let name = path.join(LOCK);
        let lock = OpenOptions::new().create(true).truncate(false).write(true).open(&name);
        let lock = lock.map_err(|error| PilotError::system(name.display(), error))?;
        match lock.try_lock() {
            Ok(()) => Ok(Self { path, lock: Some(lock) }),
            Err(TryLockError::WouldBlock) => Err(PilotError::Refused(format!(
                "another pilot works in {}: one pilot a cluster; end it with `diskwright pilot stop --journal {0}`",
                path.display()
            ))),
            Err(TryLockError::Error(error)) => Err(PilotError::system(name.display(), error)),
        }
    }

    /// Whether a pilot works in it.
    pub fn is_taken(&self) -> bool {
        self.lock.is_some()
            || File::open(self.path.join(LOCK))
                .is_ok_and(|lock| matches!(lock.try_lock_shared(), Err(TryLockError::WouldBlock)))
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What its journal says; nothing if there is none.
    ///
    /// # Errors
    /// When it cannot be read, or is none.
    pub fn replay(&self) -> Result<Replay, PilotError> {
        let (replay, _) = Replay::read(&self.journal().display().to_string(), &self.text()?)?;
        Ok(replay)
    }

    /// Its journal to write on, after a line that a crash cut off is taken away.
    ///
    /// # Errors
    /// When it cannot be read or written, or is none.
    pub fn lines(&self) -> Result<(Box<dyn Lines>, Replay), PilotError> {
        let path = self.journal();
        let (replay, whole) = Replay::read(&path.display().to_string(), &self.text()?)?;
        let failed = |error: std::io::Error| PilotError::system(path.display(), error);
        let file = OpenOptions::new().create(true).append(true).open(&path).map_err(failed)?;
        file.set_len(whole as u64).and_then(|()| file.sync_all()).map_err(failed)?;
        // The name is durable too.
        File::open(&self.path).and_then(|folder| folder.sync_all()).map_err(failed)?;
        Ok((Box::new(Durable { file, path }), replay))
    }

    /// Its journal to read, and to write on without leaving a trace: for who only looks.
    ///
    /// # Errors
    /// When it cannot be read, or is none.
    pub fn glance(&self) -> Result<(Box<dyn Lines>, Replay), PilotError> {
        Ok((Box::new(Nowhere), self.replay()?))
    }

    /// Adds a sentence to the log for people.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn log(&self, at: Timestamp, sentence: &str) -> Result<(), PilotError> {
        let path = self.path.join(LOG);
        let file = OpenOptions::new().create(true).append(true).open(&path);
        let written = file.and_then(|mut file| writeln!(file, "{at:.0}  {sentence}"));
        written.map_err(|error| PilotError::system(path.display(), error))
    }

    /// The log for people.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn logged(&self) -> Result<String, PilotError> {
        text(&self.path.join(LOG))
    }

    /// Whether somebody wants it to stop.
    pub fn stop(&self) -> Option<Stop> {
        // A file that cannot be read stops too: people meant something by it.
        match std::fs::read_to_string(self.path.join(STOP)) {
            Ok(text) if text.trim() == "freeze" => Some(Stop::Freeze),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            _ => Some(Stop::Undo),
        }
    }

    /// Wants it to stop, or lets it go on.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn set_stop(&self, stop: Option<Stop>) -> Result<(), PilotError> {
        let path = self.path.join(STOP);
        let done = match stop {
            Some(stop) => std::fs::write(&path, if stop == Stop::Freeze { "freeze\n" } else { "undo\n" }),
            None => std::fs::remove_file(&path).or_else(|error| match error.kind() {
                ErrorKind::NotFound => Ok(()),
                _ => Err(error),
            }),
        };
        done.map_err(|error| PilotError::system(path.display(), error))
    }

    /// Asks the pilot that works in it to undo runs.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn ask_undo(&self, runs: &[u64], force: bool) -> Result<(), PilotError> {
        let path = self.path.join(UNDO);
        let lines: String = runs.iter().map(|run| format!("{run}{}\n", if force { " force" } else { "" })).collect();
        let file = OpenOptions::new().create(true).append(true).open(&path);
        let written = file.and_then(|mut file| file.write_all(lines.as_bytes()).and_then(|()| file.sync_all()));
        written.map_err(|error| PilotError::system(path.display(), error))
    }

    /// The runs that somebody asks to undo, and whether by force; they are asked for once.
    ///
    /// # Errors
    /// When the folder cannot be read or written.
    pub fn asked_undo(&self) -> Result<Vec<(u64, bool)>, PilotError> {
        let (path, taken) = (self.path.join(UNDO), self.path.join("undo.taken"));
        match std::fs::rename(&path, &taken) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(PilotError::system(path.display(), error)),
        }
        let asked = text(&taken)?;
        std::fs::remove_file(&taken).map_err(|error| PilotError::system(taken.display(), error))?;
        let parsed = asked.lines().filter_map(|line| {
            let (run, rest) = line.split_once(' ').unwrap_or((line, ""));
            Some((run.parse().ok()?, rest == "force"))
        });
        Ok(parsed.collect())
    }

    fn journal(&self) -> PathBuf {
        self.path.join(JOURNAL)
    }

    fn text(&self) -> Result<String, PilotError> {
        text(&self.journal())
    }
}

/// How a pilot is stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// What is under way is undone, then it ends.
    Undo,
    /// Nothing is touched any more, not even to undo it.
    Freeze,
}

/// The text of a file; none if there is no file. A line that a crash cut within a letter is no text, and goes.
fn text(path: &Path) -> Result<String, PilotError> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(String::from_utf8(bytes).unwrap_or_else(|error| {
            let valid = error.utf8_error().valid_up_to();
            String::from_utf8_lossy(&error.as_bytes()[..valid]).into_owned()
        })),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(String::new()),
        Err(error) => Err(PilotError::system(path.display(), error)),
    }
}

struct Nowhere;

impl Lines for Nowhere {
    fn append(&mut self, _: &str) -> Result<(), PilotError> {
        Ok(())
    }
}

struct Durable {
    file: File,
    path: PathBuf,
}

impl Lines for Durable {
    fn append(&mut self, line: &str) -> Result<(), PilotError> {
        let written = self.file.write_all(format!("{line}\n").as_bytes()).and_then(|()| self.file.sync_data());
        written.map_err(|error| PilotError::system(self.path.display(), error))
    }
}
