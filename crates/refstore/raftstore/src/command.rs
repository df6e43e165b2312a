//! What clients ask of a region, and what they get.

use bytes::Bytes;
use proto::errorpb;

use crate::StateChange;

/// A write to one region. Keys are as the state has them, prefix and all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WriteCommand {
    /// All of these changes or none.
    Write(Vec<StateChange>),
    /// Put the value, in `default`, if the key has the expected one; none expects that there is no such key.
    CompareAndSwap {
        /// Of which key.
        key: Bytes,
        /// What it has to be.
        expected: Option<Bytes>,
        /// What it becomes.
        value: Bytes,
    },
}

impl WriteCommand {
    /// Bytes of keys and values.
    pub fn size(&self) -> usize {
        match self {
            Self::Write(changes) => changes.iter().map(change_size).sum(),
            Self::CompareAndSwap { key, expected, value } => {
                key.len() + expected.as_ref().map_or(0, Bytes::len) + value.len()
            }
        }
    }
}

/// Bytes of keys and values of a change.
pub(crate) fn change_size(change: &StateChange) -> usize {
    match change {
        StateChange::Put(_, key, value) => key.len() + value.len(),
        StateChange::Delete(_, key) => key.len(),
        StateChange::DeleteRange(_, from, until) => from.len() + until.len(),
    }
}

/// What a command did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ApplyResult {
    /// The changes are made.
    Done,
    /// The outcome of a compare and swap.
    Swapped {
        /// Whether the key had the expected value.
        succeeded: bool,
        /// What it had.
        previous: Option<Bytes>,
    },
}

/// Why there is no result.
#[derive(Debug, Clone, PartialEq)]
pub enum Refusal {
    /// Certainly not done, and never will be.
    Region(Box<errorpb::Error>),
    /// Nobody can say whether a write was or will be done; the text says why, and ends in `fate unknown`.
    Unknown(String),
}

/// Called exactly once with the outcome, on a thread of raft: it must not block.
pub type WriteCallback<T> = Box<dyn FnOnce(Result<T, Refusal>) + Send>;
