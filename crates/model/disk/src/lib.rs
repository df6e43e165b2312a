//! The cloud disk: its text, its limits and its behaviour in virtual time.

#![forbid(unsafe_code)]

mod behaviour;
mod error;
mod limits;
mod noun;
mod parse;
mod service;
mod table;
#[cfg(test)]
mod testing;

pub use behaviour::{
    Balance, Bound, CachePolicy, CacheSpec, CacheStats, CannotBecome, Completion, Credits, Device, Fault, Host, Io,
    Modification, ModificationRules, ModificationState, ModifyError, Node, Op, ParseWishError, Reckoning, Spec,
    StartCredits, Status, Tuning, Wish, deliverable,
};
pub use error::DiskError;
pub use limits::Limits;
pub use noun::{Disk, Volume};
pub use parse::ParseDiskError;
pub use service::{Calibration, ServiceTime};

/// The direction of an I/O.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From the disk.
    Read,
    /// To the disk.
    Write,
}
