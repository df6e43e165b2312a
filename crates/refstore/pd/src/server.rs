//! The running placement driver.

use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use axum::serve::ListenerExt;
use proto::pdpb::pd_server::PdServer;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::time::{MissedTickBehavior, interval};
use tonic::service::Routes;

use crate::PdArguments;
use crate::cluster::Cluster;
use crate::error::{PdError, system};
use crate::file::StateFile;
use crate::grpc::Service;
use crate::http;
use crate::record::Record;
use crate::shared::{About, Shared, now};

/// Between two rounds of the schedulers. PD's schedulers begin at 10 ms and slow down while there is nothing to do.
const TICK: Duration = Duration::from_millis(100);
/// Threads that serve; on a machine of two processors one is busy when clients ask for timestamps without pause.
const THREADS: usize = 2;

/// A placement driver that serves gRPC and HTTP on one port. Dropping it stops it.
#[derive(Debug)]
pub struct PlacementServer {
    addr: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl PlacementServer {
    /// Reads the state and starts to serve; the port is open when this returns.
    ///
    /// # Errors
    /// When the arguments ask for what cannot be, the state cannot be read or written, or the address is in use.
    pub fn start(arguments: &PdArguments) -> Result<Self, PdError> {
        let listen = arguments.listen()?;
        let layout = arguments.layout()?;
        let (file, record) = StateFile::open(&arguments.data_dir)?;
        let mut record = record.unwrap_or_else(|| Record::new(now().as_secs(), rand::random()));
        if let Some(ratio) = arguments.tolerant_size_ratio {
            let failed = |why| PdError::Input(format!("--tolerant-size-ratio {ratio}: {why}"));
            record.settings.set("schedule.tolerant-size-ratio", &ratio.into()).map_err(failed)?;
        }
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(THREADS)
            .thread_name("pd")
            .enable_all()
            .build()
            .map_err(system("start threads"))?;
        let listener = runtime.block_on(TcpListener::bind(listen)).map_err(system(format!("listen on {listen}")))?;
        let addr = listener.local_addr().map_err(system("find the port"))?;
        let data_dir = arguments.data_dir.display().to_string();
        let about = About { name: arguments.name.clone(), addr, started: now(), data_dir };
        let shared = Arc::new(Shared::new(about, Cluster::new(record, layout), file));
        // Nobody is answered before a new cluster's id is on the disk.
        shared.with(|_, _| ())?;
        let (stop, stopped) = oneshot::channel();
        let run = move || {
            runtime.block_on(async {
                tokio::select! {
                    () = serve(listener, shared.clone()) => {}
                    () = schedule(&shared) => {}
                    _ = stopped => {}
                }
            });
            // Streams have no end of their own: they are cut off.
            runtime.shutdown_timeout(Duration::from_secs(1));
        };
        let thread = thread::Builder::new().name("pd-main".to_owned()).spawn(run).map_err(system("start a thread"))?;
        Ok(Self { addr, stop: Some(stop), thread: Some(thread) })
    }

    /// Where it listens.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// Stops it; what was answered is kept.
    pub fn stop(self) {
        drop(self);
    }
}

impl Drop for PlacementServer {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

async fn serve(listener: TcpListener, shared: Arc<Shared>) {
    let service = PdServer::new(Service(shared.clone()));
    // Real PD's comes with etcd's server; clients look for a member that says SERVING.
    let (_reporter, health) = tonic_health::server::health_reporter();
    let router = Routes::new(service).add_service(health).into_axum_router();
    let router = router.fallback(move |request| http::serve(shared.clone(), request));
    // Timestamps are small and waited for.
    let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
    if let Err(error) = axum::serve(listener, router).await {
        textfile::log_line(format_args!("pd: {error}"));
    }
}

async fn schedule(shared: &Shared) {
    let mut clock = interval(TICK);
    clock.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        clock.tick().await;
        shared.tick();
    }
}
