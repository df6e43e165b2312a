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

pub use damage::{Damage, RefusedRun};
pub use entry::{Came, Ended, Entry, Undone};
pub use file::Folder;
pub(crate) use files::{read_whole, write_whole};
pub use read::Replay;
pub use requests::Stop;
pub use write::{Journal, Lines};
