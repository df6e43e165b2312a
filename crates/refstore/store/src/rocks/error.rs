//! RocksDB's errors as the two that matter: the disk is full, or it fails.

use raftstore::StateError;

/// Sorts an error of RocksDB; its codes reach us as text only.
pub(crate) fn sort(error: rocksdb::Error) -> StateError {
    let text = error.into_string();
    // "No space left on device" is RocksDB's subcode and the system's ENOSPC alike. A file that could not be written says
    // "previous error" from then on; whatever that was, it was sorted when it happened, and a failing disk ended the node.
    let full = ["No space left on device", "Disk quota exceeded", "Space limit reached", "Writer has previous error"];
    if full.iter().any(|words| text.contains(words)) { StateError::Full(text) } else { StateError::Disk(text) }
}
