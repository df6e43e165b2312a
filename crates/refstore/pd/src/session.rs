//! What a node says to the placement driver: who it is, that it lives, whom it leads.

mod beats;
mod identity;
mod link;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc as blocking;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use parking_lot::Mutex;
use proto::metapb::{Peer, Region, Store};
use proto::pdpb::{RegionHeartbeatRequest, StoreStats};
use tokio::sync::{Notify, mpsc};

use self::link::Link;

/// How often a node asks whether the cluster has begun.
const WAIT_STEP: Duration = Duration::from_millis(50);
/// How often a node that waits for the others says so on stderr.
const WAIT_NOTE: Duration = Duration::from_secs(10);

/// With what a node joins.
#[derive(Debug, Clone)]
pub struct JoinRequest {
    /// Where the placement driver listens, as `host:port` or `http://host:port`; tried in turn.
    pub endpoints: Vec<String>,
    /// The node: addresses, labels, version, start time. Its id is 0 if it is new; what `id_file` says wins.
    pub store: Store,
    /// Where the node keeps its id, and that of the cluster, between starts.
    pub id_file: PathBuf,
}

/// Why a node could not join.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// Nobody answers.
    #[error(
        "no placement driver answers at {endpoints}: {last}; start it first (diskwright-pd) or correct --pd-endpoints"
    )]
    Unreachable {
        /// All that were tried.
        endpoints: String,
        /// What went wrong last.
        last: String,
    },
    /// It answers, with no.
    #[error("the placement driver refused {what}: {why}")]
    Refused {
        /// The request.
        what: &'static str,
        /// Its words.
        why: String,
    },
    /// The node belongs to another cluster.
    #[error(
        "{file} says that this node belongs to cluster {own}, but the placement driver is that of cluster {found}: \
         point --pd-endpoints at its own, or use an empty data directory"
    )]
    OtherCluster {
        /// The id file.
        file: PathBuf,
        /// What it says.
        own: u64,
        /// What the placement driver says.
        found: u64,
    },
    /// The id file holds something else.
    #[error(
        "{file} should hold the node's id and its cluster's, as in `4 7312345678901234567`, but holds {text:?}: \
         restore it, or use an empty data directory"
    )]
    Identity {
        /// The id file.
        file: PathBuf,
        /// What was found.
        text: String,
    },
    /// An endpoint is not an address.
    #[error("{endpoint:?} is no address of a placement driver: expected host:port, such as 127.0.0.1:2379")]
    Endpoint {
        /// As it was given.
        endpoint: String,
    },
    /// The system refuses.
    #[error("cannot {what}: {source}")]
    System {
        /// What was to be done.
        what: String,
        /// Why not.
        source: std::io::Error,
    },
}

impl SessionError {
    /// With what a program that cannot go on ends: 2 for wrong input, 3 if the environment lacks something.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Endpoint { .. } | Self::Identity { .. } | Self::OtherCluster { .. } | Self::Refused { .. } => 2,
            Self::Unreachable { .. } | Self::System { .. } => 3,
        }
    }
}

/// What the heartbeats are made of. All are called on the session's own thread: they must not wait.
#[derive(Clone)]
pub struct HeartbeatSource {
    /// The regions that this node leads; header and sender are filled in by the session.
    pub regions: Arc<dyn Fn() -> Vec<RegionHeartbeatRequest> + Send + Sync>,
    /// The node's state; its store id is filled in by the session.
    pub stats: Arc<dyn Fn() -> StoreStats + Send + Sync>,
    /// Called when leadership of a region shall go to a peer.
    pub transfer: Arc<dyn Fn(u64, Peer) + Send + Sync>,
}

/// A node's connection to the placement driver. It outlives restarts of the other side; dropping it ends it.
#[derive(Debug)]
pub struct PdSession {
    store_id: u64,
    cluster_id: u64,
    regions: Vec<Region>,
    known: Mutex<Vec<Store>>,
    asks: Option<mpsc::UnboundedSender<Ask>>,
    nudge: Arc<Notify>,
    thread: Option<JoinHandle<()>>,
}

enum Ask {
    Stores(blocking::SyncSender<Vec<Store>>),
    Heartbeats(HeartbeatSource),
}

struct Joined {
    store_id: u64,
    cluster_id: u64,
    regions: Vec<Region>,
    stores: Vec<Store>,
}

impl PdSession {
    /// Joins: gets an id if the node has none, says where it listens, and waits until all expected nodes are there and
    /// the regions are cut; that wait has no end, for nobody knows when the others come.
    ///
    /// # Errors
    /// When nobody answers for half a minute, when the placement driver refuses, or when the id file is unusable.
    pub fn join(join: JoinRequest) -> Result<Self, SessionError> {
        let (asks, asked) = mpsc::unbounded_channel();
        let (answer, answered) = blocking::sync_channel(1);
        let nudge = Arc::new(Notify::new());
        let nudged = nudge.clone();
        let run = move || {
            let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
                Ok(runtime) => runtime,
                Err(source) => {
                    let _ = answer.send(Err(SessionError::System { what: "start a runtime".to_owned(), source }));
                    return;
                }
            };
            runtime.block_on(async {
                match enter(join).await {
                    Ok((link, joined)) => {
                        let (store_id, _) = (joined.store_id, answer.send(Ok(joined)));
                        serve(link, store_id, asked, nudged).await;
                    }
                    Err(error) => drop(answer.send(Err(error))),
                }
            });
        };
        let failed = |source| SessionError::System { what: "start a thread".to_owned(), source };
        let thread = thread::Builder::new().name("pd-session".to_owned()).spawn(run).map_err(failed)?;
        let ended = || std::io::Error::other("the session's thread ended");
        let joined = answered.recv().map_err(|_| failed(ended()))??;
        Ok(Self {
            store_id: joined.store_id,
            cluster_id: joined.cluster_id,
            regions: joined.regions,
            known: Mutex::new(joined.stores),
            asks: Some(asks),
            nudge,
            thread: Some(thread),
        })
    }

    /// The node's id.
    pub fn store_id(&self) -> u64 {
        self.store_id
    }

    /// The cluster's id.
    pub fn cluster_id(&self) -> u64 {
        self.cluster_id
    }

    /// The regions that have a peer on this node, by start key. They never change.
    pub fn regions(&self) -> Vec<Region> {
        self.regions.clone()
    }

    /// All nodes, asked anew; those of the last answer if nobody answers for some seconds. It waits for the answer.
    pub fn stores(&self) -> Vec<Store> {
        let (answer, answered) = blocking::sync_channel(1);
        if let Some(asks) = &self.asks
            && asks.send(Ask::Stores(answer)).is_ok()
            && let Ok(stores) = answered.recv()
            && !stores.is_empty()
        {
            *self.known.lock() = stores;
        }
        self.known.lock().clone()
    }

    /// Starts the heartbeats: the node's each 2 s, those of the regions it leads each 5 s and after [`nudge`](Self::nudge).
    /// A second call replaces the first.
    pub fn start_heartbeats(&self, heartbeats: HeartbeatSource) {
        if let Some(asks) = &self.asks {
            let _ = asks.send(Ask::Heartbeats(heartbeats));
        }
    }

    /// Says that a leader changed, so that the placement driver hears of it now. It does not wait.
    pub fn nudge(&self) {
        self.nudge.notify_one();
    }
}

impl Drop for PdSession {
    fn drop(&mut self) {
        self.asks = None;
        // A callback may hold the last owner: its thread ends by itself.
        if let Some(thread) = self.thread.take().filter(|thread| thread.thread().id() != thread::current().id()) {
            let _ = thread.join();
        }
    }
}

/// Joins and waits for the others.
async fn enter(join: JoinRequest) -> Result<(Link, Joined), SessionError> {
    let mut link = Link::to(&join.endpoints).await?;
    let store_id = identity::settle(&mut link, &join).await?;
    let store = Store { id: store_id, ..join.store };
    link.put_store(store).await?;
    let mut waited = Duration::ZERO;
    while !link.is_bootstrapped().await? {
        tokio::time::sleep(WAIT_STEP).await;
        waited += WAIT_STEP;
        if waited.as_millis().is_multiple_of(WAIT_NOTE.as_millis()) {
            textfile::log_line(format_args!("store {store_id}: waiting for the other stores to join"));
        }
    }
    let mut regions = link.regions().await?;
    regions.retain(|region| region.peers.iter().any(|peer| peer.store_id == store_id));
    let stores = link.stores().await?;
    let cluster_id = link.cluster_id;
    Ok((link, Joined { store_id, cluster_id, regions, stores }))
}

/// Answers the node until it ends the session.
async fn serve(link: Link, store_id: u64, mut asked: mpsc::UnboundedReceiver<Ask>, nudge: Arc<Notify>) {
    let mut beating: Option<tokio::task::JoinHandle<()>> = None;
    while let Some(ask) = asked.recv().await {
        match ask {
            Ask::Stores(answer) => {
                let mut link = link.clone();
                tokio::spawn(async move {
                    let _ = answer.send(link.stores_once().await.unwrap_or_default());
                });
            }
            Ask::Heartbeats(heartbeats) => {
                if let Some(before) = beating.take() {
                    before.abort();
                }
                beating = Some(tokio::spawn(beats::beat(link.clone(), store_id, heartbeats, nudge.clone())));
            }
        }
    }
}
