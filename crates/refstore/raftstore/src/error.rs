//! Why raft on a node does not start.

/// Why raft did not start.
#[derive(Debug, thiserror::Error)]
pub enum RaftstoreError {
    /// The log cannot be opened or read.
    #[error("the raft log in {folder}: {why}")]
    Log {
        /// Where it is.
        folder: String,
        /// What is wrong.
        why: String,
    },
    /// The state cannot be read or written.
    #[error(transparent)]
    State(#[from] crate::StateError),
    /// What was asked for makes no sense.
    #[error("{0}")]
    Input(String),
    /// The system refuses a thread or a folder.
    #[error("{what}: {why}")]
    System {
        /// What was tried.
        what: String,
        /// The system's answer.
        why: std::io::Error,
    },
}
