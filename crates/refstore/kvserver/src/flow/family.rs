//! What flow control knows of a column family.

use std::time::Duration;

use raftstore::ColumnFamily;

use super::CfPressure;
use super::constants::{COUNTS, FLOW_SPAN, FLUSH_FLOWS, L0_FLOWS, PENDING_SPAN, PENDINGS};
use super::window::Window;

/// What is known of a column family.
#[derive(Debug)]
pub(crate) struct Family {
    /// The last that was heard of it.
    pub(crate) last: CfPressure,
    /// Memtables that wait, at each flush.
    pub(crate) memtables: Window,
    /// Files on level 0, at each flush and compaction of it.
    pub(crate) l0_files: Window,
    /// Binary logarithm of pending bytes, at each compaction.
    pub(crate) pending: Window,
    /// Bytes per second into level 0.
    pub(crate) flush_flow: Window,
    /// Bytes per second out of level 0.
    pub(crate) l0_flow: Window,
    flushed: (u64, Duration),
    l0_taken: (u64, Duration),
    /// Steps of speed that memtables took and have to give back.
    pub(crate) memtable_debt: f64,
    /// Whether memtables, not level 0, began to slow down.
    pub(crate) memtables_began: bool,
    /// What is high when the process starts is not slowed down for until it rises: there is no flow of writes to go by.
    pub(crate) fresh_memtables: bool,
    pub(crate) fresh_l0: bool,
    pub(crate) fresh_pending: bool,
}

/// What happened to a column family between two samples.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Event {
    /// So many bytes went to level 0.
    Flush(u64),
    /// So many bytes left it.
    L0Compaction(u64),
    /// Of any level.
    Compaction,
}

impl Family {
    /// A family that was first heard of now.
    pub(crate) fn new(first: CfPressure, now: Duration) -> Self {
        let window = |capacity| Window::new(capacity, Duration::ZERO);
        Self {
            last: first,
            memtables: window(COUNTS),
            l0_files: window(COUNTS),
            pending: Window::new(PENDINGS, PENDING_SPAN),
            flush_flow: window(FLUSH_FLOWS),
            l0_flow: window(L0_FLOWS),
            flushed: (0, now),
            l0_taken: (0, now),
            memtable_debt: 0.0,
            memtables_began: false,
            fresh_memtables: true,
            fresh_l0: true,
            fresh_pending: true,
        }
    }

    /// The column family.
    pub(crate) fn cf(&self) -> ColumnFamily {
        self.last.cf
    }

    /// What happened since the last sample. A new file on level 0 is a flush, one less a compaction of level 0.
    pub(crate) fn events(&self, now: &CfPressure) -> impl Iterator<Item = Event> + use<> {
        let flushed = now.flushed_bytes.saturating_sub(self.last.flushed_bytes);
        let taken = now.l0_compacted_bytes.saturating_sub(self.last.l0_compacted_bytes);
        let flush = flushed > 0 || now.l0_files > self.last.l0_files;
        let l0 = taken > 0 || now.l0_files < self.last.l0_files;
        let compaction = l0 || now.pending_compaction_bytes != self.last.pending_compaction_bytes;
        let events = [
            flush.then_some(Event::Flush(flushed)),
            l0.then_some(Event::L0Compaction(taken)),
            compaction.then_some(Event::Compaction),
        ];
        events.into_iter().flatten()
    }

    /// A flush made a file on level 0.
    pub(crate) fn flushed(&mut self, bytes: u64, now: Duration) {
        self.flushed.0 += bytes;
        self.l0_files.observe(self.last.l0_files as f64, now);
        self.count_flows(now);
    }

    /// A compaction took files from level 0.
    pub(crate) fn l0_compacted(&mut self, bytes: u64, now: Duration) {
        self.l0_taken.0 += bytes;
        self.l0_files.observe(self.last.l0_files as f64, now);
    }

    fn count_flows(&mut self, now: Duration) {
        let span = |since: Duration| now.saturating_sub(since).as_secs_f64();
        if now.saturating_sub(self.flushed.1) > FLOW_SPAN {
            self.flush_flow.observe(self.flushed.0 as f64 / span(self.flushed.1), now);
            if self.l0_taken.0 != 0 {
                self.l0_flow.observe(self.l0_taken.0 as f64 / span(self.l0_taken.1), now);
                self.l0_taken.1 = now;
            }
            self.flushed = (0, now);
            self.l0_taken.0 = 0;
        }
    }
}
