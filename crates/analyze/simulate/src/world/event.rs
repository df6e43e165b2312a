//! What happens, and what is under way: all of it small and copied, so that an event takes no memory of its own.

use units::Nanos;

use super::regions::Set;
use crate::cpu::Ticket;
use crate::load::{Drawn, Phase};
use crate::steps::Due;
use crate::tree::{Flush, Pick};

/// No entry of a slab.
pub(crate) const NONE: u32 = u32::MAX;

/// Something that happens at an instant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Event {
    /// The next operation of an open loop.
    Arrive,
    /// A client's first operation.
    Begin(u32),
    /// A statement of an operation reaches its SQL node.
    Statement(u32),
    /// A request reaches its node.
    Request(u32),
    /// A request may be worked on: flow control lets a write pass, or a follower knows how far it must have applied.
    Admitted(u32),
    /// A job of a node's processors is done, if it has a hardware thread of its own still.
    Job(u16, Ticket),
    /// A disk read of a request is done.
    Read(u32),
    /// The writes of a log batch are done.
    Written(u16),
    /// A log batch is durable.
    Synced(u16),
    /// A batch of entries reaches a follower.
    Message(u16, u32),
    /// A follower's acknowledgements reach the leader.
    Acks(u16, u32),
    /// A follower hears of commits.
    Commits(u16, u32),
    /// Entries that a stall delayed are in the memtable.
    Applied(u32, u8),
    /// A step of a flush or compaction may write.
    Grant(u32),
    /// The disk has done a read of a flush or compaction, or all writes of a file that it syncs.
    Step(u32),
    /// The disk has done a write that it was handed by the kernel.
    WrittenBack(u16),
    /// RocksDB's own log is to be synced before the raft log is collected.
    Collect(u16),
    /// A write of the journal of the data disk's filesystem is done.
    Journaled(u16),
    /// The caller is to go on.
    Stop(Due),
    /// The pilot looks at all nodes.
    Pilot,
    /// The action of this number of the script is due.
    Scripted(u32),
    /// The ranges of a node that is away have other leaders.
    Elected(u16),
}

/// What a thread has done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Task {
    /// A read's work before its disk reads.
    Read(u32),
    /// A write, up to its proposal.
    Write(u32),
    /// A round of raft groups.
    Store(u8),
    /// A batch of entries for the memtables.
    Apply(u32),
    /// A step of a flush or compaction.
    Part(u32),
    /// A statement of an operation, up to what it asks of storage nodes.
    Statement(u32),
    /// A client's request, where clients and nodes share processors.
    Sent(u32),
    /// Requests of disks, likewise: nobody waits for the processors here.
    Served,
}

/// An operation under way.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Op {
    pub(crate) start: Nanos,
    pub(crate) drawn: Drawn,
    /// Read requests, reads and scans yet to be sent.
    pub(crate) requests: u32,
    pub(crate) reads: u32,
    pub(crate) scans: u32,
    /// Statements that have yet to write their locks.
    pub(crate) locking: u32,
    /// Phases of the write that were sent.
    pub(crate) phases: u8,
    /// Requests that are waited for.
    pub(crate) waiting: u32,
    /// When the last answer reached the client.
    pub(crate) back: Nanos,
    pub(crate) zone: u16,
    /// The SQL node that its client is connected to, if there are any.
    pub(crate) sql: u16,
    /// Whether a client of a closed loop sends it.
    pub(crate) client: bool,
}

/// A request to a node.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Req {
    /// The operation that waits for it, or [`NONE`].
    pub(crate) op: u32,
    pub(crate) node: u16,
    pub(crate) zone: u16,
    pub(crate) what: What,
    /// The next write of the same group.
    pub(crate) next: u32,
    /// Whether its node has it.
    pub(crate) arrived: bool,
}

/// What a request asks for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum What {
    /// Point reads and scans; and blocks that are yet to come from the disk, once it has been worked on.
    Read { reads: u32, scans: u32, blocks: u32 },
    /// Proposals of so many records.
    Write { proposals: u32, records: f64, phase: Phase },
}

/// Entries of one leader's batch with the same followers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Group {
    pub(crate) leader: u16,
    /// Which followers.
    pub(crate) set: u16,
    /// Its requests, newest first.
    pub(crate) head: u32,
    /// The leader's regions that they belong to.
    pub(crate) regions: Set,
    pub(crate) records: f64,
    /// Bytes in the log, on the wire before compression.
    pub(crate) log: f64,
    /// Bytes for each column family's memtable, and for RocksDB's own log.
    pub(crate) tree: [f64; 2],
    pub(crate) wal: f64,
    pub(crate) acks: u8,
    /// Whether the leader has it on disk.
    pub(crate) persisted: bool,
    pub(crate) committed: bool,
    /// Of each follower, whether it has the entries and whether it knows of the commit.
    pub(crate) known: [u8; MOST_FOLLOWERS],
    /// What is yet to happen to it.
    pub(crate) open: u8,
    /// Whether it is sent again to a follower that was away.
    pub(crate) again: bool,
}

/// Followers of a range at most: nine replicas are more than anybody keeps.
pub(crate) const MOST_FOLLOWERS: usize = 8;

/// Entries that a node has to handle: 0 is the leader's own part, others the place among the followers plus one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Item {
    pub(crate) group: u32,
    pub(crate) place: u8,
}

/// A flush or compaction.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Work {
    pub(crate) node: u16,
    pub(crate) family: u8,
    pub(crate) kind: Kind,
    /// The number of its blob file.
    pub(crate) blob: u64,
    /// Threads that still work on it.
    pub(crate) parts: u32,
}

/// Which kind of background work.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    /// Memtables to L0.
    Flush(Flush),
    /// Files down a level, and bytes of separated values that move with them.
    Compact(Pick, f64),
    /// Live values out of blob files that are mostly garbage.
    Collect,
    /// RocksDB's own log made durable, for the sake of the raft log.
    SyncLogs,
}

/// What a thread is to make durable.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Syncs {
    /// Files, and the bytes of all of them that the kernel was not handed.
    pub(super) files: u32,
    pub(super) bytes: f64,
    /// Commits of the journal after that: of folders and the MANIFEST.
    pub(super) job: u32,
    pub(super) then: Then,
}

/// What comes after.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) enum Then {
    /// The step of a flush or compaction is done.
    #[default]
    Step,
    /// The logs that were to be synced are.
    Logs,
}

/// One thread's share of a flush or compaction.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Part {
    pub(crate) work: u32,
    pub(crate) node: u16,
    pub(crate) flush: bool,
    pub(crate) steps: u32,
    /// Bytes of a step: input, what of it the disk has to read, and output.
    pub(crate) input: f64,
    pub(crate) read: f64,
    pub(crate) output: f64,
    /// Core-seconds of a step.
    pub(crate) cpu: f64,
    /// Files of a step, and what of them is not yet synced.
    pub(crate) files: f64,
    pub(crate) to_sync: f64,
    /// Blob files' headers and footers that it has yet to read, and bytes of the steps so far.
    pub(crate) opens: u32,
    pub(crate) to_read: f64,
    /// Bytes of its file that the kernel was not handed.
    pub(crate) unsynced: f64,
    /// Bytes that it has yet to hand over now, and whether it waits until they are durable.
    pub(crate) to_write: u32,
    pub(crate) syncing: bool,
    /// When all that it has handed over is done.
    pub(crate) durable: Nanos,
    pub(crate) syncs: Syncs,
    /// Where it reads and writes.
    pub(crate) from: u64,
    pub(crate) to: u64,
    /// Disk and thread of the step under way.
    pub(crate) waiting: u8,
}

impl Part {
    /// A thread that has nothing to read, to merge or to write, and would write to a place.
    pub(crate) fn idle(work: u32, node: u16, to: u64) -> Self {
        Self {
            work,
            node,
            flush: false,
            steps: 0,
            input: 0.0,
            read: 0.0,
            output: 0.0,
            cpu: 0.0,
            files: 0.0,
            to_sync: 0.0,
            opens: 0,
            to_read: 0.0,
            unsynced: 0.0,
            to_write: 0,
            syncing: false,
            durable: Nanos(0),
            syncs: Syncs::default(),
            from: 0,
            to,
            waiting: 0,
        }
    }
}

// It is passed in a register: in memory it would be written in pieces, which take long to read as one.
const _: () = assert!(size_of::<Event>() <= size_of::<usize>());
