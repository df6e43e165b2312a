//! What apply threads are told, and what they tell.

use std::sync::Arc;

use raft::eraftpb::Entry;

use crate::answer::Answer;
use crate::applied::Progress;
use crate::log::Restart;
use crate::replica::Replica;
use crate::{ApplyResult, clock};

/// Answers that an entry's commands owe, in their order.
pub(crate) struct Owed {
    pub(crate) index: u64,
    pub(crate) answers: Vec<Answer<ApplyResult>>,
}

/// Work for an apply thread.
pub(crate) struct Apply {
    pub(super) replica: Arc<Replica>,
    pub(super) work: Work,
    pub(super) at: u64,
}

/// What there is to do.
pub(super) enum Work {
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
