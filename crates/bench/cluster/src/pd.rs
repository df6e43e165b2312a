//! The placement driver as operators ask it: over PD's HTTP API.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::Duration;

use http_client::{ApiServer, ClientAccess, RequestLimits, ServerAddress};
use pd_client::PdClient;

use crate::ClusterError;
use crate::http::MOST_BYTES;

/// PD at `host:port`, spoken to without TLS.
pub(crate) fn client(address: &str, patience: Duration) -> Result<PdClient, ClusterError> {
    let url = format!("http://{address}");
    let address = ServerAddress::parse("PD", &url, "127.0.0.1:2379", "name the host and port alone")?;
    let limits = RequestLimits { patience, most_bytes: MOST_BYTES };
    Ok(PdClient::new(ApiServer::new("PD", address, &ClientAccess::default(), limits)?))
}

/// The placement driver of a cluster.
#[derive(Debug, Clone)]
pub struct PlacementDriver {
    addr: SocketAddr,
    client: PdClient,
}

/// What PD knows of a store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreState {
    /// Its number.
    pub id: u64,
    /// Where it serves.
    pub address: String,
    /// `Up`, `Disconnected`, `Down` ….
    pub state: String,
    /// Regions that it leads.
    pub leaders: u64,
    /// Regions that it holds.
    pub regions: u64,
}

impl PlacementDriver {
    pub(crate) fn new(addr: SocketAddr) -> Result<Self, ClusterError> {
        Ok(Self { addr, client: client(&addr.to_string(), Duration::from_secs(5))? })
    }

    /// Where it serves gRPC and HTTP.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// The stores, by number.
    ///
    /// # Errors
    /// When PD does not answer, or is not bootstrapped yet.
    pub fn stores(&self) -> Result<Vec<StoreState>, ClusterError> {
        let state = |(id, store): (u64, pd_client::StoreHealth)| StoreState {
            id,
            address: store.address,
            state: store.state,
            leaders: store.leaders,
            regions: store.regions,
        };
        Ok(self.client.stores()?.into_iter().map(state).collect())
    }

    /// How many regions there are.
    ///
    /// # Errors
    /// When PD does not answer.
    pub fn regions(&self) -> Result<u64, ClusterError> {
        Ok(self.client.region_count()?)
    }

    /// How many regions each store leads; stores that lead none may be missing.
    ///
    /// # Errors
    /// When PD does not answer.
    pub fn leaders(&self) -> Result<BTreeMap<u64, u64>, ClusterError> {
        Ok(self.client.leaders_by_store()?)
    }

    /// Moves all leaderships off a store, and none to it, until [`let_lead`](Self::let_lead).
    ///
    /// # Errors
    /// When PD refuses or does not answer.
    pub fn evict_leaders(&self, store: u64) -> Result<(), ClusterError> {
        Ok(self.client.evict_leaders(store)?)
    }

    /// Ends [`evict_leaders`](Self::evict_leaders).
    ///
    /// # Errors
    /// When the store was not evicted, or PD does not answer.
    pub fn let_lead(&self, store: u64) -> Result<(), ClusterError> {
        match self.client.end_eviction(store)? {
            true => Ok(()),
            false => Err(ClusterError::NotEvicted { store }),
        }
    }

    /// Asks for the leadership of a region to move; it has moved a moment later.
    ///
    /// # Errors
    /// When PD refuses or does not answer.
    pub fn transfer_leader(&self, region: u64, to_store: u64) -> Result<(), ClusterError> {
        Ok(self.client.transfer_leader(region, to_store)?)
    }
}
