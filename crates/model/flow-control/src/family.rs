//! What flow control records of a column family.

use crate::constants::{COUNTS, PENDING_SPAN, PENDINGS};
use crate::window::SampleWindow;
use units::Nanos;

/// Meaning of a backlog at the first sample of a column family.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InitialBacklog {
    /// Ignored until it rises: the process has just started and has no flow of writes.
    LetBe,
    /// Counted like any other.
    Counts,
}

/// Records of a column family.
#[derive(Debug, Clone)]
pub struct FamilyRecords {
    /// Memtables that wait, at each flush.
    pub memtables: SampleWindow,
    /// Files on level 0, at each flush and compaction of it.
    pub l0_files: SampleWindow,
    /// Binary logarithm of pending bytes, at each compaction.
    pub pending: SampleWindow,
    /// Steps of speed that memtables took and have to give back.
    pub(crate) memtable_debt: f64,
    /// Whether memtables, not level 0, began to slow down.
    pub(crate) memtables_began: bool,
    /// Backlogs that are let be until they rise.
    pub(crate) fresh_memtables: bool,
    pub(crate) fresh_l0: bool,
    pub(crate) fresh_pending: bool,
}

impl FamilyRecords {
    pub(crate) fn new(initial: InitialBacklog) -> Self {
        let fresh = initial == InitialBacklog::LetBe;
        Self {
            memtables: SampleWindow::new(COUNTS, Nanos(0)),
            l0_files: SampleWindow::new(COUNTS, Nanos(0)),
            pending: SampleWindow::new(PENDINGS, PENDING_SPAN),
            memtable_debt: 0.0,
            memtables_began: false,
            fresh_memtables: fresh,
            fresh_l0: fresh,
            fresh_pending: fresh,
        }
    }
}
