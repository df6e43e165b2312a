//! The cloud disk: its text, its limits and its behaviour in virtual time.

#![forbid(unsafe_code)]

mod limits;
mod noun;

pub use limits::{DiskError, Limits, ServiceTime};
pub use noun::{Disk, ParseDiskError, Volume};

/// The direction of an I/O.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From the disk.
    Read,
    /// To the disk.
    Write,
}
