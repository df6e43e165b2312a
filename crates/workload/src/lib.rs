//! What is asked of a database: operations, data, skew, clients and targets.

#![forbid(unsafe_code)]

mod profile;
mod targets;

pub use profile::{Band, IoRates, Measured, Profile, Task, Unit};
pub use targets::{Availability, Targets};

/// The database that serves the workload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Engine {
    /// TiKV: log-structured merge trees behind Raft.
    TiKv,
    /// InnoDB: B-trees behind a redo log (MySQL, MariaDB, RDS).
    InnoDb,
}
