//! What is about to be done and what came of it, line by line, on the disk before it happens.

mod entry;
mod file;
mod read;

pub use entry::{Came, Ended, Entry, Undone};
pub use file::{Folder, Lines, Stop};
pub use read::{Journal, Replay};
