//! The service's life: listening, threads, stopping.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use proto::LocalStream;
use proto::tikvpb::tikv_server::TikvServer;
use raftstore::StateStore;
use tokio::net::UnixListener;
use tokio::sync::oneshot;
use tokio_stream::StreamExt;
use tokio_stream::wrappers::{TcpListenerStream, UnixListenerStream};
use tokio_util::either::Either;
use tonic::codec::CompressionEncoding;
use tonic_health::ServingStatus;

use crate::network::{Counted, Meter};
use crate::pool::Pool;
use crate::service::Service;
use crate::service::health::{self, Feedback};
use crate::service::reads;
use crate::service::shared::Shared;
use crate::service::tasks::{ReadTask, Write};
use crate::service::writes;
use crate::{EnginePressure, FlowControl, GrpcCompression, KvServerSettings, ReplicaAccess, ServerError, StoreNetwork};

/// How long writes under way may take to be answered when the service stops.
const FAREWELL: Duration = Duration::from_secs(1);
/// A connection may have more on the way than one of its streams.
const CONNECTION_WINDOWS: u32 = 8;
/// The largest piece in which a client or another store may send, bytes: HTTP/2's own 16 KiB take a call of the kernel each.
const FRAME: u32 = 1 << 20;
/// Any size of message is taken, as TiKV does; the limits on writes under way bound them.
const NO_LIMIT: usize = usize::MAX;

/// What a service needs.
pub struct KvServerSetup {
    /// How it is set.
    pub settings: KvServerSettings,
    /// Where it listens, and beside it ([`proto::beside`]) where that is on loopback. Bound by the caller, who thus knows the port
    /// that port 0 became before anybody connects.
    pub listener: TcpListener,
    /// The store's id, as PD gave it.
    pub store_id: u64,
    /// The network between stores; the service runs on its threads.
    pub network: Arc<StoreNetwork>,
    /// The node's replicas: a [`raftstore::Router`].
    pub replicas: Arc<dyn ReplicaAccess>,
    /// What reads read.
    pub state: Arc<dyn StateStore>,
    /// How far the engine is behind.
    pub pressure: Arc<dyn EnginePressure>,
}

/// The service of a store. It goes on until it is stopped or dropped.
pub struct KvServer {
    addr: SocketAddr,
    shared: Arc<Shared>,
    readers: Pool<ReadTask>,
    writers: Pool<Write>,
    checker: Option<JoinHandle<()>>,
    serving: Option<(oneshot::Sender<()>, tokio::task::AbortHandle)>,
}

impl KvServer {
    /// Takes connections and starts the pools. Not to be called on a thread of an asynchronous runtime: it waits.
    ///
    /// # Errors
    /// When the listener is of no use or a thread cannot be started.
    pub fn start(setup: KvServerSetup) -> Result<Self, ServerError> {
        let KvServerSetup { settings, listener, store_id, network, replicas, state, pressure } = setup;
        let handle = network.handle();
        let addr = listener.local_addr().map_err(ServerError::Listen)?;
        listener.set_nonblocking(true).map_err(ServerError::Listen)?;
        let listeners = {
            let _runtime = handle.enter();
            let listener = tokio::net::TcpListener::from_std(listener).map_err(ServerError::Listen)?;
            let local = proto::beside(addr).map(UnixListener::bind).transpose().map_err(ServerError::Listen)?;
            (listener, local)
        };
        let (reads, writes) = (crossbeam_channel::unbounded(), crossbeam_channel::unbounded());
        let flow = Arc::new(FlowControl::new(settings.flow.clone()));
        let shared = Arc::new(Shared {
            replicas,
            state,
            flow: flow.clone(),
            load: network.load().clone(),
            max_key_size: settings.max_key_size,
            most_writing: settings.scheduler_pending_write_threshold,
            writing: AtomicU64::new(0),
            feedback: Feedback::new(store_id),
            reads: reads.0.clone(),
            writes: writes.0.clone(),
        });
        let (reading, writing) = (Arc::clone(&shared), Arc::clone(&shared));
        // Dropped on the way out of a failure, it ends the threads that there are.
        let mut server = Self {
            addr,
            shared: shared.clone(),
            readers: Pool::new("unified-read-po", reads, move |tasks| reads::run(&reading, tasks)),
            writers: Pool::new("sched-worker", writes, move |tasks| writes::run(&writing, tasks)),
            checker: None,
            serving: None,
        };
        server.readers.resize(settings.read_pool_size)?;
        server.writers.resize(settings.scheduler_worker_pool_size)?;
        server.checker = Some(flow.watch(pressure)?);
        let (stop, stopped) = oneshot::channel();
        let serving = handle.spawn(serve(listeners, Service { shared }, settings, stopped));
        server.serving = Some((stop, serving.abort_handle()));
        Ok(server)
    }

    /// Where it listens.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// The flow controller, for changes while it runs.
    pub fn flow(&self) -> &FlowControl {
        &self.shared.flow
    }

    /// So many threads read from now on, one at least.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn resize_read_pool(&self, threads: usize) -> Result<(), ServerError> {
        self.readers.resize(threads)
    }

    /// Writes pass through so many threads from now on, one at least.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn resize_scheduler_pool(&self, threads: usize) -> Result<(), ServerError> {
        self.writers.resize(threads)
    }

    /// Takes no more connections, answers what is under way for up to a second, and ends its threads.
    pub fn stop(self) {}

    fn end(&mut self) {
        if let Some((stop, serving)) = self.serving.take() {
            let _ = stop.send(());
            let until = Instant::now() + FAREWELL;
            while self.shared.writing.load(Ordering::Relaxed) > 0 && Instant::now() < until {
                std::thread::sleep(Duration::from_millis(1));
            }
            serving.abort();
        }
        self.shared.flow.stop();
        let checked = self.checker.take().is_none_or(|checker| checker.join().is_ok());
        // All are waited for, whatever became of the first.
        let [read, written] = [self.readers.end(), self.writers.end()];
        if !(read && written && checked) {
            textfile::log_line("a thread of the service panicked: please report it with what stderr says above");
        }
    }
}

impl Drop for KvServer {
    fn drop(&mut self) {
        self.end();
    }
}

async fn serve(
    (listener, local): (tokio::net::TcpListener, Option<UnixListener>),
    service: Service,
    settings: KvServerSettings,
    stopped: oneshot::Receiver<()>,
) {
    let (reporter, health_service) = tonic_health::server::health_reporter();
    let replicas = service.shared.replicas.clone();
    let mut service = TikvServer::new(service)
        .accept_compressed(CompressionEncoding::Gzip)
        .max_decoding_message_size(NO_LIMIT)
        .max_encoding_message_size(NO_LIMIT);
    if settings.compression == GrpcCompression::Gzip {
        service = service.send_compressed(CompressionEncoding::Gzip);
    }
    let zone = settings.zone;
    let remote = TcpListenerStream::new(listener).map(|stream| {
        let stream = stream?;
        stream.set_nodelay(true)?;
        Ok::<_, std::io::Error>(Either::Left(stream))
    });
    let local = match local {
        Some(local) => Either::Left(UnixListenerStream::new(local)),
        None => Either::Right(tokio_stream::pending()),
    };
    let incoming = remote.merge(local.map(|stream| LocalStream::new(stream?).map(Either::Right)));
    let incoming = incoming.map(move |stream| Ok::<_, std::io::Error>(Counted::new(stream?, Meter::unknown(&zone))));
    let window = settings.grpc_stream_window;
    let served = tonic::transport::Server::builder()
        .max_concurrent_streams(settings.grpc_concurrent_stream)
        .initial_stream_window_size(window)
        .initial_connection_window_size(window.saturating_mul(CONNECTION_WINDOWS))
        .max_frame_size(FRAME)
        .add_service(service)
        .add_service(health_service)
        .serve_with_incoming_shutdown(incoming, async {
            tokio::select! {
                _ = stopped => {}
                () = health::report(&reporter, &*replicas) => {}
            }
            reporter.set_service_status(health::WHOLE_SERVER, ServingStatus::NotServing).await;
        })
        .await;
    if let Err(error) = served {
        textfile::log_line(format_args!("the service stopped: {error}"));
    }
}
