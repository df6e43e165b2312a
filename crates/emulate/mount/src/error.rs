//! Why disks cannot be mounted, told to people.

use std::path::PathBuf;

use crate::FilesystemHolder;

/// Why disks cannot be mounted, or something cannot be done to mounted ones. It passes whole from the daemon to its clients.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MountError {
    /// What was asked for cannot be, whatever the machine: people mend their input.
    #[error("{0}")]
    Input(String),
    /// The answer is no, as a cloud would say it: too soon after the last modification.
    #[error("{0}")]
    Refused(String),
    /// Somebody uses what should go away.
    #[error("{place} is in use{}", crate::in_use::sentence(.holders), place = .place.display())]
    Busy {
        /// The folder.
        place: PathBuf,
        /// Who uses it; empty if nobody was found who does.
        holders: Vec<FilesystemHolder>,
    },
    /// The machine lacks something, or a call to the system failed.
    #[error("{0}")]
    Environment(String),
}

impl MountError {
    /// The exit code of a program that ends with this error: 1 for a no, 2 for input, 3 for the environment.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Refused(_) | Self::Busy { .. } => 1,
            Self::Input(_) => 2,
            Self::Environment(_) => 3,
        }
    }

    /// A call to the system that failed.
    pub(crate) fn system(what: impl std::fmt::Display, source: impl std::fmt::Display) -> Self {
        Self::Environment(format!("{what}: {source}"))
    }
}

impl From<fuse::ServeError> for MountError {
    fn from(error: fuse::ServeError) -> Self {
        Self::Environment(error.to_string())
    }
}
