//! A reference cluster on this machine: a deployment's disks mounted, its nodes running on them as processes with the
//! memory they are given, watched, hurt on purpose, and taken down without a trace. It measures; it is no place to keep
//! data.

#![forbid(unsafe_code)]

mod account;
mod asking;
mod base;
mod cgroup;
mod cluster;
mod config;
mod counters;
mod error;
mod host;
mod http;
mod keeper;
mod lab;
mod looks;
mod node;
mod options;
mod pd;
mod process;
mod reconfigure;
mod record;
mod rounds;
mod rows;
mod sampler;
mod series;
mod watcher;

pub use cluster::RunningCluster;
pub use config::{NodePlace, config};
pub use counters::{EngineCounters, InterZoneTraffic};
pub use error::{ClusterError, UnfitDeployment};
pub use host::{HostProgram, NodeHost};
pub use lab::{ClusterPrograms, TestBed};
pub use node::ClusterNode;
pub use options::{ClusterOptions, RegionLayout, StartProgress};
pub use pd::{PlacementDriver, StoreState};
pub use record::sweep;
pub use rounds::{SampleRound, SampleRounds};
pub use sampler::{NodeActivity, NodeSampler};
pub use watcher::{ServerProgram, ServerWatcher, StatusPort};
