//! What is sent to a database.

use std::ops::Range;

use bytes::Bytes;

/// One operation of a workload, its keys and values ready to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operation {
    /// One row, which may be missing.
    Read {
        /// Its key.
        key: Bytes,
    },
    /// A new value for a row that was there.
    Update {
        /// Its key.
        key: Bytes,
        /// The new value.
        value: Bytes,
    },
    /// A row that was not there.
    Insert {
        /// Its key.
        key: Bytes,
        /// Its value.
        value: Bytes,
    },
    /// Rows and index entries that were not there, in one statement.
    InsertMany(Vec<(Bytes, Bytes)>),
    /// Rows in order of their keys, from the first that is not before `from`.
    Scan {
        /// Where it starts.
        from: Bytes,
        /// The most rows it gives.
        rows: u32,
    },
    /// A read, and when it is answered an update of the same row.
    ReadModifyWrite {
        /// The row's key.
        key: Bytes,
        /// The new value.
        value: Bytes,
    },
    /// Statements one after the other; those of one inner list are sent at once.
    InTurn(Vec<Vec<Operation>>),
}

impl Operation {
    /// Bytes of keys and values that it writes.
    pub fn written(&self) -> u64 {
        match self {
            Self::Read { .. } | Self::Scan { .. } => 0,
            Self::Update { key, value } | Self::Insert { key, value } | Self::ReadModifyWrite { key, value } => {
                (key.len() + value.len()) as u64
            }
            Self::InsertMany(rows) => rows.iter().map(|(key, value)| (key.len() + value.len()) as u64).sum(),
            Self::InTurn(statements) => statements.iter().flatten().map(Self::written).sum(),
        }
    }
}

/// An operation and what the generator must hear of again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedOperation<O = Operation> {
    /// Which of [`crate::operations::Recipe::kinds`] it is.
    pub kind: usize,
    /// The rows that it adds, for [`crate::operations::Generator::finished`]; empty if none.
    pub adds: Range<u64>,
    /// Statement or request.
    pub operation: O,
}
