#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod behaviour;
mod error;
mod limits;
mod noun;
mod parse;
mod service;
mod sizing;
mod table;
#[cfg(test)]
mod testing;

pub use self::limits::DiskLimits;
pub use behaviour::{
    BehaviourConstants, BurstCredits, CachePolicy, CacheSpec, CacheStats, CannotBecome, CreditBalance, CreditEstimate,
    Device, DeviceSpec, DiskFault, DiskNode, InstanceLink, IoCompletion, IoOperation, IoRequest, IoStatus,
    ModificationRules, ModificationState, ModifyError, ParseWishError, RequestedRate, StartCredits, VolumeModification,
    deliverable,
};
pub use catalog;
pub use error::DiskError;
pub use noun::{Disk, Volume};
pub use parse::ParseDiskError;
pub use service::{ServiceTime, VolumeCalibration};
pub use sizing::{
    BeyondLimit, DiskMarket, DiskRates, ObservedRates, ResemblingDisk, SuitableDisk, VolumeNeed, VolumeProvision,
    VolumeSizing, replaces, resembling, successor, volumes_like,
};
pub use units;

/// The direction of an I/O.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum IoDirection {
    /// From the disk.
    Read,
    /// To the disk.
    Write,
}
