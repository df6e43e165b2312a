//! What the kernel lets through of writes for which nobody waits: Linux's write-back throttling (block/blk-wbt.c) keeps few of
//! them at the disk, so that reads and synced writes find a short queue.

use std::collections::VecDeque;

use disk::Op;

use super::World;
use super::event::Event;
use crate::disks::Which;

/// The writes of flushes and compactions to one data disk.
#[derive(Debug, Clone, Default)]
pub(crate) struct Writeback {
    /// Requests at the disk.
    at_disk: u32,
    /// Threads whose request waits its turn.
    waiting: VecDeque<u32>,
}

impl World {
    /// A thread hands the kernel its request; when that is done the thread hears of it by [`Event::Step`].
    pub(super) fn write_back(&mut self, index: u32) {
        let node = self.parts[index as usize].node as usize;
        let depth = self.writeback_depth(node);
        let this = &mut self.nodes[node].writeback;
        if this.at_disk >= depth {
            this.waiting.push_back(index);
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
        if std::mem::take(&mut part.writing) {
            let this = &mut self.nodes[part.node as usize].writeback;
            this.at_disk -= 1;
            if let Some(next) = this.waiting.pop_front() {
                self.write_back(next);
            }
        }
        self.next_request(index);
    }

    /// As many as the disk takes in the latency that the kernel aims at, one at least.
    fn writeback_depth(&self, node: usize) -> u32 {
        let throughput = self.nodes[node].disks.throughput().unwrap_or(f64::INFINITY);
        ((self.c.writeback_latency * throughput / self.c.compaction_write_size) as u32).max(1)
    }
}
