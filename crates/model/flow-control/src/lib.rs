//! TiKV's flow control as a law: it takes how far an engine is behind and the time, and gives the speed that writes may have and
//! the share of them to refuse. It decides as `singleton_flow_controller.rs` of TiKV v8.5 does. The reference store applies it
//! to RocksDB, the simulator to its model of one. It reads no clock and holds back nothing itself.

#![forbid(unsafe_code)]

mod bucket;
mod constants;
mod family;
mod law;
#[cfg(test)]
mod law_tests;
mod window;

pub use bucket::WriteBucket;
pub use constants::{FASTEST_THROTTLE, FIRST_REFUSED_SHARE, KEPT_REFUSED_SHARE, REFILL_BURST, SLOWEST_THROTTLE};
pub use family::{FamilyRecords, InitialBacklog};
pub use law::{FlowLaw, FlowThresholds, ThrottleAction};
pub use window::SampleWindow;
