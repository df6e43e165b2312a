//! The emulator on a socket of this machine.

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request as HttpRequest, State};
use axum::http::StatusCode;
use axum::response::Response as HttpResponse;
use jiff::Timestamp;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::Notify;
use tokio::time::timeout;

use super::{EmulatorRequest, EmulatorResponse, LongPollReply, MetadataEmulator};

/// No request is larger than the approval of some events.
const LARGEST: usize = 64 << 10;

#[derive(Debug)]
struct Shared {
    emulator: Mutex<MetadataEmulator>,
    changed: Notify,
}

/// A metadata server that serves until it is dropped.
#[derive(Debug)]
pub struct MetadataServer {
    addr: SocketAddr,
    shared: Arc<Shared>,
    runtime: Option<Runtime>,
}

impl MetadataServer {
    /// Serves at that address; port 0 is any that is free.
    ///
    /// # Errors
    /// When the address cannot be had.
    pub fn start(emulator: MetadataEmulator, addr: SocketAddr) -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("metadata")
            .enable_all()
            .build()?;
        let listener = runtime.block_on(TcpListener::bind(addr))?;
        let addr = listener.local_addr()?;
        let shared = Arc::new(Shared { emulator: Mutex::new(emulator), changed: Notify::new() });
        let router = Router::new().fallback(serve).with_state(Arc::clone(&shared));
        runtime.spawn(async move { axum::serve(listener, router).await });
        Ok(Self { addr, shared, runtime: Some(runtime) })
    }

    /// Where it serves.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// As a base that [`Metadata::new`](crate::Metadata::new) takes.
    pub fn base(&self) -> String {
        format!("http://{}", self.addr)
    }

    /// Looks at or changes what is planned; who waits for news is told.
    pub fn with<T>(&self, act: impl FnOnce(&mut MetadataEmulator) -> T) -> T {
        let result = act(&mut self.shared.emulator.lock().unwrap_or_else(PoisonError::into_inner));
        self.shared.changed.notify_waiters();
        result
    }
}

impl Drop for MetadataServer {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // Long polls are not waited for.
            runtime.shutdown_background();
        }
    }
}

async fn serve(State(shared): State<Arc<Shared>>, request: HttpRequest) -> HttpResponse {
    let (head, body) = request.into_parts();
    let path = head.uri.path_and_query().map_or("/", |path| path.as_str());
    let mut asked = EmulatorRequest::new(head.method.as_str(), path, Timestamp::now());
    for (name, value) in &head.headers {
        asked = asked.header(name.as_str(), value.to_str().unwrap_or_default());
    }
    let response = match to_bytes(body, LARGEST).await {
        Ok(body) => {
            asked.body = String::from_utf8_lossy(&body).into_owned();
            wait(&shared, &asked).await
        }
        Err(_) => EmulatorResponse::new(400, "the body is larger than 64 KiB, or it broke off"),
    };
    let status = StatusCode::from_u16(response.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut built = HttpResponse::builder().status(status);
    for (name, value) in &response.headers {
        built = built.header(*name, value);
    }
    built.body(Body::from(response.body)).unwrap_or_default()
}

async fn wait(shared: &Shared, asked: &EmulatorRequest) -> EmulatorResponse {
    loop {
        // Before the question, so that no change between it and the wait is missed.
        let changed = shared.changed.notified();
        let now = Timestamp::now();
        let (reply, next) = {
            let mut emulator = shared.emulator.lock().unwrap_or_else(PoisonError::into_inner);
            (emulator.answer(now, asked), emulator.next_change(now))
        };
        let until = match reply {
            LongPollReply::Now(response) => return response,
            LongPollReply::Wait(until) => next.map_or(until, |next| next.min(until)),
        };
        let rest = Duration::try_from(until.duration_since(now)).unwrap_or_default();
        // A millisecond more, so that the time has come when it is asked again.
        let _ = timeout(rest + Duration::from_millis(1), changed).await;
    }
}
