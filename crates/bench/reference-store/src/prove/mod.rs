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

pub use figures::{DiskFigures, DiskLimit, DiskRole, Felt, Figures};
pub use model::Shares;
pub use proof::Proof;
pub use raw::Raw;
pub use scaling::{Full, Machine, Scaling, Work};
pub use staged::Staged;
