//! Why a node cannot start, told to people.

use std::net::SocketAddr;
use std::path::PathBuf;

use kvserver::ServerError;
use pd::session::SessionError;
use raftstore::{RaftstoreError, StateError};
use textfile::InputError;

/// Why a node cannot start.
#[derive(Debug, thiserror::Error)]
pub enum NodeError {
    /// A fault of the file.
    #[error(transparent)]
    File(#[from] InputError),
    /// A fault of the command line or of a value.
    #[error("{0}")]
    Input(String),
    /// An address is taken.
    #[error("cannot listen on {addr}: {source}; choose another, or port 0 for a free one")]
    Listen {
        /// Which.
        addr: SocketAddr,
        /// What the system says.
        source: std::io::Error,
    },
    /// Another process has the folder.
    #[error("{} is in use by another node; end that one, or choose another --data-dir", .0.display())]
    InUse(PathBuf),
    /// The state cannot be opened.
    #[error("cannot open the state: {0}")]
    State(#[from] StateError),
    /// PD cannot be joined.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// Raft cannot start.
    #[error(transparent)]
    Raft(#[from] RaftstoreError),
    /// The service cannot start.
    #[error(transparent)]
    Server(#[from] ServerError),
    /// The system refuses.
    #[error("cannot {what}: {source}")]
    System {
        /// What was to be done.
        what: String,
        /// Why not.
        source: std::io::Error,
    },
}

impl NodeError {
    /// The exit code: 2 for wrong input, 3 if the environment lacks something.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::File(_) | Self::Input(_) => 2,
            Self::Raft(error) if error.is_input() => 2,
            Self::Session(error) => error.exit_code(),
            _ => 3,
        }
    }

    /// A call to the system that failed.
    pub(crate) fn system(what: impl Into<String>) -> impl FnOnce(std::io::Error) -> Self {
        let what = what.into();
        |source| Self::System { what, source }
    }
}
