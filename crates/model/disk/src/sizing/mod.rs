//! One law of sizing: what to buy of a volume type for a need, and which disk carries what another does not.

mod conversion;
mod law;
mod market;
mod resembling;

use limits::BindingLimit;
use units::{Bytes, BytesPerSec, Iops};

pub use conversion::{replaces, successor};
pub use law::VolumeSizing;
pub use market::{DiskMarket, SuitableDisk};
pub use resembling::{ObservedRates, ResemblingDisk, resembling, volumes_like};

/// Load that one volume must carry, planning ceilings included.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct VolumeNeed {
    /// Capacity.
    pub size: Bytes,
    /// I/Os a second, counted as the type counts them.
    pub iops: Iops,
    /// Bytes a second.
    pub throughput: BytesPerSec,
}

/// Rates that a disk must carry, all volumes of its stripe together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DiskRates {
    /// I/Os a second, counted as the type counts them.
    pub iops: Iops,
    /// Bytes a second.
    pub throughput: BytesPerSec,
}

/// Provisioning of one volume. Rates of zero, and rates that the type does not sell, are the type's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct VolumeProvision {
    /// Size in GiB.
    pub gib: u64,
    /// I/Os a second.
    pub iops: u64,
    /// Throughput in MiB/s.
    pub mib_s: u64,
}

/// A need that no volume of a type carries.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("{limit}: {asked:.0} {} asked of one volume, {most:.0} at most", .limit.unit())]
pub struct BeyondLimit {
    /// The limit: capacity, IOPS or throughput of the volume.
    pub limit: BindingLimit,
    /// Load of one volume, in the limit's unit.
    pub asked: f64,
    /// The most that the type sells, in the limit's unit.
    pub most: f64,
}
