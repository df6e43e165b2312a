//! What stops a benchmark.

/// Why a benchmark cannot go on, or two cannot be compared.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// A number that cannot be.
    #[error("{0}")]
    Input(String),
    /// Something of the machine or the database is missing.
    #[error("{0}")]
    Environment(String),
    /// A batch of the load failed again and again.
    #[error("the load stopped after {rows} of {all} rows: {reason} (tried {tries} times); see the log of the stores")]
    Load {
        /// Rows that were loaded.
        rows: u64,
        /// Rows that were to be loaded.
        all: u64,
        /// What the database said last.
        reason: String,
        /// How often the batch was sent.
        tries: u32,
    },
    /// A thread ended by a panic.
    #[error("a driver thread ended unexpectedly; this is a fault of diskwright")]
    Thread,
    /// A Timeline that cannot be made.
    #[error(transparent)]
    Timeline(#[from] timeline::TimelineError),
    /// A file that cannot be read.
    #[error(transparent)]
    File(#[from] input::InputError),
}

impl BenchError {
    /// The exit code that a program ends with.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Input(_) | Self::File(_) | Self::Timeline(_) => 2,
            Self::Environment(_) => 3,
            Self::Load { .. } | Self::Thread => 1,
        }
    }
}
