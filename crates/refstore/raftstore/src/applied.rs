//! How far a region's entries are applied, as the state has it: written together with what the entries change.

use bytes::Bytes;
use proto::metapb::Region;

use crate::{ColumnFamily, StateChange, StateError, StateStore};

/// The index and the term that every log begins after, as TiKV has it: whoever has them has a region without data.
pub(crate) const BEGIN: Position = Position { index: 5, term: 5 };

/// A place in a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Position {
    /// Of the entry.
    pub(crate) index: u64,
    /// In which it was proposed.
    pub(crate) term: u64,
}

/// How far a region is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Progress {
    /// The last entry applied.
    pub(crate) applied: Position,
    /// The last entry that the log need not have any more.
    pub(crate) truncated: Position,
}

impl Progress {
    /// Of a region without data.
    pub(crate) const NEW: Self = Self { applied: BEGIN, truncated: BEGIN };

    /// What the state says; none if it knows nothing of the region.
    pub(crate) fn load(state: &dyn StateStore, region_id: u64) -> Result<Option<Self>, StateError> {
        let value = state.get(ColumnFamily::Raft, &key(region_id))?;
        value.map(|value| Self::decode(&value)).transpose()
    }

    /// From the value in the state.
    pub(crate) fn decode(value: &[u8]) -> Result<Self, StateError> {
        let (numbers, rest) = value.as_chunks::<8>();
        let [index, term, truncated_index, truncated_term] = numbers else {
            return Err(StateError::Disk("what raft has applied is damaged".to_owned()));
        };
        if !rest.is_empty() {
            return Err(StateError::Disk("what raft has applied is damaged".to_owned()));
        }
        let position = |index: &[u8; 8], term: &[u8; 8]| Position {
            index: u64::from_be_bytes(*index),
            term: u64::from_be_bytes(*term),
        };
        Ok(Self { applied: position(index, term), truncated: position(truncated_index, truncated_term) })
    }

    fn encode(self) -> Bytes {
        let mut value = Vec::with_capacity(32);
        for position in [self.applied, self.truncated] {
            value.extend_from_slice(&position.index.to_be_bytes());
            value.extend_from_slice(&position.term.to_be_bytes());
        }
        value.into()
    }

    /// Writes it to the state.
    pub(crate) fn change(self, region_id: u64) -> StateChange {
        StateChange::Put(ColumnFamily::Raft, key(region_id), self.encode())
    }
}

/// A snapshot that a log begins after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Restart {
    /// What it contains.
    pub(crate) at: Position,
    /// Name of its file in the folder of snapshots.
    pub(crate) file: String,
}

impl Restart {
    /// Its value in the log.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut value = Vec::with_capacity(16 + self.file.len());
        value.extend_from_slice(&self.at.index.to_be_bytes());
        value.extend_from_slice(&self.at.term.to_be_bytes());
        value.extend_from_slice(self.file.as_bytes());
        value
    }

    /// Reads that value.
    pub(crate) fn decode(value: &[u8]) -> Option<Self> {
        let (index, rest) = value.split_first_chunk::<8>()?;
        let (term, file) = rest.split_first_chunk::<8>()?;
        let at = Position { index: u64::from_be_bytes(*index), term: u64::from_be_bytes(*term) };
        Some(Self { at, file: String::from_utf8(file.to_vec()).ok()? })
    }
}

/// Where a region's progress is: TiKV's key of a region's apply state.
pub(crate) fn key(region_id: u64) -> Bytes {
    let mut key = vec![1, 2];
    key.extend_from_slice(&region_id.to_be_bytes());
    key.push(3);
    key.into()
}

/// A region's keys in the state, from and until; both have the prefix.
pub(crate) fn range(region: &Region, prefix: u8) -> (Bytes, Bytes) {
    let prefixed = |key: &[u8]| {
        let mut all = Vec::with_capacity(1 + key.len());
        all.push(prefix);
        all.extend_from_slice(key);
        Bytes::from(all)
    };
    let until = match region.end_key.is_empty() {
        // Nothing has a greater prefix than the greatest byte; an empty end is the end.
        true => prefix.checked_add(1).map_or(Bytes::new(), |next| vec![next].into()),
        false => prefixed(&region.end_key),
    };
    (prefixed(&region.start_key), until)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    #[test]
    fn progress_is_read_back() {
        let progress =
            Progress { applied: Position { index: 77, term: 8 }, truncated: Position { index: 50, term: 7 } };
        assert_eq!(Progress::decode(&progress.encode()), Ok(progress));
        assert!(Progress::decode(b"not it").is_err());
    }

    #[test]
    fn the_last_region_ends_where_the_prefix_does() {
        assert_eq!(range(&testing::region(1, b"m", b"", &[1]), b'z'), ("zm".into(), "{".into()));
        assert_eq!(range(&testing::region(1, b"", b"m", &[1]), b'z'), ("z".into(), "zm".into()));
    }
}
