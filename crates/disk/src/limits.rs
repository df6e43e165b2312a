//! What a disk sustains: the catalogue's rules applied to its size and provisioning.

use catalog::{Burst, CatalogError, InstanceType, View};
use units::{Bytes, BytesPerSec, Iops, Nanos, Usd};

use crate::{Direction, Disk};

/// What a disk as a whole sustains (all volumes of a stripe together), before the instance's caps.
#[derive(Debug, Clone, PartialEq)]
pub struct Limits {
    /// Capacity.
    pub size: Bytes,
    /// Sustained I/Os a second, counted in units of `io_unit`.
    pub iops: Iops,
    /// Sustained bytes a second.
    pub throughput: BytesPerSec,
    /// What it may do for a while (of one volume of the stripe).
    pub burst: Option<Burst>,
    /// A request counts as one I/O for each of these, begun or whole.
    pub io_unit: Bytes,
    /// Whether it hangs on the instance's EBS link (network volumes) or not (local NVMe).
    pub shares_instance_caps: bool,
    /// How long an I/O takes while no limit binds.
    pub service: ServiceTime,
}

/// How long an I/O takes while no limit binds: log-normal round a median that grows with throughput.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ServiceTime {
    /// Median of a 4 KiB read on an idle disk.
    pub read: Nanos,
    /// Median of a 4 KiB write on an idle disk.
    pub write: Nanos,
    /// Standard deviation of the logarithm.
    pub sigma: f64,
    /// Bytes beyond 4 KiB travel at this rate.
    pub link: BytesPerSec,
    /// Growth of the median at full throughput: `median × (1 + softness × utilisation²)`.
    pub softness: f64,
    /// Extra time of a flush; zero where the disk has no volatile cache.
    pub flush: Nanos,
}

impl ServiceTime {
    /// The median time of an I/O of `size` when the disk moves `utilisation` (0 to 1) of its throughput limit.
    pub fn median(&self, direction: Direction, size: Bytes, utilisation: f64) -> Nanos {
        let floor = match direction {
            Direction::Read => self.read,
            Direction::Write => self.write,
        };
        let transfer = size.0.saturating_sub(4096) as f64 / self.link.0;
        let soft = 1.0 + self.softness * utilisation * utilisation;
        Nanos::from_secs_f64((floor.as_secs_f64() + transfer) * soft)
    }

    /// The mean of the log-normal round `median`, in seconds.
    pub fn mean(&self, median: Nanos) -> f64 {
        median.as_secs_f64() * (self.sigma * self.sigma / 2.0).exp()
    }
}

/// Why a disk cannot be had.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DiskError {
    /// The catalogue lacks the type, or a fact on it.
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    /// A size or rate beyond what the type allows.
    #[error("{disk}: {what}")]
    OutOfRange {
        /// The disk's text.
        disk: String,
        /// What is beyond what, and what would be allowed.
        what: String,
    },
}

impl Disk {
    /// What the disk sustains on an instance; local NVMe needs the instance to be known.
    ///
    /// # Errors
    /// When the type is unknown that day, or the size or a rate is beyond what it allows.
    pub fn limits(&self, view: &View, instance: Option<&InstanceType>) -> Result<Limits, DiskError> {
        let _ = (view, instance);
        unreachable!("written by the disk crate's owner")
    }

    /// The price of the disk for a month.
    ///
    /// # Errors
    /// When the catalogue lacks a price.
    pub fn monthly(&self, view: &View, region: &str) -> Result<Usd, DiskError> {
        let _ = (view, region);
        unreachable!("written by the disk crate's owner")
    }
}
