//! What a thread that runs raft is told.

use proto::metapb;
use raft::eraftpb::Message;

use crate::answer::Answer;
use crate::apply::Outcome;
use crate::writer::{Writer, Written};
use crate::{ApplyResult, WriteCommand};

/// What a shard is told, of replicas by their places.
pub(crate) enum ToShard {
    /// Replicate a command.
    Write { place: usize, command: WriteCommand, answer: Answer<ApplyResult>, at: u64 },
    /// Say when the state may be read; `anywhere` is a follower's leave too.
    Read { place: usize, anywhere: bool, answer: Answer<()>, at: u64 },
    /// Messages of other nodes.
    Step(Vec<(usize, Message)>),
    /// What the disk has.
    Persisted(Vec<Written>),
    /// What the state has.
    Applied(Vec<Outcome>),
    /// Hand over the leadership.
    Transfer(usize, metapb::Peer),
    /// A snapshot arrived at a peer, or not.
    SnapshotSent { place: usize, to: u64, arrived: bool },
    /// Old entries hold up files of the log.
    Urge(usize),
    /// A disk of this node failed.
    Broken,
    /// The end.
    Stop,
}

/// Who writes the log.
pub(crate) enum Writing {
    /// Threads of their own.
    Pool,
    /// The shard: `store-io-pool-size` is 0.
    Here(Box<Writer>),
}
