//! Volume types: what a size, and a provisioned rate, buys.

use units::{Bytes, BytesPerSec, Iops, Nanos};

use crate::{Cloud, ManagedService, Provenance};

/// Medium of a volume, which decides how I/Os are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VolumeMedium {
    /// Flash behind the network.
    Ssd,
    /// Spinning disks behind the network.
    Hdd,
    /// Flash on the host, lost with it. Its limits are the instance's.
    LocalNvme,
}

/// A type of volume as its cloud sold it on a day.
#[derive(Debug, Clone, PartialEq)]
pub struct VolumeType {
    /// Name in a disk's text: `gp3`, `pd-ssd`, `premium-v2`.
    pub name: String,
    /// Its cloud.
    pub cloud: Cloud,
    /// Service that alone sells it (`rds-gp2` of RDS); `None` where machines take it.
    pub service: Option<ManagedService>,
    /// Medium.
    pub medium: VolumeMedium,
    /// Smallest and largest size.
    pub size: (Bytes, Bytes),
    /// How many I/Os a second it sustains.
    pub iops: IopsRule,
    /// How many bytes a second it sustains.
    pub throughput: ThroughputRule,
    /// Burst bucket, where there is one.
    pub burst: Option<BurstBucket>,
    /// Requests are counted as one I/O per this many bytes.
    pub io_unit: Bytes,
    /// Share of volumes alive after a year, lower and upper bound; `None` where none is published.
    pub durability: Option<(f64, f64)>,
    /// How often it delivers what was provisioned; `None` where nothing is promised.
    pub consistency: Option<ConsistencyPromise>,
    /// Source and date.
    pub provenance: Provenance,
}

impl VolumeType {
    /// For how much of the time, 0 to 1, all of so many volumes are promised to deliver what was provisioned; 0 where nothing is
    /// promised. Volumes are late apart from each other: a stripe is on time only while all of them are.
    pub fn on_time(&self, volumes: u32) -> f64 {
        self.consistency.map_or(0.0, |consistency| consistency.of_the_time.powi(volumes as i32))
    }
}

/// How the sustained I/O rate follows from the size or from what is provisioned.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum IopsRule {
    /// `base + per_gib × size`, between `min` and `max`.
    BySize {
        /// At size zero.
        base: f64,
        /// I/Os a second for each GiB.
        per_gib: f64,
        /// Never less.
        min: Iops,
        /// Never more.
        max: Iops,
    },
    /// Provisioned rate, at least `min` (the default), at most `max` and `max_per_gib × size`.
    Provisioned {
        /// The least, and the default.
        min: Iops,
        /// The most.
        max: Iops,
        /// The most for each GiB; `None` if the size does not matter.
        max_per_gib: Option<f64>,
    },
    /// Set by the instance (local NVMe).
    ByInstance,
}

/// How the sustained throughput follows from the size, the I/O rate or what is provisioned.
#[derive(Debug, Clone, PartialEq)]
pub enum ThroughputRule {
    /// Provisioned throughput, between `min` (the default) and `max`, and at most `max_per_iops` for each provisioned I/O a second.
    Provisioned {
        /// The least, and the default.
        min: BytesPerSec,
        /// The most.
        max: BytesPerSec,
        /// The most bytes a second for each I/O a second.
        max_per_iops: Bytes,
    },
    /// Follows the provisioned I/O rate: in the first band whose `up_to` is not under it,
    /// `per_io × IOPS`, at most `max`.
    ByIops(Vec<IopsBand>),
    /// Follows the size: in the last band whose `from` is not over it, `base + per_gib × size`, at most `max`.
    BySize(Vec<SizeBand>),
    /// Set by the instance (local NVMe).
    ByInstance,
}

/// A band of [`ThroughputRule::ByIops`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IopsBand {
    /// Highest provisioned rate of the band.
    pub up_to: Iops,
    /// Bytes for each I/O.
    pub per_io: Bytes,
    /// Never more in this band.
    pub max: BytesPerSec,
}

/// A band of [`ThroughputRule::BySize`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SizeBand {
    /// Smallest size of the band.
    pub from: Bytes,
    /// At size zero.
    pub base: BytesPerSec,
    /// For each GiB.
    pub per_gib: BytesPerSec,
    /// Never more in this band.
    pub max: BytesPerSec,
    /// While burst credits last; equal to `max` where the type has no such burst.
    pub burst: BytesPerSec,
}

/// A bucket that lets a volume go faster for a while.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum BurstBucket {
    /// I/O credits (gp2): full at `capacity`, refilled at the sustained rate, each I/O takes one; while any are left the
    /// volume does up to `iops`. Does not apply where the sustained rate is `iops` or more.
    IoCredits {
        /// Rate while credits last.
        iops: Iops,
        /// A full bucket, in I/Os; also the first balance.
        capacity: f64,
    },
    /// Byte credits (st1, sc1): full at `capacity_per_tib` × size, refilled at the sustained throughput.
    ByteCredits {
        /// Throughput for each TiB of size while credits last.
        per_tib: BytesPerSec,
        /// Never more.
        max: BytesPerSec,
        /// A full bucket for each TiB of size.
        capacity_per_tib: Bytes,
    },
    /// Both rates, for `full_burst` from a full bucket (Azure Premium SSD, instance sizes so marked).
    Timed {
        /// I/O rate in burst.
        iops: Iops,
        /// Throughput in burst.
        throughput: BytesPerSec,
        /// How long a full bucket lasts at the full burst rate.
        full_burst: Nanos,
    },
}

/// "At least `delivered` of the provisioned rate, `of_the_time` of a year."
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ConsistencyPromise {
    /// Share of the provisioned rate.
    pub delivered: f64,
    /// Share of the year.
    pub of_the_time: f64,
}
