//! How TiKV and InnoDB turn a workload into CPU, log writes, flushes, compactions and reads, and what latency and
//! throughput follow.

#![forbid(unsafe_code)]

mod demand;
mod predict;

pub use demand::{Cluster, Demand, IoDemand, Path};
pub use predict::{Capacity, DiskCapacity, Load, Prediction, Resource};
