//! PD's HTTP API (tikv/pd server/api/router.go): stores, health, leaders, evictions, settings. An answer of another shape than is
//! known is an error, never a default: what is not understood does not count as healthy.

#![forbid(unsafe_code)]

mod answers;
mod client;
mod health;

pub use answers::{EVICT_LEADERS, PdSource, StoreRow, evicting, health};
pub use client::{PD_PROGRAM, PdClient};
pub use health::{ClusterHealth, StoreHealth};
