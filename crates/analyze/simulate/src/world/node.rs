//! A storage node: processors, disks, column families, and what raft keeps in memory.

use std::collections::VecDeque;

use compaction_control::{BackgroundWork, CompactionBacklog};
use units::{Bytes, Nanos};

use super::cached::Cached;
use super::event::{Item, NONE, Task};
use super::journal::Journal;
use super::outage::Outage;
use super::own_log::OwnLog;
use super::regions::Regions;
use super::writeback::Writeback;
use crate::blobs::Blobs;
use crate::cpu::{Cpu, Pool};
use crate::disks::Disks;
use crate::flow::{Behind, Flow};
use crate::limiter::{Limiter, Pilot, PilotView};
use crate::load::Caches;
use crate::tree::Tree;

/// What a node's engine counted since the start.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Counts {
    pub(crate) stall_time: f64,
    pub(crate) throttle_time: f64,
    pub(crate) compaction_read: f64,
    pub(crate) compaction_write: f64,
    pub(crate) flush: f64,
    pub(crate) written: f64,
    pub(crate) wal: f64,
    pub(crate) hits: f64,
    pub(crate) misses: f64,
    pub(crate) log: f64,
    pub(crate) syncs: f64,
    pub(crate) sync_time: f64,
}

impl Counts {
    /// Bytes that were written through the page cache and are still there if it has room: RocksDB's own log is removed when the
    /// memtable that it is of has been flushed.
    pub(crate) fn kept(&self) -> f64 {
        self.log + self.flush + self.compaction_write
    }
}

/// The thread that writes the raft log: store-io-pool-size is 1.
#[derive(Debug, Clone, Default)]
pub(crate) struct Writer {
    pub(crate) queue: VecDeque<Item>,
    pub(crate) writing: Vec<Item>,
    pub(crate) began: Nanos,
    pub(crate) offset: u64,
    /// Bytes that were ever appended.
    pub(crate) appended: u64,
    /// Writes of the filesystem's journal that the sync under way is yet to make, one after the other.
    pub(crate) journal: u32,
}

/// How many threads flushes and compactions have.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slots {
    pub(crate) flushes: u32,
    pub(crate) compactions: u32,
    /// Threads of one compaction from L0.
    pub(crate) sub: u32,
}

impl Slots {
    /// TiKV's defaults: max-background-jobs, max-background-flushes and max-sub-compactions.
    pub(crate) fn of(vcpu: u32) -> Self {
        Self::with(vcpu.saturating_sub(1).clamp(2, 9))
    }

    /// For so many background jobs.
    pub(crate) fn with(jobs: u32) -> Self {
        let flushes = jobs.div_ceil(4).min(3);
        let compactions = (jobs - flushes).max(1);
        Self { flushes, compactions, sub: compactions.saturating_sub(1).clamp(1, 3) }
    }

    /// Threads of all compactions.
    pub(crate) fn compaction_threads(self) -> u32 {
        self.compactions + self.sub - 1
    }
}

/// How many threads each pool has by default.
pub(crate) fn threads(pool: Pool, vcpu: u32, grpc: u32) -> u32 {
    let slots = Slots::of(vcpu);
    match pool {
        // storage.scheduler-worker-pool-size.
        Pool::Scheduler => grpc + if vcpu >= 16 { 8 } else { vcpu.clamp(1, 4) },
        // raftstore.store-pool-size and apply-pool-size.
        Pool::Store | Pool::Apply => 2,
        // readpool.unified.max-thread-count.
        Pool::Read => ((f64::from(vcpu) * 0.8) as u32).max(4),
        Pool::Flush => slots.flushes,
        Pool::Compaction => slots.compaction_threads(),
    }
}

/// One node.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) zone: usize,
    pub(crate) cpu: Cpu<Task>,
    pub(crate) disks: Disks,
    pub(crate) caches: Caches,
    /// What of the block cache is of files that are still there.
    pub(crate) cached: Cached,
    /// Share of compaction input that is read from the disk.
    pub(crate) read_miss: f64,
    /// Bytes that the page cache keeps of what is written.
    pub(crate) page_cache: f64,
    /// The default column family, and the write one where writes are transactions.
    pub(crate) trees: Vec<Tree>,
    pub(crate) blobs: Blobs,
    pub(crate) flow: Flow,
    pub(crate) writeback: Writeback,
    pub(crate) own_log: OwnLog,
    pub(crate) journal: Journal,
    pub(crate) limiter: Limiter,
    /// The pilot that sets the limiter's rate, if one does.
    pub(crate) pilot: Option<Box<Pilot>>,
    /// The group that gathers proposals, for each set of followers.
    pub(crate) gathering: Vec<u32>,
    /// The regions that it leads.
    pub(crate) regions: Regions,
    /// What the next round of raft groups takes up.
    pub(crate) inbox: Vec<Item>,
    /// What the rounds under way have taken up, by thread.
    pub(crate) rounds: Vec<Vec<Item>>,
    pub(crate) idle: Vec<u8>,
    pub(crate) writer: Writer,
    pub(crate) slots: Slots,
    pub(crate) flushing: u32,
    pub(crate) compacting: u32,
    /// Where the next file is written.
    pub(crate) offset: u64,
    /// Until when a stall has used up the speed that it leaves.
    pub(crate) delayed: Nanos,
    /// Entries that a stall holds, and since when.
    pub(crate) held: Vec<Item>,
    pub(crate) stopped: Nanos,
    pub(crate) counts: Counts,
    pub(crate) outage: Outage,
    /// Bytes of the data disk, and those of them that are not for files.
    pub(crate) size: f64,
    pub(crate) reserved: f64,
}

impl PilotView for Node {
    fn disks(&self) -> &Disks {
        &self.disks
    }

    fn metrics(&self) -> (BackgroundWork, CompactionBacklog) {
        let counts = &self.counts;
        let engine = BackgroundWork {
            flushed: counts.flush,
            compaction_read: counts.compaction_read,
            compaction_written: counts.compaction_write,
        };
        let behind = (0..self.trees.len()).map(|family| self.behind(family));
        let backlog = behind.fold(CompactionBacklog::default(), |worst, family| CompactionBacklog {
            pending: worst.pending + Bytes(family.pending as u64),
            l0_files: worst.l0_files.max(family.l0_files),
            memtables: worst.memtables.max(family.memtables),
        });
        (engine, backlog)
    }
}

impl Node {
    /// How far a column family is behind.
    pub(crate) fn behind(&self, family: usize) -> Behind {
        let tree = &self.trees[family];
        Behind {
            l0_files: tree.l0_files() as f64,
            memtables: tree.immutable_memtables() as f64,
            pending: tree.pending(),
        }
    }

    /// Bytes of files and separated values.
    pub(crate) fn stored(&self) -> f64 {
        self.trees.iter().map(Tree::bytes).sum::<f64>() + self.blobs.bytes()
    }

    /// The group that gathers for a set, taken out.
    pub(crate) fn gathered(&mut self) -> impl Iterator<Item = u32> + '_ {
        self.gathering.iter_mut().map(|group| std::mem::replace(group, NONE)).filter(|group| *group != NONE)
    }
}
