//! What other processes ask of a pilot through its folder: to stop, and to undo runs.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};

use super::PilotFolder;
use super::files::{open, read_whole, sync_folder, write_whole};
use crate::{PilotError, StopMode};

const STOP: &str = "stop";
const UNDO: &str = "undo";
const TAKEN: &str = "undo.taken";
/// Ends each request to undo: without it, it was not written whole.
const END: &str = "end";

impl PilotFolder {
    /// Whether somebody wants its pilot to stop. A switch that is empty, cannot be read or says anything else freezes: people meant
    /// something by it, and nothing can be made worse by touching nothing.
    pub fn stop(&self) -> Option<StopMode> {
        let path = self.path().join(STOP);
        let is_there = || match std::fs::symlink_metadata(&path) {
            Ok(_) => true,
            Err(error) => !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory),
        };
        match read_whole(&path) {
            Ok(bytes) if bytes.trim_ascii() == b"undo" => Some(StopMode::Undo),
            Ok(bytes) if !bytes.is_empty() => Some(StopMode::Freeze),
            _ => is_there().then_some(StopMode::Freeze),
        }
    }

    /// Wants its pilot to stop, or lets it go on.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn set_stop(&self, stop: Option<StopMode>) -> Result<(), PilotError> {
        let path = self.path().join(STOP);
        match stop {
            Some(stop) => write_whole(&path, format!("{}\n", stop.word()).as_bytes()),
            None => {
                let removed = std::fs::remove_file(&path).or_else(|error| match error.kind() {
                    ErrorKind::NotFound => Ok(()),
                    _ => Err(error),
                });
                let removed = removed.and_then(|()| sync_folder(self.path()));
                removed.map_err(|error| PilotError::system(path.display(), error))
            }
        }
    }

    /// Asks the pilot that works in it to undo runs.
    ///
    /// # Errors
    /// When the folder cannot be written.
    pub fn ask_undo(&self, runs: &[u64], force: bool) -> Result<(), PilotError> {
        let path = self.path().join(UNDO);
        let forced = if force { " force" } else { "" };
        // A line break first: what a full disk has cut off before spoils no request but its own.
        let lines: String = runs.iter().map(|run| format!("\n{run}{forced} {END}\n")).collect();
        let Some(mut file) = open(&path, OpenOptions::new().create(true).append(true))? else { return Ok(()) };
        let written = file.write_all(lines.as_bytes()).and_then(|()| file.sync_all());
        written.map_err(|error| PilotError::system(path.display(), error))
    }

    /// The runs that somebody asks to undo, and whether by force; they are asked for once.
    ///
    /// # Errors
    /// When the folder cannot be read or written.
    pub fn asked_undo(&self) -> Result<Vec<(u64, bool)>, PilotError> {
        let (path, taken) = (self.path().join(UNDO), self.path().join(TAKEN));
        match std::fs::rename(&path, &taken) {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(PilotError::system(path.display(), error)),
        }
        let asked = read_whole(&taken)?;
        std::fs::remove_file(&taken).map_err(|error| PilotError::system(taken.display(), error))?;
        let parsed = String::from_utf8_lossy(&asked);
        let parsed = parsed.lines().filter_map(|line| match line.split(' ').collect::<Vec<_>>()[..] {
            [run, END] => Some((run.parse().ok()?, false)),
            [run, "force", END] => Some((run.parse().ok()?, true)),
            _ => None,
        });
        Ok(parsed.collect())
    }
}
