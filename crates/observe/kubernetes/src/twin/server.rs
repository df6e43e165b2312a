//! The twin on a socket.

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State as Held};
use axum::http::StatusCode;
use axum::response::Response;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

use super::{ApiServerState, Ask, answer};

/// No request is larger than a patch.
const LARGEST: usize = 64 << 10;

/// An API server that serves until it is dropped.
#[derive(Debug)]
pub struct FakeApiServer {
    addr: SocketAddr,
    state: Arc<Mutex<ApiServerState>>,
    runtime: Option<Runtime>,
}

impl FakeApiServer {
    /// Nodes `node-1` and `node-2`, and on the first the pod `tidb-0` of namespace `db`.
    ///
    /// # Errors
    /// When no port can be had.
    pub fn of_one_tidb() -> io::Result<Self> {
        let mut state = ApiServerState::default();
        ["node-1", "node-2"].iter().for_each(|node| state.node(node));
        state.pod("db", "tidb-0", "node-1");
        Self::start(state)
    }

    /// Serves on this machine.
    ///
    /// # Errors
    /// When no port can be had.
    pub fn start(state: ApiServerState) -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("kubernetes")
            .enable_all()
            .build()?;
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0"))?;
        let addr = listener.local_addr()?;
        let state = Arc::new(Mutex::new(state));
        let router = Router::new().fallback(serve).with_state(Arc::clone(&state));
        runtime.spawn(async move { axum::serve(listener, router).await });
        Ok(Self { addr, state, runtime: Some(runtime) })
    }

    /// As an address that [`Access::new`](crate::Access::new) takes.
    pub fn base(&self) -> String {
        format!("http://{}", self.addr)
    }

    /// What it knows.
    pub fn state(&self) -> MutexGuard<'_, ApiServerState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for FakeApiServer {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

async fn serve(Held(state): Held<Arc<Mutex<ApiServerState>>>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let body = to_bytes(body, LARGEST).await.unwrap_or_default();
    let header = |name: &str| head.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let ask = Ask {
        method: head.method.as_str(),
        path: head.uri.path(),
        kind: header("content-type"),
        authorization: header("authorization"),
        body: serde_json::from_slice(&body).unwrap_or_default(),
    };
    let (status, value) = answer(&mut state.lock().unwrap_or_else(PoisonError::into_inner), &ask);
    let built = Response::builder().status(StatusCode::from_u16(status).unwrap_or_default());
    built.header("content-type", "application/json").body(Body::from(value.to_string())).unwrap_or_default()
}
