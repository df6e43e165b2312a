//! The placement driver as operators ask it: over PD's HTTP API.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::Duration;

use serde_json::{Value, json};

use crate::ClusterError;
use crate::http::{Http, accepted};

/// The placement driver of a cluster.
#[derive(Debug, Clone)]
pub struct PlacementDriver {
    addr: SocketAddr,
    http: Http,
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
    pub(crate) fn new(addr: SocketAddr) -> Self {
        Self { addr, http: Http::new(Duration::from_secs(5)) }
    }

    /// Where it serves gRPC and HTTP.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}/pd/api/v1/{path}", self.addr)
    }

    fn get(&self, path: &str) -> Result<Value, ClusterError> {
        let url = self.url(path);
        let text = accepted(&url, self.http.get(&url)?)?;
        serde_json::from_str(&text).map_err(|error| ClusterError::system(format!("{url} answered no JSON"), error))
    }

    fn post(&self, path: &str, body: &Value) -> Result<(), ClusterError> {
        let url = self.url(path);
        accepted(&url, self.http.post(&url, &body.to_string())?).map(drop)
    }

    /// The stores, by number.
    ///
    /// # Errors
    /// When PD does not answer, or is not bootstrapped yet.
    pub fn stores(&self) -> Result<Vec<StoreState>, ClusterError> {
        let answer = self.get("stores")?;
        let state = |store: &Value| StoreState {
            id: store["store"]["id"].as_u64().unwrap_or_default(),
            address: store["store"]["address"].as_str().unwrap_or_default().to_owned(),
            state: store["store"]["state_name"].as_str().unwrap_or_default().to_owned(),
            // Zero is left out.
            leaders: store["status"]["leader_count"].as_u64().unwrap_or_default(),
            regions: store["status"]["region_count"].as_u64().unwrap_or_default(),
        };
        let mut stores: Vec<StoreState> = answer["stores"].as_array().into_iter().flatten().map(state).collect();
        stores.sort_by_key(|store| store.id);
        Ok(stores)
    }

    /// How many regions there are.
    ///
    /// # Errors
    /// When PD does not answer.
    pub fn regions(&self) -> Result<u64, ClusterError> {
        Ok(self.get("regions/count")?["count"].as_u64().unwrap_or_default())
    }

    /// How many regions each store leads; stores that lead none may be missing.
    ///
    /// # Errors
    /// When PD does not answer.
    pub fn leaders(&self) -> Result<BTreeMap<u64, u64>, ClusterError> {
        let answer = self.get("stats/region?start_key=&end_key=")?;
        let counts = answer["store_leader_count"].as_object().into_iter().flatten();
        Ok(counts.filter_map(|(store, count)| Some((store.parse().ok()?, count.as_u64()?))).collect())
    }

    /// Moves all leaderships off a store, and none to it, until [`let_lead`](Self::let_lead).
    ///
    /// # Errors
    /// When PD refuses or does not answer.
    pub fn evict_leaders(&self, store: u64) -> Result<(), ClusterError> {
        self.post("schedulers", &json!({ "name": "evict-leader-scheduler", "store_id": store }))
    }

    /// Ends [`evict_leaders`](Self::evict_leaders).
    ///
    /// # Errors
    /// When the store was not evicted, or PD does not answer.
    pub fn let_lead(&self, store: u64) -> Result<(), ClusterError> {
        let url = self.url(&format!("schedulers/evict-leader-scheduler-{store}"));
        accepted(&url, self.http.delete(&url)?).map(drop)
    }

    /// Asks for the leadership of a region to move; it has moved a moment later.
    ///
    /// # Errors
    /// When PD refuses or does not answer.
    pub fn transfer_leader(&self, region: u64, to_store: u64) -> Result<(), ClusterError> {
        self.post("operators", &json!({ "name": "transfer-leader", "region_id": region, "to_store_id": to_store }))
    }
}
