//! The reference store: TiKV's parts, settings and surfaces on RocksDB and Raft Engine. A measuring instrument, not a database
//! to keep data in.

#![forbid(unsafe_code)]

mod arguments;
pub mod config;
mod metrics;
mod node;
pub mod rocks;
pub mod space;
pub mod status;

pub use arguments::StoreArguments;
pub use node::{NodeError, StoreNode, configure};
