//! The page cleaner's batches: which changed pages are written back, twice each where there is a doublewrite buffer.

use disk::IoOperation;
use rand::RngExt;
use units::Nanos;

use super::pool::KINDS;
use super::world::{Event, World};
use crate::disks::Which;

/// Where the doublewrite buffer lies.
const DOUBLEWRITE_AT: u64 = 1 << 45;
/// The cleaner looks around so often (MySQL and MariaDB: page cleaner loop).
pub(super) const ROUND: Nanos = Nanos::secs(1);

/// The cleaner's own.
#[derive(Debug, Clone, Default)]
pub(super) struct Cleaner {
    busy: bool,
    /// Pages that this round is yet to write for the redo log's sake.
    pub(super) wanted: u32,
    /// The batch under way: pages that stay, and pages that make room.
    stay: [u32; KINDS],
    leave: [u32; KINDS],
    /// How many runs of pages side by side they are.
    runs: u32,
    /// The oldest place of the log that a page of it needs.
    pub(super) from: Option<f64>,
    /// Pages that are to be written beside those that made room.
    also: f64,
    /// A cleaner that sleeps: whether it is awake, and the place of the log up to which it has been asked to write pages.
    pub(super) awake: bool,
    pub(super) until: Option<f64>,
    /// Averages of redo bytes and of pages written, each second.
    pub(super) redo_rate: f64,
    pub(super) page_rate: f64,
    /// At the last average, when, and what had been written.
    averaged: (Nanos, f64, f64),
    pub(super) pages: f64,
    pub(super) doublewritten: f64,
}

impl World {
    /// A round begins.
    pub(super) fn clean_round(&mut self) {
        self.agenda.add(self.now + ROUND, Event::Clean);
        let (from, redo, pages) = self.cleaner.averaged;
        let passed = (self.now - from).as_secs_f64();
        if passed >= self.c.average_loops || (from == Nanos(0) && passed > 0.0) {
            self.cleaner.redo_rate = (self.lsn - redo) / passed;
            self.cleaner.page_rate = (self.cleaner.pages - pages) / passed;
            self.cleaner.averaged = (self.now, self.lsn, self.cleaner.pages);
        }
        self.cleaner.wanted = if self.server.cleaner_sleeps { self.asked() } else { self.recommended() } as u32;
        self.clean();
    }

    /// Frames that are to be free.
    fn free_wanted(&self) -> u32 {
        if self.pool.stays.is_none() {
            return 0;
        }
        (self.server.lru_scan_depth * self.c.free_part).min(f64::from(self.pool.frames) * self.c.free_most) as u32
    }

    /// Writes the next batch, unless one is under way or there is nothing to do.
    pub(super) fn clean(&mut self) {
        if self.cleaner.busy {
            return;
        }
        let room = self.c.doublewrite_batch as u32;
        let (mut count, mut runs) = (0, 0);
        let (mut stay, mut leave) = ([0; KINDS], [0; KINDS]);
        let from = self.pool.oldest_lsn();
        // Pages used least recently make room: those unchanged at once.
        let wanted = self.free_wanted();
        // What is written beside has its place in the batch.
        let most = (f64::from(room) / (1.0 + self.c.lru_also)) as u32;
        while self.pool.free + count < wanted && count < most {
            let kind = self.pool.next_to_leave();
            let dirty = self.pool.leaves_dirty(kind, self.now);
            let trees = &mut self.pool.trees[kind];
            if trees.resident == 0 {
                break;
            }
            trees.resident -= 1;
            self.cleaner.awake = true;
            if dirty && trees.take_oldest() {
                leave[kind] += 1;
                (count, runs) = (count + 1, runs + 1);
            } else {
                self.pool.free += 1;
            }
        }
        self.cleaner.also += f64::from(count) * self.c.lru_also;
        let also = self.cleaner.also as u32;
        self.cleaner.also -= f64::from(also);
        let furious = self.furious();
        let mut left = if furious { room } else { self.cleaner.wanted + also };
        while left > 0 && count < room {
            let Some(kind) = self.pool.oldest() else { break };
            let trees = &mut self.pool.trees[kind];
            let beside = if self.server.flush_neighbors { trees.neighbours() } else { 0.0 };
            trees.take_oldest();
            let chance: f64 = self.random.random();
            let beside = trees.take_any(((beside + chance) as u32).min(room - count - 1), &mut self.random);
            stay[kind] += 1 + beside;
            (count, runs, left) = (count + 1 + beside, runs + 1, left.saturating_sub(1 + beside));
        }
        self.cleaner.wanted = if furious { self.cleaner.wanted } else { left };
        if count == 0 {
            return self.let_go();
        }
        let cleaner = &mut self.cleaner;
        (cleaner.busy, cleaner.stay, cleaner.leave, cleaner.runs) = (true, stay, leave, runs);
        cleaner.from = from;
        cleaner.pages += f64::from(count);
        if !self.doublewrite {
            return self.write_pages();
        }
        self.cleaner.doublewritten += f64::from(count);
        let mut left = f64::from(count) * self.c.page;
        let mut done = self.now;
        let mut at = DOUBLEWRITE_AT;
        while left > 0.0 {
            let bytes = left.min(self.c.largest_request) as u32;
            done = done.max(self.disks.submit(Which::Data, self.now, IoOperation::Write, at, bytes));
            at += u64::from(bytes);
            left -= f64::from(bytes);
        }
        self.data_writes += 1.0;
        self.agenda.add(done, Event::DoubleWritten);
    }

    /// The pages go where they belong, all at once.
    pub(super) fn write_pages(&mut self) {
        let page = self.c.page as u32;
        let Cleaner { stay, leave, runs, .. } = self.cleaner;
        let count: u32 = stay.iter().chain(&leave).sum();
        let places = (self.pool.pages() as u64).max(1);
        let mut done = self.now;
        let (mut at, mut run) = (0, u32::MAX);
        for number in 0..count {
            // Runs are of one length; pages of a run lie side by side.
            let of = (u64::from(number) * u64::from(runs) / u64::from(count)) as u32;
            at = if of == run { at + 1 } else { self.random.random_range(0..places) };
            run = of;
            let submitted = self.disks.submit(Which::Data, self.now, IoOperation::Write, at * u64::from(page), page);
            done = done.max(submitted);
        }
        self.data_writes += f64::from(count);
        self.agenda.add(done, Event::PagesWritten);
    }

    /// A batch is on the disk.
    pub(super) fn pages_written(&mut self) {
        // The sync of the data files: what is left of it beside the writes.
        self.disks.submit(Which::Data, self.now, IoOperation::Flush, 0, 0);
        self.data_syncs += 1.0;
        let cleaner = &mut self.cleaner;
        cleaner.busy = false;
        cleaner.from = None;
        let leave: u32 = std::mem::take(&mut cleaner.leave).iter().sum();
        cleaner.stay = [0; KINDS];
        self.pool.free += leave;
        self.let_go();
        self.clean();
    }

    /// Who waited for a free frame, or for room in the redo log, goes on if there is some.
    fn let_go(&mut self) {
        let owed = self.frames_owed.min(self.pool.free);
        self.pool.free -= owed;
        self.frames_owed -= owed;
        while self.pool.free > 0
            && let Some(op) = self.for_frames.pop_front()
        {
            self.next_read(op);
        }
        let most = self.ages().0;
        // Each adds to the age: no more go than have room.
        while self.checkpoint_age() <= most
            && let Some(op) = self.for_log.pop_front()
        {
            self.execute(op);
        }
        self.waits();
    }
}
