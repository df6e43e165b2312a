//! What the threads of a node tell each other. It stands below all of them, so that none needs to know another.

use std::sync::Arc;

use proto::metapb;
use proto::raft_serverpb::RaftMessage;
use raft::eraftpb::{Entry, HardState, Message};

use crate::answer::Answer;
use crate::applied::{Progress, Restart};
use crate::replica::Replica;
use crate::{ApplyResult, WriteCommand, clock};

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

/// What a region's log has to get before messages may leave.
pub(crate) struct WriteTask {
    pub(crate) region_id: u64,
    pub(crate) place: usize,
    /// Raft's number of it.
    pub(crate) number: u64,
    pub(crate) entries: Vec<Entry>,
    pub(crate) hard: Option<HardState>,
    /// The log begins anew after a snapshot.
    pub(crate) restart: Option<Restart>,
    /// Leave when all is on the disk, by store.
    pub(crate) messages: Vec<(u64, RaftMessage)>,
    /// When it was put together.
    pub(crate) at: u64,
}

impl WriteTask {
    /// Whether there is something that a power cut must not take.
    pub(crate) fn must_sync(&self) -> bool {
        !self.entries.is_empty() || self.hard.is_some() || self.restart.is_some()
    }

    /// Bytes of it, roughly.
    pub(crate) fn size(&self) -> u64 {
        self.entries.iter().map(|entry| entry.data.len() as u64 + 32).sum::<u64>() + 64
    }
}

/// What a thread that writes the log is told.
pub(crate) enum ToWriter {
    /// Tasks, in order.
    Tasks(Vec<WriteTask>),
    /// The end.
    Stop,
}

/// What is on the disk: place of the replica, and raft's number.
pub(crate) type Written = (usize, u64);

/// Answers that an entry's commands owe, in their order.
pub(crate) struct Owed {
    pub(crate) index: u64,
    pub(crate) answers: Vec<Answer<ApplyResult>>,
}

/// Work for an apply thread.
pub(crate) struct Apply {
    pub(crate) replica: Arc<Replica>,
    pub(crate) work: Work,
    pub(crate) at: u64,
}

/// What there is to do.
pub(crate) enum Work {
    Entries(Vec<Entry>, Vec<Owed>),
    Install(Restart),
}

impl Apply {
    /// Committed entries, and what is owed for them.
    pub(crate) fn entries(replica: Arc<Replica>, entries: Vec<Entry>, owed: Vec<Owed>) -> Self {
        Self { replica, work: Work::Entries(entries, owed), at: clock::now() }
    }

    /// A snapshot that the log begins after.
    pub(crate) fn install(replica: Arc<Replica>, restart: Restart) -> Self {
        Self { replica, work: Work::Install(restart), at: clock::now() }
    }

    /// The replica's place.
    pub(crate) fn place(&self) -> usize {
        self.replica.place
    }
}

/// What an apply thread is told.
pub(crate) enum ToApply {
    /// Work, in order.
    Tasks(Vec<Apply>),
    /// The end.
    Stop,
}

/// How far a replica is.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) place: usize,
    pub(crate) progress: Progress,
    /// A snapshot is in the state.
    pub(crate) installed: bool,
    /// The log may begin later.
    pub(crate) truncated: bool,
}

/// A snapshot that raft wants sent.
pub(crate) struct Sending {
    pub(crate) replica: Arc<Replica>,
    pub(crate) message: Message,
}

/// What the thread is told that resizes pools.
pub(crate) enum ToPools {
    /// Sizes are others now.
    Resize,
    /// The end.
    Stop,
}

/// What the thread that shortens logs is told.
pub(crate) enum ToGc {
    /// A region's log may begin after an index.
    Until(u64, u64),
    /// The end.
    Stop,
}
