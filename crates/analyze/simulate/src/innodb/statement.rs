//! A statement's way through the server: its pages, the reads that it waits for, its logs.

use disk::IoOperation as DiskOp;
use rand::RngExt;

use super::pages::Touch;
use super::pool::{KINDS, UNDO};
use super::sync::Log;
use super::world::{Event, Task, World};
use crate::cpu::Pool;
use crate::disks::Which;

impl World {
    /// A statement changes its pages, if there is room in the redo log.
    pub(super) fn execute(&mut self, op: u32) {
        if self.checkpoint_age() > self.ages().0 {
            self.for_log.push_back(op);
            self.waits();
            return self.clean();
        }
        let buffers = self.server.change_buffering && self.counts.buffered < self.change_buffer;
        let mut missing = [0u16; KINDS];
        let rows = self.each.rows.max(1.0) as u32;
        for _ in 0..rows {
            for (kind, absent) in missing.iter_mut().enumerate() {
                let (steps, free) = (self.steps[kind], &mut self.pool.free);
                let (owed, buffered) = (&mut self.frames_owed, &mut self.counts.buffered);
                self.pool.trees[kind].add_row(self.now, self.lsn, steps, &mut self.random, &mut |touch| match touch {
                    // What is no secondary index is never buffered.
                    Touch::Miss if buffers && (1..UNDO).contains(&kind) => *buffered += 1.0,
                    Touch::Miss => *absent = absent.saturating_add(1),
                    Touch::New if *free > 0 => *free -= 1,
                    Touch::New => *owed += 1,
                    Touch::Hit | Touch::Dirtied => {}
                });
            }
        }
        let grown = f64::from(rows) * self.each.redo;
        self.lsn += grown;
        self.redo.pending += grown;
        self.ask();
        self.counts.rows += f64::from(rows);
        if self.server.log_bin {
            self.binlog.pending += f64::from(rows) * self.each.binlog + self.each.binlog_transaction;
        }
        self.ops[op as usize].missing = missing;
        self.next_read(op);
    }

    /// Reads the next page that an operation lacks, one after the other; then it commits.
    pub(super) fn next_read(&mut self, op: u32) {
        let this = &mut self.ops[op as usize];
        if this.missing.iter().all(|missing| *missing == 0) {
            return self.commit(op);
        }
        if self.pool.free == 0 {
            self.counts.frame_waits += 1.0;
            self.for_frames.push_back(op);
            self.waits();
            return self.clean();
        }
        self.pool.free -= 1;
        self.counts.reads += 1.0;
        let places = (self.pool.pages() as u64).max(1);
        let page = self.c.page as u32;
        let at = self.random.random_range(0..places) * u64::from(page);
        let done = self.disks.submit(Which::Data, self.now, DiskOp::Read, at, page);
        self.agenda.add(done, Event::Read(op));
    }

    pub(super) fn page_came(&mut self, op: u32) {
        let this = &mut self.ops[op as usize];
        if let Some(kind) = this.missing.iter().position(|missing| *missing > 0) {
            this.missing[kind] -= 1;
            self.pool.trees[kind].arrived(self.now, self.lsn);
            // Entries that waited for the leaf go with it.
            if (1..UNDO).contains(&kind) && self.counts.buffered > 0.0 {
                let trees = &self.pool.trees[kind];
                let absent = f64::from(trees.pages.saturating_sub(trees.resident)).max(1.0);
                self.counts.buffered = (self.counts.buffered - (self.counts.buffered / absent).max(1.0)).max(0.0);
            }
        }
        self.cpu.submit(self.now, Pool::Read, self.c.cpu_page, Task::Page(op));
    }

    fn commit(&mut self, op: u32) {
        if self.server.flush_log_at_trx_commit == 1 { self.join(Log::Redo, op) } else { self.redo_written(op) }
    }

    /// A transaction is in the redo log, as far as it is to be: the binary log is next.
    pub(super) fn redo_written(&mut self, op: u32) {
        if self.server.log_bin && self.server.sync_binlog { self.join(Log::Binary, op) } else { self.answered(op) }
    }

    /// Counts for how long somebody waits for frames, and for room in the log.
    pub(super) fn waits(&mut self) {
        let waiting = [!self.for_frames.is_empty(), !self.for_log.is_empty()];
        let times = [&mut self.counts.frame_time, &mut self.counts.log_time];
        for ((since, waiting), time) in self.waiting_since.iter_mut().zip(waiting).zip(times) {
            if let Some(from) = *since {
                *time += (self.now - from).as_secs_f64();
            }
            *since = waiting.then_some(self.now);
        }
    }
}
