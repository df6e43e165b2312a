//! The counters as Prometheus reads them, on loopback only.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;

use axum::Router;
use axum::http::header::CONTENT_TYPE;
use axum::routing::get;

use super::disks::Disks;
use super::log;
use crate::MountError;

/// Takes an address, or a port of the system's choice.
pub(crate) fn bind(address: Option<SocketAddr>) -> Result<TcpListener, MountError> {
    let address = address.unwrap_or((Ipv4Addr::LOCALHOST, 0).into());
    let bound = TcpListener::bind(address).and_then(|listener| listener.set_nonblocking(true).map(|()| listener));
    bound.map_err(|error| {
        MountError::Input(format!("metrics cannot be served at {address}: {error}; choose another port with --metrics"))
    })
}

/// Serves `/metrics` from now on.
pub(crate) fn start(listener: TcpListener, disks: &Arc<Disks>) -> Result<(), MountError> {
    let disks = Arc::clone(disks);
    let page = move || async move {
        let text = disks.sample().map(|sample| metrics::prometheus(&sample)).unwrap_or_default();
        ([(CONTENT_TYPE, metrics::CONTENT_TYPE)], text)
    };
    let listener = tokio::net::TcpListener::from_std(listener);
    let listener = listener.map_err(|error| MountError::system("metrics cannot be served", error))?;
    tokio::spawn(async move {
        if let Err(error) = axum::serve(listener, Router::new().route("/metrics", get(page))).await {
            log(format!("metrics are not served any more: {error}"));
        }
    });
    Ok(())
}
