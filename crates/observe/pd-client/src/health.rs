//! Whether a cluster is well enough to be touched.

use std::collections::BTreeMap;

use serde::Serialize;

/// What PD knows of a store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StoreHealth {
    /// `Up`, `Disconnected`, `Down`, `Offline` ….
    pub state: String,
    /// Where it serves.
    pub address: String,
    /// Where it tells of itself; empty where PD does not know.
    pub status_address: String,
    /// The release that it says it is.
    pub version: String,
    /// Regions that it leads.
    pub leaders: u64,
    /// Regions that it holds.
    pub regions: u64,
    /// Whether leaders are kept off it, by whomever: PD does so by itself with one that is slow.
    pub evicting: bool,
}

/// What moves are safe: stores, replicas, members.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ClusterHealth {
    /// By PD's number; without tombstones.
    pub stores: BTreeMap<u64, StoreHealth>,
    /// Regions that lack a replica.
    pub missing: u64,
    /// Regions with a replica that is down.
    pub down: u64,
    /// Regions with a replica that lags too far to vote.
    pub pending: u64,
    /// Members of PD, and whether each is well.
    pub members: BTreeMap<String, bool>,
}

impl ClusterHealth {
    /// What is wrong, in a clause; `None` if nothing is.
    pub fn trouble(&self) -> Option<String> {
        let counted = |count: u64, what: &str| (count > 0).then(|| format!("{count} regions {what}"));
        let stores = self.stores.iter().filter(|(_, store)| store.state != "Up");
        let stores = stores.map(|(id, store)| format!("store {id} is {}", store.state));
        let members =
            self.members.iter().filter(|(_, well)| !**well).map(|(name, _)| format!("PD's {name} is not well"));
        let replicas = [
            counted(self.missing, "lack a replica"),
            counted(self.down, "have a replica that is down"),
            counted(self.pending, "have a replica that lags"),
        ];
        let none = self.stores.is_empty().then(|| "PD knows no store".to_owned());
        let nobody = self.members.is_empty().then(|| "PD tells of no member".to_owned());
        let replicas = replicas.into_iter().flatten();
        let all: Vec<String> = stores.chain(members).chain(replicas).chain(none).chain(nobody).collect();
        (!all.is_empty()).then(|| all.join(", "))
    }

    /// A store other than this one that leaders are kept off.
    pub fn evicting_beside(&self, store: u64) -> Option<u64> {
        self.stores.iter().find(|(id, other)| **id != store && other.evicting).map(|(id, _)| *id)
    }
}
