//! A region's log as raft sees it: the newest entries in memory, older ones in the engine.

use std::collections::VecDeque;
use std::sync::Arc;

use raft::eraftpb::{ConfState, Entry, HardState, Snapshot};
use raft::{GetEntriesContext, RaftState, Storage, StorageError};

use super::{Engine, Entries, hard_state};
use crate::RaftstoreError;
use crate::applied::{BEGIN, Position, Progress};

/// Entries that are applied but not yet at every replica stay in memory up to so many bytes; beyond, they are read back.
const CACHE_LIMIT: usize = 1 << 20;

/// A region's log.
pub(crate) struct LogStore {
    region_id: u64,
    engine: Arc<Engine>,
    hard: HardState,
    conf: ConfState,
    last: Position,
    progress: Progress,
    /// The newest entries, without a gap, up to the last.
    cache: VecDeque<Entry>,
    cache_bytes: usize,
    /// Bytes of entries that the log has, roughly.
    bytes: u64,
}

impl LogStore {
    /// What is on the disk of it. The state may be ahead of the hard state's commit, never of the log.
    pub(crate) fn open(
        engine: &Arc<Engine>,
        region_id: u64,
        voters: Vec<u64>,
        progress: Progress,
    ) -> Result<Self, RaftstoreError> {
        let failed = |why: String| RaftstoreError::Log {
            folder: engine.path().to_owned(),
            why: format!("region {region_id}: {why}"),
        };
        let hard = hard_state(engine, region_id).map_err(|error| failed(error.to_string()))?;
        let first = engine.first_index(region_id).unwrap_or(progress.truncated.index + 1);
        let last = match engine.last_index(region_id).filter(|&last| last > progress.truncated.index) {
            None => progress.truncated,
            Some(index) => {
                let entry = engine.get_entry::<Entries>(region_id, index).map_err(|error| failed(error.to_string()))?;
                let entry = entry.ok_or_else(|| failed(format!("entry {index} is missing")))?;
                Position { index, term: entry.term }
            }
        };
        if first > progress.truncated.index + 1 {
            return Err(failed(format!(
                "it begins at {first}, but the state needs what comes after {}: is the data folder an older copy?",
                progress.truncated.index
            )));
        }
        if last.index < progress.applied.index {
            return Err(failed(format!(
                "it ends at {}, but the state has {}: is the log folder an older copy, or another node's?",
                last.index, progress.applied.index
            )));
        }
        let mut hard = hard.unwrap_or(HardState { term: BEGIN.term, ..HardState::default() });
        // Only term and vote are always on the disk.
        hard.commit = progress.applied.index;
        hard.term = hard.term.max(last.term);
        let conf = ConfState { voters, ..ConfState::default() };
        let engine = Arc::clone(engine);
        Ok(Self { region_id, engine, hard, conf, last, progress, cache: VecDeque::new(), cache_bytes: 0, bytes: 0 })
    }

    /// Whether the replica has never had anything to do with any other.
    pub(crate) fn is_new(&self) -> bool {
        self.hard.term == BEGIN.term && self.hard.vote == 0 && self.last == BEGIN
    }

    /// How far it is.
    pub(crate) fn progress(&self) -> Progress {
        self.progress
    }

    /// Entries of the log and their bytes, roughly.
    pub(crate) fn size(&self) -> (u64, u64) {
        (self.last.index - self.progress.truncated.index, self.bytes)
    }

    /// Entries that are about to be written: those with their indexes or greater ones go.
    pub(crate) fn append(&mut self, entries: &[Entry]) {
        let Some((first, last)) = entries.first().zip(entries.last()) else { return };
        while self.cache.back().is_some_and(|entry| entry.index >= first.index) {
            if let Some(entry) = self.cache.pop_back() {
                self.cache_bytes -= entry.data.len();
            }
        }
        self.last = Position { index: last.index, term: last.term };
        let bytes = entries.iter().map(|entry| entry.data.len()).sum::<usize>();
        self.cache_bytes += bytes;
        self.bytes += bytes as u64;
        self.cache.extend(entries.iter().cloned());
    }

    /// The log begins anew after a snapshot, which is not applied yet.
    pub(crate) fn restart(&mut self, at: Position) {
        self.cache.clear();
        self.cache_bytes = 0;
        self.bytes = 0;
        self.last = at;
        self.progress.truncated = at;
    }

    /// Entries are applied up to there, and the log may begin later.
    pub(crate) fn applied(&mut self, progress: Progress) {
        // What was still on its way when a snapshot came is older than it.
        self.progress.applied = self.progress.applied.max(progress.applied);
        if progress.truncated > self.progress.truncated && progress.truncated.index <= self.last.index {
            let (had, left) = (self.size().0, self.last.index - progress.truncated.index);
            self.bytes = self.bytes * left / had.max(1);
            self.progress.truncated = progress.truncated;
        }
    }

    /// Entries before this index are not needed soon, and those applied not at any price.
    pub(crate) fn forget_before(&mut self, index: u64) {
        let applied = self.progress.applied.index;
        while let Some(entry) = self.cache.front() {
            let wanted = entry.index >= index && self.cache_bytes <= CACHE_LIMIT;
            // The last one answers for the term of the log's end.
            if wanted || entry.index > applied {
                break;
            }
            self.cache_bytes -= entry.data.len();
            self.cache.pop_front();
        }
    }

    fn cached(&self, index: u64) -> Option<&Entry> {
        let first = self.cache.front()?.index;
        self.cache.get(usize::try_from(index.checked_sub(first)?).ok()?)
    }
}

fn other(error: raft_engine::Error) -> raft::Error {
    match error {
        raft_engine::Error::EntryCompacted => raft::Error::Store(StorageError::Compacted),
        raft_engine::Error::EntryNotFound => raft::Error::Store(StorageError::Unavailable),
        error => raft::Error::Store(StorageError::Other(Box::new(error))),
    }
}

impl Storage for LogStore {
    fn initial_state(&self) -> raft::Result<RaftState> {
        Ok(RaftState::new(self.hard.clone(), self.conf.clone()))
    }

    fn entries(
        &self,
        low: u64,
        high: u64,
        max_size: impl Into<Option<u64>>,
        _: GetEntriesContext,
    ) -> raft::Result<Vec<Entry>> {
        if low <= self.progress.truncated.index {
            return Err(raft::Error::Store(StorageError::Compacted));
        }
        if high > self.last.index + 1 {
            return Err(raft::Error::Store(StorageError::Unavailable));
        }
        let limit = max_size.into().unwrap_or(u64::MAX);
        let mut entries = Vec::new();
        let cached = self.cache.front().map_or(high, |entry| entry.index);
        if low < cached {
            let until = high.min(cached);
            let most = usize::try_from(limit).unwrap_or(usize::MAX);
            self.engine
                .fetch_entries_to::<Entries>(self.region_id, low, until, Some(most), &mut entries)
                .map_err(other)?;
            if (entries.len() as u64) < until - low {
                // No room for more, or the engine has less than it should.
                return if entries.is_empty() {
                    Err(raft::Error::Store(StorageError::Unavailable))
                } else {
                    Ok(entries)
                };
            }
        }
        let mut size: u64 = entries.iter().map(|entry| entry.data.len() as u64).sum();
        for index in low.max(cached)..high {
            let entry = self.cached(index).ok_or(raft::Error::Store(StorageError::Unavailable))?;
            size += entry.data.len() as u64;
            if size > limit && !entries.is_empty() {
                break;
            }
            entries.push(entry.clone());
        }
        Ok(entries)
    }

    fn term(&self, index: u64) -> raft::Result<u64> {
        if index == self.progress.truncated.index {
            return Ok(self.progress.truncated.term);
        }
        if index < self.progress.truncated.index {
            return Err(raft::Error::Store(StorageError::Compacted));
        }
        if index == self.last.index {
            return Ok(self.last.term);
        }
        if index > self.last.index {
            return Err(raft::Error::Store(StorageError::Unavailable));
        }
        if let Some(entry) = self.cached(index) {
            return Ok(entry.term);
        }
        let entry = self.engine.get_entry::<Entries>(self.region_id, index).map_err(other)?;
        entry.map(|entry| entry.term).ok_or(raft::Error::Store(StorageError::Unavailable))
    }

    fn first_index(&self) -> raft::Result<u64> {
        Ok(self.progress.truncated.index + 1)
    }

    fn last_index(&self) -> raft::Result<u64> {
        Ok(self.last.index)
    }

    /// Announces one: what is in it is taken from the state when it is sent, and may then be newer.
    fn snapshot(&self, request_index: u64, _: u64) -> raft::Result<Snapshot> {
        let Position { index, term } = self.progress.applied;
        if index < request_index || index < self.progress.truncated.index {
            return Err(raft::Error::Store(StorageError::SnapshotTemporarilyUnavailable));
        }
        let mut snapshot = Snapshot::default();
        let about = snapshot.mut_metadata();
        about.index = index;
        about.term = term;
        about.set_conf_state(self.conf.clone());
        Ok(snapshot)
    }
}
