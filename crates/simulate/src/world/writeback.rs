//! What the kernel lets through of writes that are not synced: Linux's write-back throttling (block/blk-wbt.c) keeps few of them at
//! the disk, so that reads and synced writes find a short queue. Who hands it one more, waits: flushes, compactions, and all who
//! apply entries while a piece of RocksDB's own log waits its turn.

use std::collections::VecDeque;

use disk::Op;
use units::Nanos;

use super::World;
use super::event::{Event, Item};
use crate::disks::Which;

/// The writes of flushes, compactions and RocksDB's own log to one data disk.
#[derive(Debug, Clone, Default)]
pub(crate) struct Writeback {
    /// Requests at the disk.
    at_disk: u32,
    /// Whose request waits its turn.
    waiting: VecDeque<Waiter>,
    /// Bytes of RocksDB's own log that are not yet on their way to the disk.
    log: f64,
    /// Whether a piece of that log waits, or its inode is on its way to the journal, and what is to be applied after that.
    log_waits: bool,
    in_commit: bool,
    behind_log: Vec<Item>,
    /// When somebody last read from the disk.
    pub(super) read: Nanos,
}

/// After so long without a read the kernel throttles no more: ten windows of 100 ms, each a step up.
const NOBODY_READS: Nanos = Nanos(1_000_000_000);

/// Who has a request to write back.
#[derive(Debug, Clone, Copy)]
enum Waiter {
    /// A thread of a flush or compaction.
    Part(u32),
    /// RocksDB's own log.
    Log,
}

impl World {
    /// A thread hands the kernel its request; when that is done the thread hears of it by [`Event::Step`].
    pub(super) fn write_back(&mut self, index: u32) {
        let node = self.parts[index as usize].node as usize;
        let depth = self.writeback_depth(node);
        let this = &mut self.nodes[node].writeback;
        if this.at_disk >= depth {
            this.waiting.push_back(Waiter::Part(index));
            return;
        }
        this.at_disk += 1;
        let part = &mut self.parts[index as usize];
        part.writing = true;
        let bytes = std::mem::take(&mut part.to_write);
        let done = self.nodes[node].disks.submit(Which::Data, self.now, Op::Write, part.to, bytes);
        part.to += u64::from(bytes);
        self.agenda.add(done, Event::Step(index));
    }

    /// A thread's request is done; if it was a write, the next one waiting goes.
    pub(super) fn request_done(&mut self, index: u32) {
        let part = &mut self.parts[index as usize];
        let node = part.node as usize;
        if std::mem::take(&mut part.writing) {
            self.written_back(node);
        }
        self.next_request(index);
    }

    /// A request is done: the next one goes.
    pub(super) fn written_back(&mut self, node: usize) {
        let this = &mut self.nodes[node].writeback;
        this.at_disk -= 1;
        match this.waiting.pop_front() {
            Some(Waiter::Part(index)) => self.write_back(index),
            Some(Waiter::Log) => self.write_log_back(node),
            None => {}
        }
    }

    /// Whether an entry has to wait for RocksDB's own log: its thread is in `sync_file_range`, and all others queue behind it.
    pub(super) fn waits_for_log(&mut self, node: usize, item: Item) -> bool {
        let this = &mut self.nodes[node].writeback;
        let waits = this.log_waits || this.in_commit;
        if waits {
            this.behind_log.push(item);
        }
        waits
    }

    /// Bytes are appended to RocksDB's own log; from a piece of a size on, that is handed to the kernel.
    pub(super) fn append_log(&mut self, node: usize, bytes: f64) {
        let this = &mut self.nodes[node].writeback;
        this.log += bytes;
        if this.log >= self.c.wal_chunk && !this.log_waits {
            self.write_log_back(node);
        }
    }

    /// Hands the kernel what is there of RocksDB's own log, or waits for its turn.
    fn write_log_back(&mut self, node: usize) {
        let depth = self.writeback_depth(node);
        let this = &mut self.nodes[node].writeback;
        this.log_waits = this.at_disk >= depth;
        if this.log_waits {
            return this.waiting.push_back(Waiter::Log);
        }
        this.at_disk += 1;
        let bytes = std::mem::take(&mut this.log);
        self.applies_on(node);
        let this = &mut self.nodes[node];
        let done = this.disks.submit(Which::Data, self.now, Op::Write, this.offset, bytes as u32);
        this.offset += bytes as u64;
        self.agenda.add(done, Event::WrittenBack(node as u16));
    }

    /// The inode of RocksDB's own log is on its way to the journal, or has got there. Who appends changes it, and has to wait
    /// meanwhile (fs/jbd2/transaction.c, do_get_write_access).
    pub(super) fn log_in_commit(&mut self, node: usize, is: bool) {
        self.nodes[node].writeback.in_commit = is;
        self.applies_on(node);
    }

    /// Entries that waited are applied, unless they have to wait for something else.
    fn applies_on(&mut self, node: usize) {
        let this = &mut self.nodes[node].writeback;
        if this.log_waits || this.in_commit {
            return;
        }
        for item in std::mem::take(&mut this.behind_log) {
            self.agenda.add(self.now, Event::Applied(item.group, item.place));
        }
    }

    /// As many as the disk takes in the latency that the kernel aims at, one at least.
    fn writeback_depth(&self, node: usize) -> u32 {
        if self.nodes[node].writeback.read + NOBODY_READS < self.now && self.c.writeback_most > 0.0 {
            return self.c.writeback_most as u32;
        }
        let throughput = self.nodes[node].disks.throughput().unwrap_or(f64::INFINITY);
        ((self.c.writeback_latency * throughput / self.c.compaction_write_size) as u32).max(1)
    }
}
