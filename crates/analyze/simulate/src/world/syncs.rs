//! Files made durable, one after the other: what the disk does not have of a file is written, then the filesystem's journal makes a
//! commit, and the thread waits for both.

use disk::IoOperation;

use super::World;
use super::event::{Event, Syncs, Then};
use super::journal::Waiter;
use crate::disks::Which;

/// A step's files add up to whole ones but for rounding.
const ROUNDING: f64 = 1e-6;

impl World {
    /// A step's output is in the page cache. Of a file that goes on, RocksDB hands the kernel all but the newest bytes
    /// (`sync_file_range`); one that has ended is synced.
    pub(super) fn step_written(&mut self, index: u32) {
        let c = self.c;
        let part = &mut self.parts[index as usize];
        part.unsynced += part.output;
        part.to_sync += part.files;
        let last = part.steps == 1;
        let files = if last { (part.to_sync - ROUNDING).ceil().max(1.0) } else { (part.to_sync + ROUNDING).floor() };
        part.to_sync -= files;
        if files < 1.0 {
            let requests = ((part.unsynced - c.wal_kept) / c.compaction_write_size).floor().max(0.0);
            part.to_write = (requests * c.compaction_write_size) as u32;
            part.unsynced -= f64::from(part.to_write);
            return self.write_out(index);
        }
        // The last of its parts makes what it did known as well.
        let known = last && self.works[part.work as usize].parts == 1;
        let job = if known { c.job_commits as u32 } else { 0 };
        part.syncs = Syncs { files: files as u32, bytes: std::mem::take(&mut part.unsynced), job, then: Then::Step };
        let (node, files) = (part.node as usize, part.syncs.files);
        for _ in 0..files * c.file_writes as u32 {
            let this = &mut self.nodes[node];
            let place = this.journal.next_place();
            this.disks.submit(Which::Data, self.now, IoOperation::Write, place, c.commit_write as u32);
        }
        self.sync_on(index);
    }

    /// The next file, or commit, or what comes after them.
    pub(super) fn sync_on(&mut self, index: u32) {
        let part = &mut self.parts[index as usize];
        if part.syncs.files > 0 {
            part.to_write = (part.syncs.bytes / f64::from(part.syncs.files)) as u32;
            part.syncs.bytes -= f64::from(part.to_write);
            part.syncs.files -= 1;
            part.syncing = true;
            return self.write_out(index);
        }
        let (node, then) = (part.node as usize, part.syncs.then);
        match std::mem::take(&mut part.syncs.job) {
            0 => match then {
                Then::Step => self.step_done(index),
                Then::Logs => self.logs_synced(index),
            },
            commits => self.join_commit(node, Waiter::Part(index, commits)),
        }
    }

    /// All of a file is on its way to the disk.
    pub(super) fn file_written(&mut self, index: u32) {
        let durable = self.parts[index as usize].durable;
        if durable > self.now { self.agenda.add(durable, Event::Step(index)) } else { self.file_durable(index) }
    }

    /// All of a file is on the disk: now the filesystem is to know of it.
    pub(super) fn file_durable(&mut self, index: u32) {
        let part = &mut self.parts[index as usize];
        part.syncing = false;
        let node = part.node as usize;
        match self.c.file_commits as u32 {
            0 => self.sync_on(index),
            commits => self.join_commit(node, Waiter::Part(index, commits)),
        }
    }
}
