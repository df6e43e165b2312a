//! Why the pilot does not act, or cannot.

use std::path::PathBuf;

use http_client::{ApiError, PeerError};
use jiff::Timestamp;
use private_dir::{FolderError, FolderFault};

use crate::StopMode;

/// Why something of the cluster could not be read or written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WorldError {
    /// No answer, or one that says nothing about the request: whether it was carried out is not known.
    #[error("{peer} does not answer: {why}")]
    Silent {
        /// Who was asked.
        peer: String,
        /// What happened instead.
        why: String,
    },
    /// It says no. TiKV may have carried out a part of it all the same.
    #[error("{peer} refuses: {why}")]
    Refused {
        /// Who was asked.
        peer: String,
        /// In its own words.
        why: String,
    },
    /// It says that this is not allowed to us.
    #[error("{peer} lets the pilot not do this: {why}; give it a certificate or token that may")]
    Denied {
        /// Who was asked.
        peer: String,
        /// In its own words.
        why: String,
    },
    /// It says no, but not for ever: a cloud's volumes may be modified so often only.
    #[error("{peer} refuses for now: {why}{}", .until.map(|until| format!("; again from {until}")).unwrap_or_default())]
    NotYet {
        /// Who was asked.
        peer: String,
        /// In its own words.
        why: String,
        /// From when on it may be asked again, if that is told.
        until: Option<Timestamp>,
    },
    /// What was asked of is not there.
    #[error("{peer} knows no {what}")]
    Missing {
        /// Who was asked.
        peer: String,
        /// What is not there.
        what: String,
    },
    /// An answer of another shape than is known: nothing is decided by it.
    #[error(
        "{peer} answers {what} with `{seen}`: {why}; nothing is decided by an answer that is not understood: is it the address of \
         a {program}?"
    )]
    Strange {
        /// Who was asked.
        peer: String,
        /// For what.
        what: String,
        /// The beginning of the answer.
        seen: String,
        /// Where it differs from what was expected.
        why: String,
        /// What would have answered as expected.
        program: &'static str,
    },
    /// Nobody was named who could be asked.
    #[error("nothing is known of {what}: {hint}")]
    Unnamed {
        /// Of what.
        what: String,
        /// What to try.
        hint: String,
    },
    /// The pilot only looks.
    #[error("the pilot only looks: {what} needs --act")]
    DryRun {
        /// What would have been written.
        what: String,
    },
}

impl WorldError {
    /// Whether asking again may help.
    pub fn is_passing(&self) -> bool {
        matches!(self, Self::Silent { .. } | Self::NotYet { .. })
    }
}

/// Why the pilot ends, or does not begin.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PilotError {
    /// The answer is no: a cluster in trouble, a step that its guard does not let through.
    #[error("{0}")]
    Refused(String),
    /// People mend it: an address, a key, a folder of another cluster.
    #[error("{0}")]
    Input(String),
    /// The folder cannot be written, the cluster cannot be reached.
    #[error("{0}")]
    Environment(String),
    /// Another task holds PD's maintenance lock.
    #[error(
        "PD's maintenance lock is held by {holder}; one changes a cluster at a time: wait until that is over, or end it; if it is \
         gone for good, take its lock away with DELETE /pd/api/v2/maintenance/TYPE/ID"
    )]
    LockHeld {
        /// The task, in PD's words.
        holder: String,
    },
    /// The kill switch of the folder is set.
    #[error(
        "the kill switch is set in {}{}: take it away with `diskwright pilot stop --clear --journal {}`",
        .folder.display(),
        if *.stop == StopMode::Freeze { ", and nothing may be touched" } else { "" },
        textfile::shell_word(.folder)
    )]
    Stopped {
        /// The folder.
        folder: PathBuf,
        /// The switch.
        stop: StopMode,
    },
    /// The cluster did not answer as it should.
    #[error(transparent)]
    World(#[from] WorldError),
}

impl From<ApiError> for WorldError {
    fn from(error: ApiError) -> Self {
        match error {
            ApiError::Silent { peer, why } => Self::Silent { peer, why },
            ApiError::Stopped { peer } => Self::Silent { peer, why: PeerError::Stopped.to_string() },
            ApiError::Refused { peer, why } => Self::Refused { peer, why },
            ApiError::Denied { peer, why } => Self::Denied { peer, why },
            ApiError::Missing { peer, what } => Self::Missing { peer, what },
            ApiError::Strange { peer, what, seen, why, program } => Self::Strange { peer, what, seen, why, program },
        }
    }
}

impl From<FolderError> for PilotError {
    fn from(error: FolderError) -> Self {
        match error.fault {
            FolderFault::NoFolder(_) | FolderFault::Links => Self::Input(error.to_string()),
            _ => Self::Environment(error.to_string()),
        }
    }
}

impl PilotError {
    /// A call to the system that failed.
    pub(crate) fn system(what: impl std::fmt::Display, source: impl std::fmt::Display) -> Self {
        Self::Environment(format!("{what}: {source}"))
    }
}
