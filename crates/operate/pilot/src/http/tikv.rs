//! TiKV's status servers.

use std::collections::BTreeMap;

use http_client::ApiServer;
use serde_json::{Value, json};

use super::peer::{PilotAccess, server};
use crate::{ClusterHealth, PilotError, TikvApi, WorldError};

/// TiKV's status servers, by PD's number of the store.
#[derive(Debug, Clone)]
pub struct TikvHttp {
    peers: BTreeMap<u64, ApiServer>,
    /// Where those are that nobody named.
    told: BTreeMap<u64, String>,
}

impl TikvHttp {
    /// The status servers of the stores that PD knows: those that were named, as `ADDRESS` or `STORE=ADDRESS`, and those on this
    /// machine.
    ///
    /// # Errors
    /// When a named one is none of the cluster's, or may not be asked.
    pub fn find(health: &ClusterHealth, named: &[String], access: &PilotAccess) -> Result<Self, PilotError> {
        let mut peers = BTreeMap::new();
        for name in named {
            let (store, address) = match name.split_once('=').map(|(store, address)| (store.parse(), address)) {
                Some((Ok(store), address)) => (store, address),
                _ => (owner(health, name)?, name.as_str()),
            };
            if !health.stores.contains_key(&store) {
                return Err(PilotError::Input(format!("PD knows no store {store}; it knows {}", known(health))));
            }
            peers.insert(store, server(&format!("store {store}"), address, access)?);
        }
        let mut told = BTreeMap::new();
        for (id, store) in &health.stores {
            let host = store.status_address.rsplit_once(':').map_or("", |(host, _)| host);
            if !peers.contains_key(id) && http_client::is_loopback(host) {
                let peer = server(&format!("store {id}"), &format!("http://{}", store.status_address), access)?;
                peers.insert(*id, peer);
            }
            told.insert(*id, store.status_address.clone());
        }
        Ok(Self { peers, told })
    }

    /// What a store counts: the text of `/metrics`.
    ///
    /// # Errors
    /// When it cannot be told.
    pub fn metrics(&self, store: u64) -> Result<String, WorldError> {
        Ok(self.peer(store)?.text("/metrics")?)
    }

    fn peer(&self, store: u64) -> Result<&ApiServer, WorldError> {
        self.peers.get(&store).ok_or_else(|| {
            let place = self.told.get(&store).map(|place| format!(" at {place}")).unwrap_or_default();
            WorldError::Unnamed {
                what: format!("the status server of store {store}{place}"),
                hint: format!("it is beyond this machine: name it with --tikv-status {store}=https://…"),
            }
        })
    }
}

/// The store that says it is at an address.
fn owner(health: &ClusterHealth, address: &str) -> Result<u64, PilotError> {
    let place = address.split_once("://").map_or(address, |(_, rest)| rest).trim_end_matches('/');
    let found = health.stores.iter().find(|(_, store)| store.status_address == place).map(|(id, _)| *id);
    found.ok_or_else(|| {
        PilotError::Input(format!(
            "no store says that its status server is at {place}; PD knows {}: write STORE=ADDRESS if it is one of them",
            known(health)
        ))
    })
}

fn known(health: &ClusterHealth) -> String {
    let each = health.stores.iter().map(|(id, store)| format!("{id} at {}", store.status_address));
    each.collect::<Vec<_>>().join(", ")
}

impl TikvApi for TikvHttp {
    fn config(&self, store: u64) -> Result<Value, WorldError> {
        Ok(self.peer(store)?.json("/config")?)
    }

    fn set_config(&self, store: u64, key: &str, value: &Value) -> Result<(), WorldError> {
        let peer = self.peer(store)?;
        let answer = peer.send("POST", "/config?persist=false", Some(&json!({ key: value })))?;
        if answer.status == 200 { Ok(()) } else { Err(peer.refused(&answer).into()) }
    }
}

#[cfg(test)]
#[path = "tikv_tests.rs"]
mod tests;
