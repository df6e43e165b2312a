//! The status server: TiKV's HTTP surface for configuration, metrics and health (tikv src/server/status_server/mod.rs).

mod region;

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Path, Request, State};
use axum::http::{StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use raftstore::RegionStatus;
use tokio::sync::oneshot;

use crate::config::ConfigController;

/// A posted change is no longer than this.
const LONGEST_BODY: usize = 1 << 20;

/// What the status server shows. Calls may take milliseconds; they come from its own thread.
pub struct StatusSource {
    /// The configuration.
    pub controller: ConfigController,
    /// The page of metrics.
    pub metrics: Box<dyn Fn() -> String + Send + Sync>,
    /// Why the node no longer works, if it does not.
    pub broken: Box<dyn Fn() -> Option<String> + Send + Sync>,
    /// The replicas of the node.
    pub regions: Box<dyn Fn() -> Vec<RegionStatus> + Send + Sync>,
}

/// A status server that runs; it stops when dropped.
pub struct StatusServer {
    addr: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl StatusServer {
    /// Serves on a socket that listens already.
    ///
    /// # Errors
    /// When the thread cannot be started.
    pub fn start(listener: TcpListener, shown: StatusSource) -> std::io::Result<Self> {
        let addr = listener.local_addr()?;
        listener.set_nonblocking(true)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build()?;
        let (stop, stopped) = oneshot::channel::<()>();
        let serve = move || {
            runtime.block_on(async move {
                let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
                let server = axum::serve(listener, routes(shown).into_make_service());
                tokio::select! {
                    _ = server => {}
                    _ = stopped => {}
                }
            });
        };
        let thread = thread::Builder::new().name("status-server".to_owned()).spawn(serve)?;
        Ok(Self { addr, stop: Some(stop), thread: Some(thread) })
    }

    /// Where it listens.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }
}

impl Drop for StatusServer {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn routes(shown: StatusSource) -> Router {
    Router::new()
        .route("/config", get(config).post(update))
        .route("/metrics", get(metrics))
        .route("/status", get(status))
        .route("/engine_type", get(async || "raft-kv"))
        .route("/region/{id}", get(region))
        .fallback(async || (StatusCode::NOT_FOUND, "path not found"))
        .with_state(Arc::new(shown))
}

/// A truth value among the parameters of a request; an error names what is there instead.
fn flag(uri: &Uri, name: &str) -> Result<Option<bool>, String> {
    let pairs = uri.query().unwrap_or_default().split('&').map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    match pairs.filter(|(key, _)| *key == name).map(|(_, value)| value).next() {
        None => Ok(None),
        Some("true") => Ok(Some(true)),
        Some("false") => Ok(Some(false)),
        Some(other) => Err(format!("{name} is `{other}`, expected true or false")),
    }
}

async fn config(State(shown): State<Arc<StatusSource>>, uri: Uri) -> Response {
    // No key is hidden here, so `full` shows nothing more; it is checked as TiKV does.
    match flag(&uri, "full") {
        Err(error) => (StatusCode::BAD_REQUEST, error).into_response(),
        Ok(_) => {
            let json = shown.controller.config().json();
            ([(header::CONTENT_TYPE, "application/json")], json.to_string()).into_response()
        }
    }
}

async fn update(State(shown): State<Arc<StatusSource>>, uri: Uri, request: Request<Body>) -> Response {
    let persist = match flag(&uri, "persist") {
        Err(error) => return (StatusCode::BAD_REQUEST, error).into_response(),
        Ok(persist) => persist.unwrap_or(true),
    };
    let done = match to_bytes(request.into_body(), LONGEST_BODY).await {
        Ok(body) => shown.controller.update(&body, persist).map_err(|error| error.to_string()),
        Err(error) => Err(format!("failed to decode, error: {:?}", error.to_string())),
    };
    match done {
        Ok(()) => StatusCode::OK.into_response(),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error).into_response(),
    }
}

async fn metrics(State(shown): State<Arc<StatusSource>>) -> Response {
    ([(header::CONTENT_TYPE, prometheus::TEXT_FORMAT)], (shown.metrics)()).into_response()
}

async fn status(State(shown): State<Arc<StatusSource>>) -> Response {
    match (shown.broken)() {
        None => StatusCode::OK.into_response(),
        Some(reason) => (StatusCode::INTERNAL_SERVER_ERROR, reason).into_response(),
    }
}

async fn region(State(shown): State<Arc<StatusSource>>, Path(id): Path<String>) -> Response {
    let Ok(id) = id.parse::<u64>() else {
        return (StatusCode::BAD_REQUEST, format!("`{id}` is no region id")).into_response();
    };
    match (shown.regions)().iter().find(|status| status.region.id == id) {
        Some(status) => {
            ([(header::CONTENT_TYPE, "application/json")], region::json(status).to_string()).into_response()
        }
        None => (StatusCode::NOT_FOUND, format!("region({id}) not found")).into_response(),
    }
}

#[cfg(test)]
mod tests;
