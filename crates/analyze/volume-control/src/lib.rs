//! How a volume should be provisioned, from what it was asked for: IOPS and throughput up and down, gp2 made gp3, within a
//! monthly budget and a cloud's rules for modifications. It is pure: time, use and chance are arguments, and a [`Cloud`] is
//! someone else's; the one here is a fake. It never changes a size, and knows nothing of stripes: each volume is looked at alone.

#![forbid(unsafe_code)]

mod cloud;
mod decide;
mod demand;
mod fake;
mod ledger;
mod permit;
mod policy;
mod predict;
mod proposal;
mod target;
#[cfg(test)]
mod testing;
mod volume;

pub use cloud::{CloudError, VolumeCloud};
pub use decide::decide;
pub use demand::{RequestMix, VolumeDemand};
pub use fake::{CloudFault, FakeCloud};
pub use ledger::{ChangeLedger, LedgerEntry, LedgerError, VolumeObservation};
pub use permit::{ModificationPermit, permit};
pub use policy::{PolicyError, VolumePolicy};
pub use predict::{VolumePrediction, predict};
pub use proposal::{ChangeDirection, ChangeProposal, ChangeUndo, KeepReason, VolumeDecision};
pub use volume::{ManagedVolume, ModificationProgress, VolumeChange};
