//! How a disk behaves in virtual time: a state machine that answers each I/O with its completion time at once, so that
//! the caller may wait for it or jump to it.
//!
//! An I/O passes first the instance's limits, then the volume's, in order of arrival; each gate lets it through at the
//! later of what its rate of I/Os and its rate of bytes allow. Then it takes its service time. Instants are counted
//! from the start of a run; beyond 100 days their grain grows from one nanosecond to a few.

mod account;
mod bucket;
mod cache;
mod credits;
mod degrade;
mod deliver;
mod device;
mod fault;
mod host;
mod lru;
mod modify;
mod node;
mod reckoning;
mod sample;
mod stripe;
mod tuning;
mod volume;
mod wish;

use catalog::{CatalogView, InstanceType};
use limits::BindingLimit;
use units::Nanos;

pub use cache::{CachePolicy, CacheSpec, CacheStats};
pub use credits::{BurstCredits, CreditBalance};
pub use deliver::{StartCredits, deliverable};
pub use device::Device;
pub use fault::DiskFault;
pub use host::InstanceLink;
pub use modify::{CannotBecome, ModificationRules, ModificationState, ModifyError, VolumeModification};
pub use node::DiskNode;
pub use reckoning::CreditEstimate;
pub use tuning::BehaviourConstants;
pub use wish::{ParseWishError, RequestedRate};

use crate::{Disk, DiskError, DiskLimits};

/// The later of two instants, in nanoseconds. `f64::max` asks besides whether each is a number, and there are six of them on the way
/// of a request.
fn later(one: f64, other: f64) -> f64 {
    if other > one { other } else { one }
}

/// Request to a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum IoOperation {
    /// Bytes from the disk.
    Read,
    /// Bytes to the disk.
    Write,
    /// Make completed writes durable. It covers writes completed before it is submitted, as in Linux's block layer, so a
    /// caller waits for its writes first.
    Flush,
}

/// One request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IoRequest {
    /// Operation.
    pub op: IoOperation,
    /// First byte on the device.
    pub offset: u64,
    /// How many; ignored by a flush.
    pub bytes: u32,
}

/// Outcome of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IoCompletion {
    /// When every limit had let it through; of a request that is spread over volumes, the last part's.
    pub started: Nanos,
    /// When it is done, or known to have failed.
    pub at: Nanos,
    /// Limit that it waited for longest before it started; `None` where it started on arrival.
    pub bound_by: Option<BindingLimit>,
    /// Whether it worked.
    pub status: IoStatus,
}

/// Whether a request worked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum IoStatus {
    /// Success.
    Done,
    /// The device answered with an error.
    Failed,
    /// The device was not attached.
    Detached,
    /// The power went before it was acknowledged: of a write, any part may be on the disk or none.
    Lost,
}

/// All that a device's behaviour depends on, but the seed.
#[derive(Debug, Clone, PartialEq)]
pub struct DeviceSpec {
    /// The limits of ONE volume.
    pub volume: DiskLimits,
    /// How many such volumes are striped; 1 for a plain one.
    pub stripe: u32,
    /// A read cache, if any.
    pub cache: Option<CacheSpec>,
}

impl From<DiskLimits> for DeviceSpec {
    /// A plain volume.
    fn from(volume: DiskLimits) -> Self {
        Self { volume, stripe: 1, cache: None }
    }
}

impl Disk {
    /// Parameters of this disk's behaviour on an instance. A cache is written around: writes drop their blocks from it.
    ///
    /// # Errors
    /// The errors of [`Disk::limits`]; a cache also needs a known instance.
    pub fn spec(&self, view: &CatalogView, instance: Option<&InstanceType>) -> Result<DeviceSpec, DiskError> {
        self.limits(view, instance)?;
        let cache = self.cache_limits(instance)?;
        Ok(DeviceSpec {
            volume: self.limits_of_each(view, instance)?,
            stripe: self.stripe,
            cache: cache.map(|limits| CacheSpec { limits, policy: CachePolicy::WriteAround }),
        })
    }
}

#[cfg(test)]
mod cases;
#[cfg(test)]
mod laws;
#[cfg(test)]
mod published;
