//! Replicated ranges of keys: raft groups over one log and one state a node.

#![forbid(unsafe_code)]

mod answer;
mod applied;
mod apply;
mod clock;
mod command;
mod crew;
mod entry;
mod error;
mod gc;
mod health;
mod lanes;
mod log;
mod messages;
mod metrics;
mod node;
mod out;
mod peer;
mod persist;
mod pools;
mod raftstore;
mod refusals;
mod replica;
mod router;
mod settings;
mod shard;
mod snapshot;
mod start;
mod state;
mod status;
mod supplies;
pub mod testing;
mod transport;
mod varint;
mod writer;

pub use command::{ApplyResult, Refusal, WriteCallback, WriteCommand};
pub use error::{RaftstoreError, SnapshotError, SnapshotFault};
pub use raftstore::{RaftSetup, Raftstore};
pub use router::RaftRouter;
pub use settings::{LogRecovery, LogSettings, OnlineRaftSettings, RaftSettings};
pub use snapshot::SnapshotSink;
pub use state::{ColumnFamily, KeyScan, StateChange, StateError, StateStore};
pub use status::RegionStatus;
pub use transport::RaftTransport;
