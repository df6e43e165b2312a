//! A reference cluster on this machine: a deployment's disks mounted, its nodes running on them as processes with the
//! memory they are given, watched, hurt on purpose, and taken down without a trace. It measures; it is no place to keep
//! data.

#![forbid(unsafe_code)]

mod account;
mod asking;
mod cgroup;
mod cluster;
mod config;
mod counters;
mod error;
mod ground;
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

pub use cluster::Cluster;
pub use config::{Place, config};
pub use counters::{EngineCounters, ZoneTraffic};
pub use error::ClusterError;
pub use host::{Host, Program};
pub use lab::{Lab, Programs};
pub use node::Node;
pub use options::{Options, Progress, Regions};
pub use pd::{Pd, StoreState};
pub use record::sweep;
pub use rounds::{Round, Rounds};
pub use sampler::{Latest, Sampler};
pub use watcher::{Server, StatusPort, Watcher};
