//! A node: configuration, folders, RocksDB, the session with PD, raft and the service, joined and kept going.

mod beats;
mod dispatch;
mod error;
mod folder;
mod settings;
mod watch;

use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use kvserver::{KvServer, StoreDirectory};
use parking_lot::Mutex;
use pd::session::{JoinRequest, PdSession};
use proto::metapb::{Store, StoreLabel};
use raftstore::{Raftstore, StateStore};

pub use error::NodeError;
use folder::Folder;
use watch::Watch;

use crate::arguments::StoreArguments;
use crate::config::{ConfigController, HostMachine, LoadedConfig, StoreConfig, load};
use crate::metrics::Metrics;
use crate::rocks::RocksState;
use crate::space::NodeSpace;
use crate::status::{StatusServer, StatusSource};

/// The version that the node tells PD: that of the TiKV whose surfaces it has. Clients refuse older ones.
const VERSION: &str = "8.5.7";
/// What TiKV's raw keys begin with in the state.
const KEY_PREFIX: u8 = b'z';

/// Reads the configuration of a command line.
///
/// # Errors
/// When the file or the command line has a fault.
pub fn configure(arguments: &StoreArguments, machine: &HostMachine) -> Result<LoadedConfig, NodeError> {
    let over = arguments.values().map_err(NodeError::Input)?;
    let text = match &arguments.config {
        Some(path) => textfile::read_text(path, textfile::LIMIT)?,
        None => textfile::Text::new("command line", ""),
    };
    Ok(load(&text, over, machine)?)
}

/// A node that runs.
pub struct StoreNode {
    addr: SocketAddr,
    // In the order in which they end.
    status: StatusServer,
    watch: Watch,
    // Changes of the configuration reach it from the status server; the end takes it out.
    server: Arc<Mutex<Option<KvServer>>>,
    session: Arc<PdSession>,
    raftstore: Raftstore,
    network: Arc<kvserver::StoreNetwork>,
    state: Arc<RocksState>,
    _folder: Folder,
}

impl StoreNode {
    /// Starts a node: opens its folder, joins the cluster, which waits for the other nodes, and serves.
    ///
    /// # Errors
    /// When the input is wrong or the environment lacks something.
    pub fn start(arguments: &StoreArguments, config: StoreConfig, machine: HostMachine) -> Result<Self, NodeError> {
        let addr = settings::listen_addr(&config, "server.addr", arguments.allow_remote)?;
        let status_addr = settings::listen_addr(&config, "server.status-addr", arguments.allow_remote)?;
        let folder = Folder::open(&config)?;
        let listener = bind(addr)?;
        let status_listener = bind(status_addr)?;
        let addr = listener.local_addr().map_err(NodeError::system("ask for the address"))?;
        let status_addr = status_listener.local_addr().map_err(NodeError::system("ask for the address"))?;

        let state = RocksState::open(&folder.db(), &config)?;
        let started = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let store = store(&config, addr, status_addr, started);
        let endpoints = config.texts("pd.endpoints").to_vec();
        let session = Arc::new(PdSession::join(JoinRequest { endpoints, store, id_file: folder.id_file() })?);

        let server_settings = settings::server(&config, arguments.zone_round_trip.0);
        let asked = Arc::downgrade(&session);
        let stores = StoreDirectory::new(move || asked.upgrade().map(|session| session.stores()).unwrap_or_default());
        let network = kvserver::transport(&server_settings, stores)?;
        let nudged = Arc::downgrade(&session);
        let raftstore = Raftstore::start(raftstore::RaftSetup {
            store_id: session.store_id(),
            settings: settings::raft(&config, folder.raft()),
            online: settings::raft_online(&config),
            snapshot_dir: folder.snapshots(),
            state: Arc::clone(&state) as Arc<dyn StateStore>,
            transport: Arc::clone(&network) as _,
            regions: session.regions(),
            key_prefix: KEY_PREFIX,
            on_leader_change: Box::new(move |_| {
                if let Some(session) = nudged.upgrade() {
                    session.nudge();
                }
            }),
        })?;
        let router = raftstore.router();
        let server = KvServer::start(kvserver::KvServerSetup {
            settings: server_settings,
            listener,
            store_id: session.store_id(),
            network: Arc::clone(&network),
            replicas: Arc::new(router.clone()),
            state: Arc::clone(&state) as Arc<dyn StateStore>,
            pressure: Arc::clone(&state) as _,
        })?;

        let space = Arc::new(NodeSpace::new(&config, &folder.data(), &folder.raft()));
        let metrics = Arc::new(Metrics::new(Arc::clone(&state), machine, Arc::clone(&space)));
        let watch = Watch::start(router.clone(), Arc::clone(&space), Arc::clone(&metrics))?;
        let beats = beats::Beats { router: router.clone(), state: Arc::clone(&state), space, started };
        session.start_heartbeats(beats.heartbeats());
        let server = Arc::new(Mutex::new(Some(server)));
        let dispatch =
            dispatch::Online { state: Arc::clone(&state), server: Arc::clone(&server), router: router.clone() };
        let (broken, statuses) = (router.clone(), router);
        let shown = StatusSource {
            controller: ConfigController::new(config, machine, arguments.config.clone(), Arc::new(dispatch)),
            metrics: Box::new(move || metrics.text()),
            broken: Box::new(move || broken.broken()),
            regions: Box::new(move || statuses.statuses()),
        };
        let status = StatusServer::start(status_listener, shown).map_err(NodeError::system("start a thread"))?;
        Ok(Self { addr, status, watch, server, session, raftstore, network, state, _folder: folder })
    }

    /// Where gRPC listens.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// Where the status server listens.
    pub fn status_addr(&self) -> SocketAddr {
        self.status.addr()
    }

    /// Stops: no more requests, then raft, then the state with all of it on the disk.
    pub fn stop(self) {
        drop(self.status);
        drop(self.watch);
        if let Some(server) = self.server.lock().take() {
            server.stop();
        }
        drop(self.session);
        self.raftstore.stop();
        self.network.stop();
        if let Err(error) = self.state.sync() {
            textfile::log_line(format_args!("diskwright-store: {error}; the raft log has what the state lacks"));
        }
        self.state.stop();
        // Nobody else holds it once all threads are joined: it is closed here. Were another thread to close it, the process
        // would end in the middle, and RocksDB's statics with it: it aborts then.
        let holders = Arc::strong_count(&self.state) - 1;
        if holders > 0 {
            textfile::log_line(format_args!(
                "diskwright-store: {holders} holders of RocksDB are left behind, for they wait for a broken disk"
            ));
        }
    }
}

fn bind(addr: SocketAddr) -> Result<TcpListener, NodeError> {
    TcpListener::bind(addr).map_err(|source| NodeError::Listen { addr, source })
}

/// What PD learns of the node.
fn store(config: &StoreConfig, addr: SocketAddr, status_addr: SocketAddr, started: u64) -> Store {
    let label = |(key, value): (&String, &String)| StoreLabel { key: key.clone(), value: value.clone() };
    let deploy_path = std::env::current_exe().ok().and_then(|path| path.parent().map(PathBuf::from));
    Store {
        address: addr.to_string(),
        peer_address: addr.to_string(),
        status_address: status_addr.to_string(),
        labels: config.labels().map(label).collect(),
        version: VERSION.to_owned(),
        start_timestamp: started.cast_signed(),
        deploy_path: deploy_path.unwrap_or_default().display().to_string(),
        ..Store::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_is_taken_is_named_with_a_way_out() {
        let taken = bind(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
        let addr = taken.local_addr().unwrap();
        let error = bind(addr).unwrap_err().to_string();
        assert!(error.starts_with(&format!("cannot listen on {addr}:")) && error.contains("port 0"), "{error}");
    }
}
