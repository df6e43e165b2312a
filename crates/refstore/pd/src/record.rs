//! What the placement driver must not forget, as it is kept in its file.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use proto::metapb::{self, NodeState, Peer, RegionEpoch, StoreLabel};
use serde::{Deserialize, Serialize};

use crate::hex;
use crate::settings::Settings;

/// The file's layout; another number is not read.
pub(crate) const FORMAT: u32 = 1;
/// Operators that the evict-leader scheduler makes a tick (PD 8.5, evict_leader.go: EvictLeaderBatchSize).
pub(crate) const EVICT_BATCH: u32 = 3;
/// What a new PD 8.5 runs, as it lists them; those that move peers have nothing to do where regions stay.
const SCHEDULERS: [&str; 5] = [
    "balance-region-scheduler",
    "balance-leader-scheduler",
    "balance-hot-region-scheduler",
    "evict-slow-store-scheduler",
    "evict-stopping-store-scheduler",
];

/// All that outlives a restart.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Record {
    pub(crate) format: u32,
    pub(crate) cluster_id: u64,
    pub(crate) member_id: u64,
    /// The next id that nobody has.
    pub(crate) next_id: u64,
    /// No timestamp of this millisecond or later was given out.
    pub(crate) tso_until: u64,
    pub(crate) gc_safe_point: u64,
    /// When the regions were cut, in nanoseconds of the epoch; `None` before.
    pub(crate) bootstrapped: Option<u64>,
    pub(crate) stores: BTreeMap<u64, StoreRecord>,
    /// By start key, without gaps.
    pub(crate) regions: Vec<RegionRecord>,
    pub(crate) schedulers: Vec<String>,
    /// Those that shall not lead, by the evict-leader scheduler.
    pub(crate) evicted: BTreeSet<u64>,
    pub(crate) evict_batch: u32,
    pub(crate) settings: Settings,
    /// The task that holds the maintenance lock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) maintenance: Option<MaintenanceTask>,
}

/// Holder of the maintenance lock: one task at a time, whatever its type (PD 8.5.7, pkg/storage/endpoint/maintenance.go).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct MaintenanceTask {
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) id: String,
    /// Seconds of the epoch.
    pub(crate) start_timestamp: u64,
    pub(crate) description: String,
}

/// A node, as it said of itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct StoreRecord {
    pub(crate) id: u64,
    pub(crate) address: String,
    pub(crate) labels: Vec<(String, String)>,
    pub(crate) version: String,
    pub(crate) peer_address: String,
    pub(crate) status_address: String,
    pub(crate) git_hash: String,
    /// Seconds of the epoch.
    pub(crate) start_timestamp: i64,
    pub(crate) deploy_path: String,
}

/// A region and where it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct RegionRecord {
    pub(crate) id: u64,
    #[serde(with = "hex")]
    pub(crate) start: Bytes,
    /// Empty: no end.
    #[serde(with = "hex")]
    pub(crate) end: Bytes,
    /// Peer and store.
    pub(crate) peers: Vec<(u64, u64)>,
}

impl Record {
    /// Of a cluster that has nothing yet. `random` and the time make its id, as PD does.
    pub(crate) fn new(epoch_seconds: u64, random: u64) -> Self {
        Self {
            format: FORMAT,
            cluster_id: (epoch_seconds << 32) | (random & 0xffff_ffff),
            member_id: random | 1,
            next_id: 1,
            tso_until: 0,
            gc_safe_point: 0,
            bootstrapped: None,
            stores: BTreeMap::new(),
            regions: Vec::new(),
            schedulers: SCHEDULERS.map(str::to_owned).to_vec(),
            evicted: BTreeSet::new(),
            evict_batch: EVICT_BATCH,
            settings: Settings::default(),
            maintenance: None,
        }
    }
}

impl StoreRecord {
    /// From what a node sent.
    pub(crate) fn of(store: metapb::Store) -> Self {
        Self {
            id: store.id,
            address: store.address,
            labels: store.labels.into_iter().map(|label| (label.key, label.value)).collect(),
            version: store.version,
            peer_address: store.peer_address,
            status_address: store.status_address,
            git_hash: store.git_hash,
            start_timestamp: store.start_timestamp,
            deploy_path: store.deploy_path,
        }
    }

    /// As clients are told.
    pub(crate) fn wire(&self) -> metapb::Store {
        let label = |(key, value): &(String, String)| StoreLabel { key: key.clone(), value: value.clone() };
        metapb::Store {
            id: self.id,
            address: self.address.clone(),
            labels: self.labels.iter().map(label).collect(),
            version: self.version.clone(),
            peer_address: self.peer_address.clone(),
            status_address: self.status_address.clone(),
            git_hash: self.git_hash.clone(),
            start_timestamp: self.start_timestamp,
            deploy_path: self.deploy_path.clone(),
            node_state: NodeState::Serving.into(),
            ..Default::default()
        }
    }

    /// The value of a label, empty if it is not set.
    pub(crate) fn label(&self, key: &str) -> &str {
        self.labels.iter().find(|(name, _)| name == key).map_or("", |(_, value)| value)
    }
}

impl RegionRecord {
    /// As clients are told.
    pub(crate) fn wire(&self) -> metapb::Region {
        let peer = |&(id, store_id): &(u64, u64)| Peer { id, store_id, ..Default::default() };
        metapb::Region {
            id: self.id,
            start_key: self.start.clone(),
            end_key: self.end.clone(),
            region_epoch: Some(RegionEpoch { conf_ver: 1, version: 1 }),
            peers: self.peers.iter().map(peer).collect(),
        }
    }
}
