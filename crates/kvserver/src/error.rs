//! Why a store's service cannot start.

use std::io;
use std::net::SocketAddr;

/// Why a store's service cannot start.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// The address is in use, or not of this machine.
    #[error("cannot listen on {addr}: {source}; choose another --addr, or port 0 for a free one")]
    Listen {
        /// What was asked for.
        addr: SocketAddr,
        /// What the system says.
        source: io::Error,
    },
    /// The machine has no more threads.
    #[error("cannot start thread {name}: {source}; raise the limit of threads (ulimit -u, or pids.max of the cgroup)")]
    Thread {
        /// Its name.
        name: String,
        /// What the system says.
        source: io::Error,
    },
}
