//! What raft's entries change: an ordered map in column families, behind a trait so that raft is tested without RocksDB.

use std::fmt;

use bytes::Bytes;

/// TiKV's column families.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ColumnFamily {
    /// Values; raw keys live here.
    Default,
    /// Locks of transactions.
    Lock,
    /// Commits of transactions.
    Write,
    /// What each raft group has applied.
    Raft,
}

impl ColumnFamily {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Default, Self::Lock, Self::Write, Self::Raft];

    /// TiKV's name of it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Lock => "lock",
            Self::Write => "write",
            Self::Raft => "raft",
        }
    }

    /// The one that a client names; no name is `default`. Clients have no business in `raft`.
    pub fn of_client(name: &str) -> Option<Self> {
        match name {
            "" => Some(Self::Default),
            _ => [Self::Default, Self::Lock, Self::Write].into_iter().find(|cf| cf.name() == name),
        }
    }
}

impl fmt::Display for ColumnFamily {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One change of the state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StateChange {
    /// A key gets a value.
    Put(ColumnFamily, Bytes, Bytes),
    /// A key goes.
    Delete(ColumnFamily, Bytes),
    /// All keys from the first, up to but without the second, go; an empty second is the end.
    DeleteRange(ColumnFamily, Bytes, Bytes),
}

/// A walk over keys in order.
#[derive(Debug, Clone)]
pub struct KeyScan {
    /// In which column family.
    pub cf: ColumnFamily,
    /// The least key.
    pub from: Bytes,
    /// Keys are less than this; empty is the end.
    pub until: Bytes,
    /// At most so many pairs.
    pub limit: usize,
    /// From the greatest key down.
    pub reverse: bool,
    /// Values come back empty.
    pub keys_only: bool,
}

/// Why the state could not be read or written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StateError {
    /// There is no room on the disk.
    #[error("the data disk is full: {0}")]
    Full(String),
    /// The disk fails, or what is on it is damaged.
    #[error("the data disk fails: {0}")]
    Disk(String),
}

/// An ordered map in column families, on a disk. Calls may block; every call may come from any thread.
pub trait StateStore: Send + Sync + 'static {
    /// The value of a key.
    ///
    /// # Errors
    /// When the disk fails.
    fn get(&self, cf: ColumnFamily, key: &[u8]) -> Result<Option<Bytes>, StateError>;

    /// Pairs in order.
    ///
    /// # Errors
    /// When the disk fails.
    fn scan(&self, scan: &KeyScan) -> Result<Vec<(Bytes, Bytes)>, StateError>;

    /// All changes or none, in their order. They survive a kill of the process, not a power cut: for that, [`State::sync`].
    ///
    /// # Errors
    /// When the disk fails or is full; then nothing is changed.
    fn write(&self, changes: &[StateChange]) -> Result<(), StateError>;

    /// Whatever was written survives a power cut.
    ///
    /// # Errors
    /// When the disk fails or is full.
    fn sync(&self) -> Result<(), StateError>;

    /// Hands out every pair of the ranges (column family, from, until), all as they were at one moment.
    ///
    /// # Errors
    /// When the disk fails, or `each` does.
    fn export(
        &self,
        ranges: &[(ColumnFamily, Bytes, Bytes)],
        each: &mut dyn FnMut(ColumnFamily, Bytes, Bytes) -> Result<(), StateError>,
    ) -> Result<(), StateError>;
}
