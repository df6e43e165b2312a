//! A plan made as small as this machine, run on it, and held against what was predicted. Ratios are kept: load to limits,
//! data to memory, levels to data. Latencies of disks are not scaled, so latencies compare.

mod constants;
mod figures;
mod model;
mod proof;
mod raw;
mod scaling;
mod seen;
mod simulated;
mod staged;

pub use figures::{DiskFigures, DiskLimit, DiskRole, LimitPressure, ProofFigures};
pub use model::DiskShares;
pub use proof::PlanProof;
pub use raw::RawKeyWorkload;
pub use scaling::{FullSizePlan, MachineBudget, OperationCost, PlanScaling};
pub use staged::StagedPlan;
