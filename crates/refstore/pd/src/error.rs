//! Why the placement driver cannot start or go on.

use std::io;

/// What people are told.
#[derive(Debug, thiserror::Error)]
pub enum PdError {
    /// The command line, or a file that it names, asks for what cannot be.
    #[error("{0}")]
    Input(String),
    /// The system refuses.
    #[error("cannot {what}: {source}")]
    System {
        /// What was to be done.
        what: String,
        /// Why not.
        source: io::Error,
    },
}

impl PdError {
    /// With what the program ends: 2 for wrong usage or input, 3 if the environment lacks something.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Input(_) => 2,
            Self::System { .. } => 3,
        }
    }
}

/// Says what was to be done when the system refused.
pub(crate) fn system(what: impl Into<String>) -> impl FnOnce(io::Error) -> PdError {
    move |source| PdError::System { what: what.into(), source }
}
