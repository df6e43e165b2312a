//! Where the ledger of predictions is kept: a file in the pilot's folder.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use volume_control::ChangeLedger;

use crate::PilotError;
use crate::journal::{read_whole, write_whole};

/// Keeps a ledger.
pub trait LedgerStore {
    /// What was kept; an empty ledger if nothing was.
    ///
    /// # Errors
    /// When it cannot be read.
    fn load(&self) -> Result<ChangeLedger, PilotError>;

    /// Keeps it whole: after a crash it is the old one or the new one.
    ///
    /// # Errors
    /// When it cannot be written.
    fn save(&mut self, ledger: &ChangeLedger) -> Result<(), PilotError>;
}

/// A file of lines of JSON.
#[derive(Debug, Clone)]
pub struct JsonLinesFile(PathBuf);

impl JsonLinesFile {
    /// The file's name in the pilot's folder.
    pub const NAME: &str = "volumes.jsonl";

    /// The one of a pilot's folder.
    pub fn of(folder: &std::path::Path) -> Self {
        Self(folder.join(Self::NAME))
    }
}

impl LedgerStore for JsonLinesFile {
    fn load(&self) -> Result<ChangeLedger, PilotError> {
        let wrong = |why: &dyn std::fmt::Display| PilotError::Input(format!("{}: {why}", self.0.display()));
        let text = String::from_utf8(read_whole(&self.0)?).map_err(|error| wrong(&error))?;
        ChangeLedger::from_lines(&text).map_err(|error| wrong(&error))
    }

    fn save(&mut self, ledger: &ChangeLedger) -> Result<(), PilotError> {
        write_whole(&self.0, ledger.to_lines().as_bytes())
    }
}

/// A ledger in memory; its copies are one.
#[derive(Debug, Clone, Default)]
pub struct MemoryBook(Arc<Mutex<ChangeLedger>>);

impl MemoryBook {
    /// As it was kept last.
    pub fn ledger(&self) -> ChangeLedger {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl LedgerStore for MemoryBook {
    fn load(&self) -> Result<ChangeLedger, PilotError> {
        Ok(self.ledger())
    }

    fn save(&mut self, ledger: &ChangeLedger) -> Result<(), PilotError> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = ledger.clone();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_book_that_was_never_written_is_empty_and_one_that_is_no_ledger_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let mut book = JsonLinesFile::of(folder.path());
        assert_eq!(book.load(), Ok(ChangeLedger::default()));
        book.save(&ChangeLedger::default()).unwrap();
        assert_eq!(book.load(), Ok(ChangeLedger::default()));
        std::fs::write(folder.path().join(JsonLinesFile::NAME), "nonsense\n").unwrap();
        let error = book.load().unwrap_err();
        assert!(matches!(error, PilotError::Input(_)) && error.to_string().contains(JsonLinesFile::NAME), "{error}");
    }
}
