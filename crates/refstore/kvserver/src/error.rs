//! Why a store's service cannot start.

use std::io;

/// Why a store's service cannot start.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The socket that it was given does not listen.
    #[error("cannot take connections: {0}")]
    Listen(#[source] io::Error),
    /// The machine has no more threads.
    #[error("cannot start thread {name}: {source}; raise the limit of threads (ulimit -u, or pids.max of the cgroup)")]
    Thread {
        /// Its name.
        name: String,
        /// What the system says.
        source: io::Error,
    },
}
