//! Client of raw keys in TiKV: finds the leader, batches, counts what crosses zones. It costs the machine little, so that a
//! benchmark measures the store and not its driver.

#![forbid(unsafe_code)]

mod alarm;
mod client;
mod codec;
mod connection;
mod error;
mod listener;
mod mailbox;
mod options;
mod own;
mod pd;
mod pending;
mod remedy;
mod request;
mod routes;
mod session;
mod traffic;
mod worker;

pub use client::RawClient;
pub use error::ClientError;
pub use options::{RawClientOptions, ReplicaRead};
pub use pd::addresses;
pub use request::{RawRequest, RawResponse, RequestError};
pub use session::RawSession;
pub use traffic::{ClientTraffic, ZoneTraffic};
