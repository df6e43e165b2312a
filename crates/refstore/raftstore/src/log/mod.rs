//! The log of every region of a node, in one raft-engine.

mod files;
mod store;

use std::sync::Arc;

use protobuf::Message as _;
use raft::eraftpb::{Entry, HardState};
use raft_engine::{Config, LogBatch, MessageExt, ReadableSize};

use crate::applied::Restart;
use crate::health::Broken;
use crate::{RaftSettings, RaftstoreError};

pub(crate) use files::{Files, failure};
pub(crate) use store::LogStore;

/// The log.
pub(crate) type Engine = raft_engine::Engine<Files>;

/// How raft-engine reads raft's entries.
pub(crate) struct Entries;

impl MessageExt for Entries {
    type Entry = Entry;

    fn index(entry: &Entry) -> u64 {
        entry.index
    }
}

/// Term and vote of a region.
const HARD_STATE: &[u8] = b"hard-state";
/// The snapshot that a region's log begins after: its position and the name of the file it came in.
const SNAPSHOT: &[u8] = b"snapshot";

/// Opens the log, or makes it.
pub(crate) fn open(settings: &RaftSettings, broken: &Arc<Broken>) -> Result<Engine, RaftstoreError> {
    let failed = |why: String| RaftstoreError::Log { folder: settings.log_dir.display().to_string(), why };
    let dir = settings.log_dir.to_str().ok_or_else(|| failed("its name is not UTF-8".to_owned()))?;
    let config = Config {
        dir: dir.to_owned(),
        target_file_size: ReadableSize(settings.log_file_size),
        purge_threshold: ReadableSize(settings.log_purge_threshold.max(settings.log_file_size)),
        batch_compression_threshold: ReadableSize(settings.log_compression_threshold),
        enable_log_recycle: settings.log_recycle,
        ..settings.log.config().map_err(|error| failed(error.to_string()))?
    };
    let files = Arc::new(Files::new(Arc::clone(broken)));
    // A damaged log may trip its reader's assertions: that is an error of the log, not of this program.
    let opened =
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| Engine::open_with_file_system(config, files)));
    match opened {
        Ok(Ok(engine)) => Ok(engine),
        Ok(Err(error)) => Err(failed(error.to_string())),
        Err(_) => Err(failed("it is damaged, see above".to_owned())),
    }
}

/// Adds a region's term and vote to what is written.
pub(crate) fn put_hard_state(batch: &mut LogBatch, region_id: u64, hard: &HardState) -> raft_engine::Result<()> {
    batch.put(region_id, HARD_STATE.to_vec(), hard.write_to_bytes()?)
}

/// Adds the snapshot that a region's log begins after; whatever the log had before is dropped, the hard state too.
pub(crate) fn put_restart(batch: &mut LogBatch, region_id: u64, restart: &Restart) -> raft_engine::Result<()> {
    batch.add_command(region_id, raft_engine::Command::Clean);
    batch.put(region_id, SNAPSHOT.to_vec(), restart.encode())
}

/// The snapshot that a region's log begins after, if it came as one.
pub(crate) fn restart(engine: &Engine, region_id: u64) -> Option<Restart> {
    engine.get(region_id, SNAPSHOT).and_then(|value| Restart::decode(&value))
}

/// A region's term and vote, if it ever had one.
pub(crate) fn hard_state(engine: &Engine, region_id: u64) -> raft_engine::Result<Option<HardState>> {
    engine.get_message(region_id, HARD_STATE)
}
