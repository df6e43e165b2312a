//! Reasons why a folder is not used.

use std::fmt;
use std::path::PathBuf;

use crate::{FolderPurpose, LocalUser};

/// Why a folder is not used. The message names the folder, whose it is, its mode, what was expected and what to try.
#[derive(Debug, thiserror::Error)]
#[error("the {} {} cannot be used: {fault}{}", .purpose.what, .folder.display(), advice(.purpose, .fault))]
pub struct FolderError {
    /// What it is for.
    pub purpose: FolderPurpose,
    /// The folder that was asked for.
    pub folder: PathBuf,
    /// What is wrong with it.
    pub fault: FolderFault,
}

/// What is wrong with a folder.
#[derive(Debug, thiserror::Error)]
pub enum FolderFault {
    /// It belongs to another user.
    #[error("{0}; expected a folder of {own} with mode 0700", own = LocalUser::current())]
    Owner(PathEntry),
    /// A folder or link on the way to it belongs to another user, who could put something else in its place.
    #[error("{0}, who could put something else in its place; expected {own}", own = trusted())]
    OwnerOnTheWay(PathEntry),
    /// Others may do more with it than its purpose allows.
    #[error("others can get into it: {0}; expected mode {allowed:04o}", allowed = .1)]
    Open(PathEntry, u32),
    /// Others may write to a folder on the way to it.
    #[error("others could put something else in its place: {0}; expected mode 0755 or less, or the sticky bit")]
    Writable(PathEntry),
    /// It is no folder, or something on the way to it is none.
    #[error("{} is no folder", .0.display())]
    NoFolder(PathBuf),
    /// Links on the way to it lead in a circle.
    #[error("too many symbolic links on the way to it")]
    Links,
    /// A call to the system failed.
    #[error("{}: {source}", .at.display())]
    System {
        /// Where it failed.
        at: PathBuf,
        /// How.
        source: std::io::Error,
    },
}

impl FolderFault {
    /// Whether the system refused it to this user.
    pub fn is_denied(&self) -> bool {
        matches!(self, Self::System { source, .. } if source.kind() == std::io::ErrorKind::PermissionDenied)
    }
}

/// Something on the way to a folder, as it was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathEntry {
    /// Where.
    pub at: PathBuf,
    /// Whose.
    pub owner: LocalUser,
    /// Its permission bits, with the sticky bit.
    pub mode: u32,
}

impl fmt::Display for PathEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} belongs to {} and has mode {:04o}", self.at.display(), self.owner, self.mode)
    }
}

fn trusted() -> String {
    match LocalUser::current() {
        LocalUser::ROOT => format!("it to be of {}", LocalUser::ROOT),
        own => format!("it to be of {} or {own}", LocalUser::ROOT),
    }
}

fn advice(purpose: &FolderPurpose, fault: &FolderFault) -> String {
    let first = match fault {
        FolderFault::Owner(_) if LocalUser::current() == LocalUser::ROOT => "remove it if nobody needs it".to_owned(),
        FolderFault::Owner(found) => format!("run as {}", found.owner),
        FolderFault::Open(found, allowed) if found.mode & 0o022 == 0 => {
            format!("close it with `chmod {allowed:o} {}`", found.at.display())
        }
        FolderFault::Open(found, _) if found.mode & 0o1000 != 0 => "name a folder below it".to_owned(),
        FolderFault::Writable(found) => format!("close it with `chmod go-w {}`", found.at.display()),
        // Closed, it would still hold what others have put there.
        FolderFault::Open(..)
        | FolderFault::OwnerOnTheWay(_)
        | FolderFault::NoFolder(_)
        | FolderFault::Links
        | FolderFault::System { .. } => {
            return format!(": {}", purpose.choose);
        }
    };
    format!(": {first}, or {}", purpose.choose)
}
