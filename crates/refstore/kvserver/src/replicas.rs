//! The replicas of this node, as the service sees them: an edge that tests replace.

use std::sync::Arc;

use bytes::Bytes;
use proto::kvrpcpb::Context;
use proto::metapb::Region;
use proto::raft_serverpb::RaftMessage;
use raftstore::{ApplyResult, RaftRouter, Refusal, SnapshotSink, WriteCallback, WriteCommand};

/// What the service asks of the node's replicas; [`raftstore::Router`] answers, and says there what each call means.
pub trait ReplicaAccess: Send + Sync + 'static {
    /// Replicates a command and applies it.
    fn write(&self, asked: &Context, command: WriteCommand, done: WriteCallback<ApplyResult>);

    /// Whether a read may be done now.
    ///
    /// # Errors
    /// When the request should not have come here.
    fn read_now(&self, asked: &Context) -> Result<bool, Refusal>;

    /// Calls `done` when a read may be done.
    fn read_later(&self, asked: &Context, done: WriteCallback<()>);

    /// How often a range began to be replaced: a read is good if that is the same after it as before leave was asked for it.
    fn wipes(&self) -> u64;

    /// Messages of other nodes.
    fn step(&self, messages: Vec<RaftMessage>);

    /// Where the pieces of a snapshot go.
    ///
    /// # Errors
    /// When there is no such replica here, or the disk fails.
    fn snapshot(&self, message: RaftMessage) -> Result<Box<dyn SnapshotPieces>, Refusal>;

    /// Whether a disk of the node failed or hangs, so that no replica serves any more.
    fn broken(&self) -> bool;

    /// A region with a replica on this node.
    fn region(&self, id: u64) -> Option<Arc<Region>>;
}

/// Takes the pieces of a snapshot. Calls block.
pub trait SnapshotPieces: Send {
    /// The next piece.
    ///
    /// # Errors
    /// When the disk fails or is full.
    fn write(&mut self, piece: Bytes) -> Result<(), Refusal>;

    /// All pieces are there.
    ///
    /// # Errors
    /// When pieces are missing or damaged, or the disk fails.
    fn finish(self: Box<Self>) -> Result<(), Refusal>;
}

impl ReplicaAccess for RaftRouter {
    fn write(&self, asked: &Context, command: WriteCommand, done: WriteCallback<ApplyResult>) {
        RaftRouter::write(self, asked, command, done);
    }

    fn read_now(&self, asked: &Context) -> Result<bool, Refusal> {
        RaftRouter::read_now(self, asked)
    }

    fn read_later(&self, asked: &Context, done: WriteCallback<()>) {
        RaftRouter::read_later(self, asked, done);
    }

    fn wipes(&self) -> u64 {
        RaftRouter::wipes(self)
    }

    fn step(&self, messages: Vec<RaftMessage>) {
        RaftRouter::step(self, messages);
    }

    fn snapshot(&self, message: RaftMessage) -> Result<Box<dyn SnapshotPieces>, Refusal> {
        Ok(Box::new(self.snapshot_sink(message)?))
    }

    fn broken(&self) -> bool {
        RaftRouter::broken(self).is_some()
    }

    fn region(&self, id: u64) -> Option<Arc<Region>> {
        RaftRouter::region(self, id)
    }
}

impl SnapshotPieces for SnapshotSink {
    fn write(&mut self, piece: Bytes) -> Result<(), Refusal> {
        SnapshotSink::write(self, piece)
    }

    fn finish(self: Box<Self>) -> Result<(), Refusal> {
        SnapshotSink::finish(*self)
    }
}
