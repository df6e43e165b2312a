//! The reference store as a database under test: raw keys on a cluster that is launched on mounted disks of this machine, or on a
//! TiKV that is there. Here the load of crate `bench` meets the nodes of crate `cluster`.

#![forbid(unsafe_code)]

mod action;
mod counters;
mod error;
mod events;
mod pairs;
mod pilot;
pub mod prove;
mod sizes;
mod spec;
mod store;

pub use action::ScheduledAction;
pub use counters::{ClientTraffic, StoreCounters, StoreRun};
pub use error::{PilotFault, ReferenceStoreError, UnprovablePlan};
pub use events::with_events;
pub use pairs::{SideSettings, alternate_online};
pub use pilot::PilotProcess;
pub use spec::{LaunchedStore, REQUEST_TIMEOUT, StoreSettings, StoreSpec};
pub use store::{ReferenceStore, StoreWatch};
