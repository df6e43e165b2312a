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
pub use flow::{CfPressure, EnginePressure, FlowControl, FlowSettings};
pub use network::{StoreDirectory, StoreNetwork, transport};
pub use replicas::{ReplicaAccess, SnapshotPieces};
pub use server::{KvServer, KvServerSetup};
pub use settings::{GrpcCompression, KvServerSettings};
