#![doc = include_str!("../README.md")]
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
mod prepared;
mod ratios;
#[cfg(test)]
mod testing;
mod tikv;

// Their types are part of the public surface here.
pub use asks::asks;
pub use cache::HitCurve;
pub use calibration::{EngineCalibration, Innodb, Tikv};
pub use closed_loop::{ClosedLoop, closed_loop};
pub use constants::{ConstantsError, values};
pub use demand::{ClusterMachines, IoDemand, OperationDemand, OperationPath, target_rate};
pub use deployment;
pub use disk;
pub use latency::{OperationLatency, latency};
pub use predict::{DiskCapacity, EnginePrediction, NodeCapacity, OfferedLoad, Resource, ceiling, predict, utilisation};
pub use prepared::PreparedTask;
pub use ratios::CompressionRatios;
pub use units;
pub use workload;
