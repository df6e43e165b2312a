//! Disks that the kernel serves itself: the block device stands on the backing file, and counts what the disk does.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::block::Counters;

/// A disk that the kernel serves itself: the block device, and what it had counted before.
#[derive(Debug, Default)]
pub(crate) struct Passthrough(OnceLock<(PathBuf, Counters)>);

impl Passthrough {
    /// From now on what `device` counts is what the disk did.
    pub(crate) fn watch(&self, device: &Path) {
        if let Some(before) = Counters::by_kernel(device) {
            let _ = self.0.set((device.to_owned(), before));
        }
    }

    /// What the disk did; `None` while no device is known.
    pub(crate) fn counters(&self) -> Option<Counters> {
        let (device, before) = self.0.get()?;
        Counters::by_kernel(device)?.since(*before)
    }
}
