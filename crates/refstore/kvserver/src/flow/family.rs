//! What flow control knows of a column family.

use std::time::Duration;

use flow_control::SampleWindow;
use raftstore::ColumnFamily;
use units::Nanos;

use super::CfPressure;
use super::constants::{FLOW_SPAN, FLUSH_FLOWS, L0_FLOWS};
use super::nanos;

/// What is known of a column family.
#[derive(Debug)]
pub(crate) struct Family {
    /// The last that was heard of it.
    pub(crate) last: CfPressure,
    /// Bytes per second into level 0.
    pub(crate) flush_flow: SampleWindow,
    /// Bytes per second out of level 0.
    pub(crate) l0_flow: SampleWindow,
    flushed: (u64, Duration),
    l0_taken: (u64, Duration),
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
        let window = |capacity| SampleWindow::new(capacity, Nanos(0));
        Self {
            last: first,
            flush_flow: window(FLUSH_FLOWS),
            l0_flow: window(L0_FLOWS),
            flushed: (0, now),
            l0_taken: (0, now),
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
        self.count_flows(now);
    }

    /// A compaction took files from level 0.
    pub(crate) fn l0_compacted(&mut self, bytes: u64) {
        self.l0_taken.0 += bytes;
    }

    fn count_flows(&mut self, now: Duration) {
        let span = |since: Duration| now.saturating_sub(since).as_secs_f64();
        if now.saturating_sub(self.flushed.1) > FLOW_SPAN {
            self.flush_flow.observe(self.flushed.0 as f64 / span(self.flushed.1), nanos(now));
            if self.l0_taken.0 != 0 {
                self.l0_flow.observe(self.l0_taken.0 as f64 / span(self.l0_taken.1), nanos(now));
                self.l0_taken.1 = now;
            }
            self.flushed = (0, now);
            self.l0_taken.0 = 0;
        }
    }
}
