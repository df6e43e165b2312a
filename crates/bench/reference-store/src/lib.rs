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

pub use deed::ScheduledAction;
pub use error::TrialError;
pub use found::{StoreResourceUse, StoreRunResult};
pub use ground::StoreTestBed;
pub use order::{StoreDatabase, StoreRunSpec, StoreStage};
pub use pairs::{SideSettings, alternate, alternate_online};
pub use pilot::PilotProcess;
