#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod engine;
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

pub use engine::{Engine, EngineFacts};
pub use error::WorkloadError;
pub use inserts::{InsertOrder, InsertWorkload};
pub use iostat::{DeviceRates, IncompleteRow, IostatReport, MeanWaits, iostat_reports, mended_json, parse_iostat};
pub use measured::{DiskCounters, IostatDevices, MeasuredLoad};
pub use mix::{MixDistribution, MixWorkload, Operation};
pub use noun::{Workload, WorkloadKind};
pub use pick::{MOST_CLIENTS, TouchedTooMuch};
pub use profile::{
    BlockSpread, IoRates, MeasuredWorkload, OperationProfile, SkewBand, TableGrowth, Task, ThroughputUnit,
};
pub use sysbench::{OltpTest, SysbenchDistribution, SysbenchWorkload};
pub use targets::{AvailabilityTarget, TargetIntervals, Targets};
pub use textfile;
pub use tpcc::TpccWorkload;
pub use units;
pub use ycsb::{CoreWorkload, DatabaseApi, KeyOrder, YcsbDistribution, YcsbWorkload};
