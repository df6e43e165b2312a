//! Why a disk was not measured.

use std::io;
use std::path::PathBuf;

use units::Bytes;

use crate::fio::FioError;

/// Why a disk was not measured.
#[derive(Debug, thiserror::Error)]
pub enum ProbeError {
    /// fio is missing or failed.
    #[error(transparent)]
    Fio(#[from] FioError),
    /// The target is neither a folder nor a block device.
    #[error("{path} is {is}, not a folder or a block device: name the folder where the disk is mounted, or the device")]
    NoTarget {
        /// What was named.
        path: PathBuf,
        /// What it is.
        is: &'static str,
    },
    /// The device is mounted, or something else holds it.
    #[error(
        "{device} is in use (mounted, or part of a RAID or LVM): unmount it, or probe the folder where it is mounted"
    )]
    InUse {
        /// The device.
        device: PathBuf,
    },
    /// The device holds something that writing would destroy.
    #[error(
        "{device} is not empty: {found}; nothing was written. If nobody needs that, allow it to be destroyed, or let it \
         only be read"
    )]
    HoldsData {
        /// The device.
        device: PathBuf,
        /// What was found on it.
        found: String,
    },
    /// No room for the test file.
    #[error("{folder} has {free} free; a test file of at least {least} and as much again must fit: make room")]
    NoRoom {
        /// The folder.
        folder: PathBuf,
        /// What is free.
        free: Bytes,
        /// The least size of a test file.
        least: Bytes,
    },
    /// The device is too small to be measured.
    #[error("{device} has only {size}: at least {least} are needed")]
    TooSmall {
        /// The device.
        device: PathBuf,
        /// Its size.
        size: Bytes,
        /// The least.
        least: Bytes,
    },
    /// Something of the system failed.
    #[error("{path}: {what}: {source}")]
    System {
        /// Where.
        path: PathBuf,
        /// What was tried.
        what: &'static str,
        /// What came of it.
        source: io::Error,
    },
    /// Nothing came back from a step that the fit stands on.
    #[error(
        "the step {step:?} completed no I/O in its time: is the disk stalled? Try again with more time for each step"
    )]
    Nothing {
        /// The step's name.
        step: &'static str,
    },
}
