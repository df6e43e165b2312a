//! What is about to be done and what came of it, line by line, on the disk before it happens.

mod chain;
mod damage;
mod entry;
mod file;
mod files;
mod line;
mod read;
mod reader;
mod requests;
mod scan;
mod upgrade;
mod write;

pub use damage::{JournalDamage, RefusedRun};
pub use entry::{JournalEntry, RunEnd, StepOutcome, UndoOutcome};
pub use file::PilotFolder;
pub(crate) use files::{read_whole, write_whole};
pub use read::JournalReplay;
pub use write::{Journal, JournalSink};
