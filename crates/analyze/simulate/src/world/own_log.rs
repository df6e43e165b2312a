//! RocksDB's own log: pieces of it go to the kernel as it grows, flushes sync what is left of the logs of their memtables
//! (`DBImpl::SyncClosedWals`), and who collects the raft log syncs them all. Who applies entries waits for its place in it.

use units::Nanos;

use super::World;
use super::event::{Event, Item, Kind, Part, Syncs, Then, Work};
use super::writeback::{By, Handed};
use crate::disks::Wants;

/// RocksDB's own log of a node, one file a memtable.
#[derive(Debug, Clone, Default)]
pub(crate) struct OwnLog {
    /// Bytes of the file that is written that the kernel was not handed.
    open: f64,
    /// Files of full memtables that nobody has synced, and such bytes of them.
    closed: (u32, f64),
    /// Whether a piece waits for the kernel, or the inode is on its way to the journal, and what is to be applied after that.
    waits: bool,
    in_commit: bool,
    behind: Vec<Item>,
    /// Whether a thread syncs files, and which ones wait until it has.
    syncing: bool,
    next: Vec<u32>,
}

impl World {
    /// Whether an entry has to wait for RocksDB's own log: its thread is in `sync_file_range`, and all others queue behind it.
    pub(super) fn waits_for_log(&mut self, node: usize, item: Item) -> bool {
        let log = &mut self.nodes[node].own_log;
        let waits = log.waits || log.in_commit;
        if waits {
            log.behind.push(item);
        }
        waits
    }

    /// Bytes are appended; from a piece of a size on, all but the newest are handed to the kernel.
    pub(super) fn append_log(&mut self, node: usize, bytes: f64) {
        let this = &mut self.nodes[node];
        this.own_log.open += bytes;
        if this.own_log.open < self.c.wal_kept + self.c.wal_chunk || this.own_log.waits {
            return;
        }
        let bytes = this.own_log.open - self.c.wal_kept;
        (this.own_log.open, this.own_log.waits) = (self.c.wal_kept, true);
        let place = this.offset;
        this.offset += bytes as u64;
        self.hand_over(node, Handed { by: By::Applier, place, bytes: bytes as u32, wants: Wants::Soon });
    }

    /// A memtable is full, and its log with it.
    pub(super) fn close_log(&mut self, node: usize) {
        let log = &mut self.nodes[node].own_log;
        log.closed = (log.closed.0 + 1, log.closed.1 + std::mem::take(&mut log.open));
    }

    /// The piece that was handed over is let at the disk.
    pub(super) fn log_let(&mut self, node: usize) {
        self.nodes[node].own_log.waits = false;
        self.applies_on(node);
    }

    /// The inode of RocksDB's own log is on its way to the journal, or has got there. Who appends changes it, and has to wait
    /// meanwhile (fs/jbd2/transaction.c, do_get_write_access).
    pub(super) fn log_in_commit(&mut self, node: usize, is: bool) {
        self.nodes[node].own_log.in_commit = is;
        self.applies_on(node);
    }

    /// Entries that waited are applied, unless they have to wait for something else.
    fn applies_on(&mut self, node: usize) {
        let log = &mut self.nodes[node].own_log;
        if log.waits || log.in_commit {
            return;
        }
        for item in std::mem::take(&mut log.behind) {
            self.agenda.add(self.now, Event::Applied(item.group, item.place));
        }
    }

    /// A thread syncs the files that are closed, and, unless it flushes, the one that is written; one thread does so at a time.
    pub(super) fn sync_logs(&mut self, index: u32) {
        let part = &mut self.parts[index as usize];
        let log = &mut self.nodes[part.node as usize].own_log;
        if log.syncing {
            return log.next.push(index);
        }
        let (mut files, mut bytes) = std::mem::take(&mut log.closed);
        if !part.flush && log.open > 0.0 {
            files += 1;
            bytes += std::mem::take(&mut log.open);
        }
        log.syncing = true;
        let job = if files > 0 { self.c.wal_commits as u32 } else { 0 };
        part.syncs = Syncs { files, bytes, job, then: Then::Logs };
        self.sync_on(index);
    }

    /// A thread has synced all files that it was to: a flush begins, and others have their turn.
    pub(super) fn logs_synced(&mut self, index: u32) {
        let part = self.parts[index as usize];
        let log = &mut self.nodes[part.node as usize].own_log;
        log.syncing = false;
        let next = std::mem::take(&mut log.next);
        if part.flush {
            self.begin_step(index)
        } else {
            self.part_done(index)
        }
        next.into_iter().for_each(|index| self.sync_logs(index));
    }

    /// Who collects the raft log first makes sure that what was applied of it is durable.
    pub(super) fn collect_log(&mut self, node: u16) {
        let work = Work { node, family: 0, kind: Kind::SyncLogs, blob: 0, parts: 1 };
        let work = self.works.insert(work) as u32;
        let to = self.nodes[node as usize].offset;
        let index = self.parts.insert(Part::idle(work, node, to)) as u32;
        self.sync_logs(index);
    }

    /// When the next files are to be synced for the raft log's sake; never where nobody does.
    pub(super) fn collect_next(&mut self, node: u16) {
        if self.c.wal_sync_interval > 0.0 {
            self.agenda.add(self.now + Nanos::from_secs_f64(self.c.wal_sync_interval), Event::Collect(node));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::RunSummary;
    use crate::testing::small_tree;

    fn run(changes: &[(&str, f64)]) -> RunSummary {
        small_tree("gp3:500GiB", Some("gp3:500GiB"), changes)
    }

    #[test]
    fn what_the_kernel_was_not_handed_of_a_log_is_written_when_its_memtable_is_flushed() {
        let per_op =
            |summary: RunSummary| summary.used.disk_bytes / summary.operations_per_second / summary.used.seconds;
        // One whose logs are handed over as they grow, and one that hands over nothing before a flush.
        let [grows, flushes] = [0.0, 1e9].map(|kept| per_op(run(&[("wal_kept", kept)])));
        assert!((flushes / grows - 1.0).abs() < 0.05, "{flushes} bytes an operation, and {grows}");
    }

    #[test]
    fn each_sync_of_a_log_and_of_their_folder_is_a_commit_of_the_journal() {
        let commits =
            |summary: RunSummary| summary.used.disk_ios / summary.operations_per_second / summary.used.seconds;
        let files = [("file_commits", 1.0), ("wal_sync_interval", 0.0)];
        let none = commits(run(&files));
        let folders = commits(run(&[files[0], files[1], ("wal_commits", 20.0)]));
        let often = commits(run(&[files[0], ("wal_sync_interval", 0.02)]));
        assert!(folders > 1.01 * none && often > 1.01 * none, "{folders} and {often} I/Os an operation for {none}");
    }
}
