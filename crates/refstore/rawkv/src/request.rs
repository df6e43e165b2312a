//! What is asked of the cluster, and what it answers.

use bytes::Bytes;

/// What is asked of the cluster. Values never expire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RawRequest {
    /// The value of a key.
    Get(Bytes),
    /// Sets a key to a value.
    Put(Bytes, Bytes),
    /// Removes a key, whether it is there or not.
    Delete(Bytes),
    /// Sets keys to values. Keys of one region are set together, and regions independently of each other.
    BatchPut(Vec<(Bytes, Bytes)>),
    /// The first pairs at or after a key, in order. Regions are read one after another: no common point in time.
    Scan {
        /// The first key.
        from: Bytes,
        /// The key before which it ends; empty is the end of all keys.
        until: Bytes,
        /// The most pairs; zero finds none.
        limit: u32,
    },
    /// Sets a key only if its value is what is expected. Tried again only if it has certainly not happened.
    CompareAndSwap {
        /// The key.
        key: Bytes,
        /// The value that it must have; `None` if it must have none.
        expected: Option<Bytes>,
        /// The value that it gets.
        value: Bytes,
    },
}

/// What the cluster answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RawResponse {
    /// To `Get`: the value, if there is one.
    Value(Option<Bytes>),
    /// To `Put`, `Delete` and `BatchPut`.
    Done,
    /// To `Scan`.
    Pairs(Vec<(Bytes, Bytes)>),
    /// To `CompareAndSwap`.
    Swapped {
        /// Whether the value was what was expected, and is now the new one.
        succeeded: bool,
        /// The value before.
        previous: Option<Bytes>,
    },
}

/// Why a request failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    /// It has certainly not been carried out, and never will be.
    #[error("{0}")]
    Refused(String),
    /// A write that may have been carried out, in part or whole, or may be later.
    #[error("{0}")]
    Unknown(String),
}
