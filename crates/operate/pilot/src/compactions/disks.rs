//! What a store's disks did, and what they let through.

use compaction_control::{CompletedIo, DiskAllowance, LimiterSignals};

use crate::{ClockReading, WorldError};

/// Of the disk that holds a store's files, and of all disks that hang on its instance.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct StoreDiskView {
    /// What was done on that disk.
    pub volume_done: CompletedIo,
    /// What was done on all of them.
    pub instance_done: CompletedIo,
    /// What that disk lets through.
    pub volume: DiskAllowance,
    /// What the instance lets through.
    pub instance: DiskAllowance,
}

impl StoreDiskView {
    /// Fills in the part of the signals that disks tell.
    pub(super) fn tell(self, signals: &mut LimiterSignals) {
        let Self { volume_done, instance_done, volume, instance } = self;
        *signals = LimiterSignals { volume_done, instance_done, volume, instance, ..*signals };
    }
}

/// Where that is read.
pub trait DiskSource {
    /// Looks.
    ///
    /// # Errors
    /// When nobody answers, or what is answered has no such disk.
    fn look(&self, now: ClockReading) -> Result<StoreDiskView, WorldError>;
}
