//! Writes that threads hand the kernel, in the order in which it lets them at the data disk (see [`crate::disks`]): who hands it one
//! waits until it is let there, not until it is done.

use std::collections::VecDeque;

use disk::IoOperation;

use super::World;
use super::event::Event;
use crate::disks::{Wants, Which};

/// Writes to one data disk that wait for their turn.
#[derive(Debug, Clone, Default)]
pub(crate) struct Writeback {
    waiting: VecDeque<Handed>,
}

/// A request that the kernel was handed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Handed {
    pub(super) by: By,
    pub(super) place: u64,
    pub(super) bytes: u32,
    pub(super) wants: Wants,
}

/// Who handed it over.
#[derive(Debug, Clone, Copy)]
pub(super) enum By {
    /// A thread of a flush or compaction.
    Part(u32),
    /// Who applies entries, a piece of RocksDB's own log.
    Applier,
}

impl World {
    /// The kernel is handed a request. Whoever does it waits until it hears that it is let at the disk.
    pub(super) fn hand_over(&mut self, node: usize, handed: Handed) {
        self.nodes[node].writeback.waiting.push_back(handed);
        self.send_on(node);
    }

    /// A request is done: others may be let at the disk.
    pub(super) fn written_back(&mut self, node: usize) {
        self.nodes[node].disks.written(self.now);
        self.send_on(node);
    }

    fn send_on(&mut self, node: usize) {
        while let Some(&Handed { by, place, bytes, wants }) = self.nodes[node].writeback.waiting.front() {
            let this = &mut self.nodes[node];
            if !this.disks.lets(self.now, wants) {
                return;
            }
            this.writeback.waiting.pop_front();
            let done = this.disks.submit(Which::Data, self.now, IoOperation::Write, place, bytes);
            self.agenda.add(done, Event::WrittenBack(node as u16));
            match by {
                By::Part(index) => {
                    let part = &mut self.parts[index as usize];
                    part.durable = part.durable.max(done);
                    self.write_out(index);
                }
                By::Applier => self.log_let(node),
            }
        }
    }

    /// A thread hands over what it has to write, a request at a time.
    pub(super) fn write_out(&mut self, index: u32) {
        let part = &mut self.parts[index as usize];
        if part.to_write == 0 {
            return if part.syncing { self.file_written(index) } else { self.step_done(index) };
        }
        let bytes = part.to_write.min(self.c.compaction_write_size as u32);
        let (node, place) = (part.node as usize, part.to);
        let wants = if part.syncing { Wants::Synced } else { Wants::Soon };
        part.to_write -= bytes;
        part.to += u64::from(bytes);
        self.hand_over(node, Handed { by: By::Part(index), place, bytes, wants });
    }
}
