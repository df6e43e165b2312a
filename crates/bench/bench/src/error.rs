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
    /// Too much of a run failed for it to be held against another.
    #[error("run {run} did not carry its load: {failed} of {asked} operations failed{reason}")]
    Failures {
        /// Its number, from 1.
        run: u32,
        /// Operations that failed.
        failed: u64,
        /// All of them.
        asked: u64,
        /// Why most of them did.
        reason: String,
    },
    /// A thread ended by a panic.
    #[error("a driver thread ended unexpectedly; this is a fault of diskwright")]
    Thread,
    /// A Timeline that cannot be made.
    #[error(transparent)]
    Timeline(#[from] timeline::TimelineError),
    /// A file that cannot be read.
    #[error(transparent)]
    File(#[from] textfile::InputError),
    /// A file that cannot be written.
    #[error(transparent)]
    NotWritten(textfile::InputError),
}

impl BenchError {
    /// The exit code that a program ends with.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Input(_) | Self::File(_) | Self::Timeline(_) => 2,
            Self::Environment(_) | Self::NotWritten(_) => 3,
            Self::Load { .. } | Self::Failures { .. } | Self::Thread => 1,
        }
    }
}
