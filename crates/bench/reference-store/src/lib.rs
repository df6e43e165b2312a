//! A workload run on a database: on a reference cluster that is started for it on mounted disks of this machine, or on one
//! that is already there. Here the load of crate `bench` meets the nodes of crate `cluster`.

#![forbid(unsafe_code)]

mod deed;
mod error;
mod events;
mod found;
mod ground;
mod order;
mod pairs;
mod pilot;
pub mod prove;
mod reckoned;

pub use deed::Deed;
pub use error::TrialError;
pub use found::{Found, Use};
pub use ground::Ground;
pub use order::{Database, Order, Stage};
pub use pairs::{Side, alternate, alternate_online};
pub use pilot::PilotProcess;
