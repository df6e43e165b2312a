//! Folders that no other user of the machine can read or tamper with. Every state, scratch and journal folder is opened by
//! [`open`] or [`existing`]; records are read from such folders only.

#![forbid(unsafe_code)]

mod error;
mod user;
mod walk;

pub use error::{FolderError, FolderFault, PathEntry};
pub use user::LocalUser;
pub use walk::{existing, open};

/// Meaning of a folder to people, and how private it has to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FolderPurpose {
    /// Its name in messages: `scratch folder`.
    pub what: &'static str,
    /// How another is chosen, after "or": `name another with --scratch DIR`.
    pub choose: &'static str,
    /// Permission bits that group and others may have.
    pub allowed: u32,
}

impl FolderPurpose {
    /// Scratch folder of runs. Its group may pass through it, without seeing what is there: a server that runs as a user of its
    /// own has its files below.
    pub const SCRATCH: Self =
        Self { what: "scratch folder", choose: "name another with --scratch DIR", allowed: 0o010 };
}
