//! A log whose syncs are shared: who comes while one is under way waits for the next, and all who wait go together.

use disk::IoOperation;
use units::Nanos;

use super::world::{Event, World};
use crate::disks::Which;

/// Which log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Log {
    Redo,
    Binary,
}

/// Where logs lie on their disks, far from pages.
const REDO_AT: u64 = 1 << 42;
const BINARY_AT: u64 = 1 << 43;
const JOURNAL_AT: u64 = 1 << 44;

/// One log.
#[derive(Debug, Clone, Default)]
pub(super) struct SharedSync {
    /// Who waits for the next sync, and for the one under way.
    waiting: Vec<u32>,
    under_way: Vec<u32>,
    busy: bool,
    /// Writes of the journal that the sync under way is yet to make; and whether its flush is.
    journal: u32,
    flush: bool,
    /// Bytes that are not on their way to the disk, and the place where they go.
    pub(super) pending: f64,
    at: u64,
    /// Syncs until now, and bytes of all.
    pub(super) syncs: f64,
    pub(super) bytes: f64,
    /// Groups of transactions that went together.
    pub(super) groups: f64,
}

impl World {
    fn log(&mut self, log: Log) -> &mut SharedSync {
        match log {
            Log::Redo => &mut self.redo,
            Log::Binary => &mut self.binlog,
        }
    }

    /// A transaction's changes are to be durable.
    pub(super) fn join(&mut self, log: Log, op: u32) {
        self.log(log).waiting.push(op);
        self.sync(log);
    }

    /// Begins a sync, if somebody waits for one and none is under way.
    fn sync(&mut self, log: Log) {
        let this = self.log(log);
        if this.busy || this.waiting.is_empty() {
            return;
        }
        std::mem::swap(&mut this.waiting, &mut this.under_way);
        this.groups += 1.0;
        self.write_log(log);
    }

    /// Writes what is pending, and syncs it; also where nobody waits.
    pub(super) fn write_log(&mut self, log: Log) {
        let block = self.c.log_block;
        let journal = if log == Log::Redo { self.c.redo_journal_writes } else { self.c.journal_writes } as u32;
        let this = self.log(log);
        (this.busy, this.journal, this.flush) = (true, journal, true);
        let bytes = std::mem::take(&mut this.pending);
        this.bytes += bytes;
        this.syncs += 1.0;
        // The page that the last sync ended in is written again with what was added to it.
        let from = this.at / block as u64 * block as u64;
        this.at += bytes as u64;
        let bytes = ((this.at - from) as f64 / block).ceil().max(1.0) * block;
        let (which, base) = match log {
            Log::Redo => (Which::Log, REDO_AT),
            Log::Binary => (Which::Data, BINARY_AT),
        };
        let done = self.disks.submit(which, self.now, IoOperation::Write, base + from, bytes as u32);
        self.agenda.add(done, Event::Log(log));
    }

    /// A request of a sync is done.
    pub(super) fn log_step(&mut self, log: Log) {
        let (now, journal_bytes) = (self.now, self.c.journal_block as u32);
        let overhead = Nanos::from_secs_f64(self.c.sync_overhead);
        let which = if log == Log::Redo { Which::Log } else { Which::Data };
        let this = self.log(log);
        if this.journal > 0 {
            this.journal -= 1;
            let place = JOURNAL_AT + (this.syncs as u64 * 8 + u64::from(this.journal)) % (1 << 14) * 8192;
            let done = self.disks.submit(which, now, IoOperation::Write, place, journal_bytes);
            return self.agenda.add(done, Event::Log(log));
        }
        if std::mem::take(&mut this.flush) {
            let done = self.disks.submit(which, now, IoOperation::Flush, 0, 0);
            return self.agenda.add(done + overhead, Event::Log(log));
        }
        this.busy = false;
        let ended = std::mem::take(&mut this.under_way);
        // Those who waited meanwhile go before the ones who end now come back.
        self.sync(log);
        for op in ended {
            match log {
                Log::Redo => self.redo_written(op),
                Log::Binary => self.answered(op),
            }
        }
    }

    /// Whether a log is being synced.
    pub(super) fn syncing(&self, log: Log) -> bool {
        match log {
            Log::Redo => self.redo.busy,
            Log::Binary => self.binlog.busy,
        }
    }
}
