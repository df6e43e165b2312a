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

pub use cloud::{Cloud, CloudError};
pub use decide::decide;
pub use demand::{Demand, Mix};
pub use fake::{Fake, Fault};
pub use ledger::{Entry, Ledger, LedgerError, Seen};
pub use permit::{Permit, permit};
pub use policy::{Policy, PolicyError};
pub use predict::{Prediction, predict};
pub use proposal::{Decision, Direction, Keep, Proposal, Undo};
pub use volume::{Change, Progress, Volume};
