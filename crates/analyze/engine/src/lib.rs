//! How TiKV and InnoDB turn a workload into CPU, log writes, flushes, compactions and reads, and what latency and
//! throughput follow.

#![forbid(unsafe_code)]

mod asks;
mod cache;
mod calibration;
mod closed_loop;
mod constants;
mod demand;
mod group_commit;
mod innodb;
mod latency;
mod lsm;
mod measured;
mod predict;
mod ratios;
#[cfg(test)]
mod testing;
mod tikv;

pub use asks::asks;
pub use cache::HitCurve;
pub use calibration::{Calibration, Innodb, Tikv};
pub use closed_loop::{ClosedLoop, closed_loop};
pub use constants::values;
pub use demand::{Cluster, Demand, IoDemand, Path, Prepared, target_rate};
pub use latency::{Latency, latency};
pub use predict::{Capacity, DiskCapacity, Load, Prediction, Resource, ceiling, predict, utilisation};
pub use ratios::Ratios;
