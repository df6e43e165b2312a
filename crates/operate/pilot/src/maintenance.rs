//! What is done before a machine is touched by its cloud, and undone after: leaders leave a TiKV, PD's leader resigns, a TiDB
//! moves to another node. Each is a procedure in the journal, so that a pilot that is killed with its machine goes on where it
//! was.

mod bounds;
mod controller;
#[cfg(feature = "cloud")]
mod ec2;
mod edges;
mod listening;
mod procedures;
mod rehearsal;
mod role;

pub use controller::MaintenanceController;
#[cfg(feature = "cloud")]
pub use ec2::Ec2Events;
pub use edges::HeardEvents;
pub use listening::{AccountEvents, AdmissionError, ListenError, MaintenanceSources, check_admission};
pub use procedures::{MachineList, raised};
pub use rehearsal::{Rehearsal, rehearse};
pub use role::{ClusterMachine, MachineRole};
