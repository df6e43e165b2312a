//! Messages between stores: a queue and a gRPC stream for each, zones with their distance, and bytes counted by zone.

mod counted;
mod link;
mod load;
mod stores;
mod timer;

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use parking_lot::{Mutex, RwLock};
use proto::raft_serverpb::{RaftMessage, SnapshotChunk};
use raftstore::RaftTransport;
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;

pub(crate) use counted::{Caller, Counted, Meter};
pub(crate) use load::Load;
pub use stores::StoreDirectory;

use link::Link;
use stores::Place;

use crate::{GrpcCompression, KvServerSettings, ServerError};

/// Pieces of a snapshot that wait for the network.
const PIECES: usize = 4;

/// How to get to other stores.
struct Ways {
    stores: StoreDirectory,
    zone: String,
    zone_round_trip: Duration,
    compression: GrpcCompression,
    window: u32,
}

impl Ways {
    /// How long a message to a store is held back: half of the round trip, if it is in another zone.
    fn delay(&self, place: &Place) -> Duration {
        if place.zone == self.zone { Duration::ZERO } else { self.zone_round_trip / 2 }
    }

    async fn refresh(&self) {
        let stores = self.stores.clone();
        // It fails only when the runtime ends.
        let _ = tokio::task::spawn_blocking(move || stores.refresh()).await;
    }
}

/// How long the end waits for threads.
const PATIENCE: Duration = Duration::from_secs(1);

/// The way to other stores. Its threads are the service's too.
pub struct StoreNetwork {
    ways: Arc<Ways>,
    links: RwLock<HashMap<u64, Arc<Link>>>,
    load: Arc<Load>,
    handle: Handle,
    runtime: Mutex<Option<Runtime>>,
}

/// Starts the threads `grpc-server-N` and the way to other stores.
///
/// # Errors
/// When a thread cannot be started.
pub fn transport(settings: &KvServerSettings, stores: StoreDirectory) -> Result<Arc<StoreNetwork>, ServerError> {
    let number = AtomicUsize::new(0);
    let load = Arc::new(Load::default());
    let joining = load.clone();
    let runtime = Builder::new_multi_thread()
        .worker_threads(settings.grpc_concurrency.max(1))
        .thread_name_fn(move || format!("grpc-server-{}", number.fetch_add(1, Ordering::Relaxed)))
        .on_thread_start(move || joining.join())
        .enable_io()
        .enable_time()
        .build()
        .map_err(|source| ServerError::Thread { name: "grpc-server".to_owned(), source })?;
    let ways = Ways {
        stores,
        zone: settings.zone.clone(),
        zone_round_trip: settings.zone_round_trip,
        compression: settings.compression,
        window: settings.grpc_stream_window,
    };
    runtime.spawn(load.clone().watch());
    Ok(Arc::new(StoreNetwork {
        ways: Arc::new(ways),
        links: RwLock::default(),
        load,
        handle: runtime.handle().clone(),
        runtime: Mutex::new(Some(runtime)),
    }))
}

impl StoreNetwork {
    /// Ends the streams and the threads, and with them what the service's tasks hold; what is not sent is dropped. A thread
    /// that waits for PD or for a broken disk is left behind after a second.
    pub fn stop(&self) {
        self.links.read().values().for_each(|link| link.close());
        let runtime = self.runtime.lock().take();
        if let Some(runtime) = runtime {
            runtime.shutdown_timeout(PATIENCE);
        }
    }

    /// Where tasks of the service run.
    pub(crate) fn handle(&self) -> &Handle {
        &self.handle
    }

    /// How busy its threads are.
    pub(crate) fn load(&self) -> &Arc<Load> {
        &self.load
    }

    fn link(&self, store: u64) -> Arc<Link> {
        if let Some(link) = self.links.read().get(&store) {
            return link.clone();
        }
        let mut links = self.links.write();
        let link = links.entry(store).or_insert_with(|| {
            let link = Arc::new(Link::default());
            self.handle.spawn(link::keep(link.clone(), self.ways.clone(), store));
            link
        });
        link.clone()
    }

    async fn snapshot(ways: Arc<Ways>, store: u64, chunks: mpsc::Receiver<SnapshotChunk>) -> Result<(), String> {
        if ways.stores.get(store).is_none() {
            ways.refresh().await;
        }
        let place = ways.stores.get(store).ok_or("the placement driver does not know where it is")?;
        // A connection of its own, so that heartbeats do not wait behind it.
        let client = link::connect(&ways, &place).await;
        let mut client = client.map_err(|error| format!("{}: {}", place.address, link::chain(&error)))?;
        tokio::time::sleep(ways.delay(&place)).await;
        let sent = client.snapshot(ReceiverStream::new(chunks)).await;
        sent.map(drop).map_err(|status| status.message().to_owned())
    }
}

impl Drop for StoreNetwork {
    fn drop(&mut self) {
        self.stop();
    }
}

impl RaftTransport for StoreNetwork {
    fn send(&self, to_store: u64, messages: Vec<RaftMessage>) {
        self.link(to_store).push(messages);
    }

    fn send_snapshot(&self, to_store: u64, message: RaftMessage, pieces: &mut dyn Iterator<Item = Bytes>) -> bool {
        let (chunks, waiting) = mpsc::channel(PIECES);
        let sent = self.handle.spawn(Self::snapshot(self.ways.clone(), to_store, waiting));
        let first = SnapshotChunk { message: Some(message), data: Bytes::new() };
        let rest = pieces.map(|data| SnapshotChunk { message: None, data });
        for chunk in std::iter::once(first).chain(rest) {
            // A stream that broke says why below.
            if chunks.blocking_send(chunk).is_err() {
                break;
            }
        }
        drop(chunks);
        match self.handle.block_on(sent) {
            Ok(Ok(())) => true,
            Ok(Err(why)) => {
                textfile::log_line(format_args!("a snapshot did not get to store {to_store}: {why}"));
                false
            }
            Err(_) => false,
        }
    }
}
