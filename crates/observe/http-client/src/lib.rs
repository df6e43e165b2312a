//! HTTP, as every part of the program speaks it. What holds for all of them is here: a request has a total deadline, an answer a
//! bound, both can be given up; a secret goes nowhere in the clear and to no other server; no proxy reaches this machine.

#![forbid(unsafe_code)]

mod access;
mod address;
mod api;
mod client;
mod error;
mod redirect;
mod server;
mod trust;

pub use access::{ClientAccess, Secret};
pub use address::{ServerAddress, is_loopback};
pub use api::{ApiServer, decoded};
pub use client::{HttpClient, HttpRequest, HttpResponse, RequestLimits};
pub use error::{ApiError, CertificateError, PeerError};
pub use server::RemoteServer;
pub use trust::{TrustRoots, certificates, identity};
