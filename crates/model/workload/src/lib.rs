//! What is asked of a database: operations, data, skew, clients and targets.

#![forbid(unsafe_code)]

mod error;
mod inserts;
mod iostat;
mod measured;
mod mix;
mod noun;
pub mod operations;
mod pick;
mod profile;
mod skew;
mod sysbench;
mod tables;
mod targets;
mod tpcc;
mod tpcc_skew;
mod tpcc_standard;
mod ycsb;

pub use error::WorkloadError;
pub use inserts::{Inserts, Order};
pub use iostat::{DeviceRates, IostatReport, Waits, iostat_reports, parse_iostat};
pub use measured::{Counters, Devices, MeasuredLoad};
pub use mix::{Mix, MixDistribution, Operation};
pub use noun::{Kind, Workload};
pub use pick::MOST_CLIENTS;
pub use profile::{Band, Blocks, Growth, IoRates, Measured, Profile, Task, Unit};
pub use sysbench::{OltpTest, Sysbench, SysbenchDistribution};
pub use targets::{Availability, Targets, Wishes};
pub use tpcc::Tpcc;
pub use ycsb::{Api, Core, KeyOrder, Ycsb, YcsbDistribution};

/// The database that serves the workload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Engine {
    /// TiKV: log-structured merge trees behind Raft.
    TiKv,
    /// InnoDB: B-trees behind a redo log (MySQL, MariaDB, RDS).
    InnoDb,
}
