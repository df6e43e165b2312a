//! Why a client cannot start, told to people.

/// Why a client cannot start.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ClientError {
    /// What was asked for cannot be, whatever the cluster: people mend their input.
    #[error("{0}")]
    Input(String),
    /// The cluster does not answer, or is not one that can be used.
    #[error("{0}")]
    Environment(String),
    /// A signal came while the cluster was waited for.
    #[error("interrupted")]
    Interrupted,
}

impl ClientError {
    /// The exit code of a program that ends with this error: 2 for input, 3 for the environment.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Input(_) => 2,
            Self::Environment(_) => 3,
            // What a shell tells of a program that Ctrl-C ended.
            Self::Interrupted => 130,
        }
    }
}
