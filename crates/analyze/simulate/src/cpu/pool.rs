//! The pools of threads of a node.

/// Pools of threads, named as TiKV's threads are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pool {
    /// gRPC and scheduler: from a request's arrival until its proposal.
    Scheduler,
    /// Raft groups: proposals, messages, acknowledgements.
    Store,
    /// Committed entries into the memtable.
    Apply,
    /// Reads.
    Read,
    /// Flushes.
    Flush,
    /// Compactions.
    Compaction,
}

impl Pool {
    /// All pools.
    pub(crate) const ALL: [Self; 6] =
        [Self::Scheduler, Self::Store, Self::Apply, Self::Read, Self::Flush, Self::Compaction];

    /// Whether requests go through it; the others work in the background.
    pub(crate) fn serves(self) -> bool {
        !matches!(self, Self::Flush | Self::Compaction)
    }

    /// As the series `cpu_time` names it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Scheduler => "sched_worker_pool",
            Self::Store => "raftstore",
            Self::Apply => "apply",
            Self::Read => "unified_read_po",
            Self::Flush => "rocksdb:high",
            Self::Compaction => "rocksdb:low",
        }
    }
}
