//! Where the ledger of predictions is kept: a file in the pilot's folder.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use volume_control::Ledger;

use crate::PilotError;
use crate::journal::{read_whole, write_whole};

/// Keeps a ledger.
pub trait Keeps {
    /// What was kept; an empty ledger if nothing was.
    ///
    /// # Errors
    /// When it cannot be read.
    fn load(&self) -> Result<Ledger, PilotError>;

    /// Keeps it whole: after a crash it is the old one or the new one.
    ///
    /// # Errors
    /// When it cannot be written.
    fn save(&mut self, ledger: &Ledger) -> Result<(), PilotError>;
}

/// A file of lines of JSON.
#[derive(Debug, Clone)]
pub struct Book(PathBuf);

impl Book {
    /// The file's name in the pilot's folder.
    pub const NAME: &str = "volumes.jsonl";

    /// The one of a pilot's folder.
    pub fn of(folder: &std::path::Path) -> Self {
        Self(folder.join(Self::NAME))
    }
}

impl Keeps for Book {
    fn load(&self) -> Result<Ledger, PilotError> {
        let wrong = |why: &dyn std::fmt::Display| PilotError::Input(format!("{}: {why}", self.0.display()));
        let text = String::from_utf8(read_whole(&self.0)?).map_err(|error| wrong(&error))?;
        Ledger::from_lines(&text).map_err(|error| wrong(&error))
    }

    fn save(&mut self, ledger: &Ledger) -> Result<(), PilotError> {
        write_whole(&self.0, ledger.to_lines().as_bytes())
    }
}

/// A ledger in memory; its copies are one.
#[derive(Debug, Clone, Default)]
pub struct MemoryBook(Arc<Mutex<Ledger>>);

impl MemoryBook {
    /// As it was kept last.
    pub fn ledger(&self) -> Ledger {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Keeps for MemoryBook {
    fn load(&self) -> Result<Ledger, PilotError> {
        Ok(self.ledger())
    }

    fn save(&mut self, ledger: &Ledger) -> Result<(), PilotError> {
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
        let mut book = Book::of(folder.path());
        assert_eq!(book.load(), Ok(Ledger::default()));
        book.save(&Ledger::default()).unwrap();
        assert_eq!(book.load(), Ok(Ledger::default()));
        std::fs::write(folder.path().join(Book::NAME), "nonsense\n").unwrap();
        let error = book.load().unwrap_err();
        assert!(error.exit_code() == 2 && error.to_string().contains(Book::NAME), "{error}");
    }
}
