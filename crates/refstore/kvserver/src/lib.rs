//! A store's gRPC service: raw keys, raft between nodes, flow control.

#![forbid(unsafe_code)]

mod error;
mod flow;
mod network;
mod pool;
mod replicas;
mod server;
mod service;
mod settings;

pub use error::ServerError;
pub use flow::{CfPressure, FlowControl, FlowSettings, Pressure};
pub use network::{Network, Stores, transport};
pub use replicas::{Pieces, Replicas};
pub use server::{Server, Setup};
pub use settings::{Compression, Settings};
