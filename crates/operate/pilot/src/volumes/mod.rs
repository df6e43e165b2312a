//! Volumes: their cloud as the pilot reaches it, their use as it sees it, and the controller that grows and shrinks them.

mod book;
mod bridge;
mod controller;
#[cfg(feature = "cloud")]
mod ebs;
#[cfg(test)]
mod laws;
mod mounted;
#[cfg(test)]
mod testing;

use timeline::Timeline;
use units::Nanos;
use volume_control::{CloudError, ManagedVolume, VolumeCloud};

pub use book::{JsonLinesFile, LedgerStore, MemoryBook};
pub use bridge::FleetBridge;
pub use controller::VolumeController;
#[cfg(feature = "cloud")]
pub use ebs::EbsFleet;
pub use mounted::MountedFleet;

/// The volumes of a cloud and their use. All instants are on one clock, the fleet's.
#[derive(Debug, Clone, Default)]
pub struct VolumesSeen {
    /// When it was looked.
    pub now: Nanos,
    /// All that the budget pays for.
    pub volumes: Vec<ManagedVolume>,
    /// What they were asked for.
    pub timeline: Timeline,
}

/// A cloud with the use of its volumes: AWS with CloudWatch, or the disks that are mounted on this machine. Azure and Google
/// Cloud have none yet: they need this trait and nothing more.
pub trait VolumeFleet: VolumeCloud {
    /// The volumes that are looked after.
    fn names(&self) -> Vec<String>;

    /// Now, by its own clock.
    ///
    /// # Errors
    /// When nobody answers.
    fn now(&mut self) -> Result<Nanos, CloudError>;

    /// What its volumes were asked for since an instant.
    ///
    /// # Errors
    /// When nobody answers.
    fn used(&mut self, since: Nanos) -> Result<Timeline, CloudError>;
}
