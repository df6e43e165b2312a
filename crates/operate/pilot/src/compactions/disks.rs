//! What a store's disks did, and what they let through.

use compaction_control::{Allowance, Done, Signals};

use crate::{Now, WorldError};

/// Of the disk that holds a store's files, and of all disks that hang on its instance.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Looked {
    /// What was done on that disk.
    pub volume_done: Done,
    /// What was done on all of them.
    pub instance_done: Done,
    /// What that disk lets through.
    pub volume: Allowance,
    /// What the instance lets through.
    pub instance: Allowance,
}

impl Looked {
    /// Fills in the part of the signals that disks tell.
    pub(super) fn tell(self, signals: &mut Signals) {
        let Self { volume_done, instance_done, volume, instance } = self;
        *signals = Signals { volume_done, instance_done, volume, instance, ..*signals };
    }
}

/// Where that is read.
pub trait Disks {
    /// Looks.
    ///
    /// # Errors
    /// When nobody answers, or what is answered has no such disk.
    fn look(&self, now: Now) -> Result<Looked, WorldError>;
}
