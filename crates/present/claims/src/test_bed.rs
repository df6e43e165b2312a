//! Resources of the machine on which claims are measured.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use mount::MountHome;
use private_dir::FolderPurpose;
use units::Nanos;

use crate::error::ClaimError;

/// Folders, times and the stop flag of a measurement.
#[derive(Debug)]
pub struct ClaimTestBed {
    /// State folder of mounted disks.
    pub home: MountHome,
    /// A folder with room for 4 GiB, best in memory: a slower disk under it would slow down what is measured. Everything made
    /// in it is removed.
    pub scratch: PathBuf,
    /// How long each number is measured.
    pub span: Nanos,
    /// Ends a measurement with [`ClaimError::Interrupted`] once true; mounts and processes are taken down.
    pub stop: Arc<AtomicBool>,
}

impl ClaimTestBed {
    /// Refuses to go on once stopped.
    pub(crate) fn go_on(&self) -> Result<(), ClaimError> {
        if self.stop.load(Ordering::Relaxed) { Err(ClaimError::Interrupted) } else { Ok(()) }
    }

    /// Opens the scratch folder.
    pub(crate) fn ready(&self) -> Result<(), ClaimError> {
        private_dir::open(&self.scratch, FolderPurpose::SCRATCH)?;
        Ok(())
    }
}
