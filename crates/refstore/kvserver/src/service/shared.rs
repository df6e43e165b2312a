//! What all threads of the service share.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use crossbeam_channel::Sender;
use raftstore::StateStore;

use super::health::Feedback;
use super::tasks::{Read, ReadTask, Write};
use crate::network::Load;
use crate::{FlowControl, ReplicaAccess};

/// What all threads of the service share.
pub(crate) struct Shared {
    pub(crate) replicas: Arc<dyn ReplicaAccess>,
    pub(crate) state: Arc<dyn StateStore>,
    pub(crate) flow: Arc<FlowControl>,
    pub(crate) load: Arc<Load>,
    pub(crate) max_key_size: usize,
    /// Bytes of writes under way, above which new ones are refused.
    pub(crate) most_writing: u64,
    /// Bytes of writes that are under way.
    pub(crate) writing: AtomicU64,
    /// The slow scores that go to clients.
    pub(crate) feedback: Feedback,
    /// To the threads that read; nothing ends one of them.
    pub(crate) reads: Sender<Option<ReadTask>>,
    /// To the threads that writes pass through; likewise.
    pub(crate) writes: Sender<Option<Write>>,
}

impl Shared {
    /// Hands reads to the threads that read; gives them back when those have ended.
    pub(crate) fn read(&self, read: Read) -> Result<(), Option<Read>> {
        self.reads.send(Some(ReadTask::Keys(read))).map_err(|lost| match lost.0 {
            Some(ReadTask::Keys(read)) => Some(read),
            _ => None,
        })
    }

    /// Hands writes to the threads that they pass through; answers whether those are there.
    pub(crate) fn write(&self, write: Write) -> bool {
        self.writes.send(Some(write)).is_ok()
    }
}
