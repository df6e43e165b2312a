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
use volume_control::{CloudError, VolumeCloud};

pub use book::{JsonLinesFile, LedgerStore, MemoryBook};
pub use bridge::FleetBridge;
pub use controller::VolumeController;
#[cfg(feature = "cloud")]
pub use ebs::EbsFleet;
pub use mounted::MountedFleet;

pub use crate::volumes_seen::VolumesSeen;

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
