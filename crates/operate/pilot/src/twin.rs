//! A cluster in memory, with faults on request: the same answers, traps and delays as the real one, and no clock of its own.

mod faults;
mod lines;
mod peers;
mod state;

pub use faults::{PilotRequest, RequestFault};
pub use lines::{MemoryAudit, MemoryLines};
pub use peers::TwinLock;
pub use state::{ClusterTwin, TwinState, well};
