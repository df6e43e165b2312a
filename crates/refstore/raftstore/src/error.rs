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
    /// A region that this store is to have has no replica on it.
    #[error("region {region} has no replica on store {store}")]
    NoReplica {
        /// The region.
        region: u64,
        /// This store.
        store: u64,
    },
    /// A region is named twice.
    #[error("region {region} is named twice")]
    RegionTwice {
        /// The region.
        region: u64,
    },
    /// Raft does not take its settings.
    #[error("region {region}: {why}")]
    Raft {
        /// The region.
        region: u64,
        /// Raft's words.
        why: String,
    },
    /// A snapshot that a crash interrupted cannot be installed.
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
    /// The system refuses a thread or a folder.
    #[error("{what}: {why}")]
    System {
        /// What was tried.
        what: String,
        /// The system's answer.
        why: std::io::Error,
    },
}

impl RaftstoreError {
    /// Whether other regions, settings or folders would do: not the machine's fault.
    pub fn is_input(&self) -> bool {
        matches!(self, Self::NoReplica { .. } | Self::RegionTwice { .. } | Self::Raft { .. } | Self::Snapshot(_))
    }
}

/// Why a snapshot cannot be installed.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    /// The log's name of its file is no file's name.
    #[error("the log names a snapshot that is none")]
    NoName,
    /// Its file, or the state, is at fault.
    #[error("the snapshot of region {region} in {path}: {fault}")]
    File {
        /// The region.
        region: u64,
        /// The file.
        path: String,
        /// What is wrong.
        fault: SnapshotFault,
    },
}

/// What is wrong with a snapshot.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotFault {
    /// Its file cannot be read.
    #[error(transparent)]
    Unreadable(#[from] std::io::Error),
    /// A piece of it is damaged.
    #[error("it is damaged")]
    Damaged,
    /// It ends early.
    #[error("pairs are missing")]
    PairsMissing,
    /// The state does not take it.
    #[error("it cannot be written")]
    Unwritten,
    /// The state cannot be synced.
    #[error("it cannot be synced")]
    Unsynced,
}
