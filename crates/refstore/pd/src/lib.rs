//! Placement: which node holds what, and who leads. One member of TiKV's placement driver, with the part of its gRPC and
//! HTTP that clients, nodes and operators need; regions are cut once and never change.

#![forbid(unsafe_code)]

mod arguments;
mod cluster;
mod cut;
mod error;
mod file;
mod grpc;
mod hex;
mod http;
mod metrics;
mod operators;
mod place;
mod record;
mod regions;
mod schedule;
mod server;
pub mod session;
mod settings;
mod shared;
mod stores;
mod tso;

pub use arguments::PdArguments;
pub use error::PdError;
pub use server::PlacementServer;
