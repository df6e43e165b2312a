//! The part of TiKV's and PD's gRPC that diskwright speaks: raw keys and values, raft between stores, placement. Names and
//! numbers are TiKV's, so that its published clients work unchanged; `bytes` fields are [`bytes::Bytes`].

#![allow(missing_docs, clippy::all, reason = "generated code; proto/ says what each message is")]

mod batch;
mod local;
mod stream;

pub use batch::{MOST_BYTES, batch_commands};
pub use local::beside;
pub use stream::LocalStream;

/// Requests on raw keys.
pub mod kvrpcpb {
    tonic::include_proto!("kvrpcpb");
}
/// Why a store refused.
pub mod errorpb {
    tonic::include_proto!("errorpb");
}
/// Stores, regions, peers.
pub mod metapb {
    tonic::include_proto!("metapb");
}
/// Between stores.
pub mod raft_serverpb {
    tonic::include_proto!("raft_serverpb");
}
/// A store's service.
pub mod tikvpb {
    tonic::include_proto!("tikvpb");
}
/// The placement driver's service.
pub mod pdpb {
    tonic::include_proto!("pdpb");
}
