//! What all requests share: the cluster, its file, and the streams to the nodes.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::time::{Duration, SystemTime};

use parking_lot::Mutex;
use proto::pdpb::{Member, RegionHeartbeatResponse};
use tokio::sync::mpsc;
use tonic::Status;

use crate::cluster::Cluster;
use crate::error::PdError;
use crate::file::StateFile;
use crate::metrics::Meters;

/// The PD release whose answers these are; clients decide by it what they may ask for.
pub(crate) const VERSION: &str = "8.5.7";

/// Answers to a node's region heartbeats.
pub(crate) type Stream = mpsc::Sender<Result<RegionHeartbeatResponse, Status>>;

/// The one member.
#[derive(Debug, Clone)]
pub(crate) struct About {
    pub(crate) name: String,
    pub(crate) addr: SocketAddr,
    /// Since the epoch.
    pub(crate) started: Duration,
    pub(crate) data_dir: String,
}

/// What all requests share.
pub(crate) struct Shared {
    pub(crate) about: About,
    pub(crate) meters: Meters,
    cluster: Mutex<Cluster>,
    file: StateFile,
    streams: Mutex<HashMap<u64, Stream>>,
}

/// Since the epoch.
pub(crate) fn now() -> Duration {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default()
}

impl About {
    /// Where clients find it.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.addr)
    }

    /// As clients are told.
    pub(crate) fn member(&self, member_id: u64) -> Member {
        Member {
            name: self.name.clone(),
            member_id,
            peer_urls: vec![self.url()],
            client_urls: vec![self.url()],
            deploy_path: self.data_dir.clone(),
            binary_version: format!("v{VERSION}"),
            ..Default::default()
        }
    }
}

impl Shared {
    /// Of a cluster that was just read from its file.
    pub(crate) fn new(about: About, cluster: Cluster, file: StateFile) -> Self {
        Self { about, meters: Meters::new(), cluster: Mutex::new(cluster), file, streams: Mutex::default() }
    }

    /// Looks at the cluster or changes it. What must be kept is on the disk when this returns; if that fails the caller
    /// must not tell anybody what it was told.
    pub(crate) fn with<T>(&self, act: impl FnOnce(&mut Cluster, Duration) -> T) -> Result<T, PdError> {
        let mut cluster = self.cluster.lock();
        let answer = act(&mut cluster, now());
        if cluster.unsaved {
            self.file.save(&cluster.record)?;
            cluster.unsaved = false;
        }
        Ok(answer)
    }

    /// Orders to the leaders on this node go there from now on.
    pub(crate) fn listen(&self, store: u64, stream: Stream) {
        self.streams.lock().insert(store, stream);
    }

    /// One round of the schedulers.
    pub(crate) fn tick(&self) {
        match self.with(Cluster::tick) {
            Ok(orders) => {
                let mut streams = self.streams.lock();
                for (store, order) in orders {
                    // A node that is gone or does not read gets it again later, or its leaders go elsewhere.
                    if streams.get(&store).is_some_and(|stream| stream.try_send(Ok(order)).is_err_and(is_closed)) {
                        streams.remove(&store);
                    }
                }
            }
            Err(error) => textfile::log_line(format_args!("pd: {error}")),
        }
    }
}

fn is_closed<T>(error: mpsc::error::TrySendError<T>) -> bool {
    matches!(error, mpsc::error::TrySendError::Closed(_))
}
