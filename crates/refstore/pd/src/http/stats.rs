//! `/stats/region`: leaders and peers of each store in one answer.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Ask;
use super::regions::key_of;
use super::reply::Reply;
use crate::cluster::Cluster;

/// As PD's `RegionStats` (pkg/statistics/region.go); sizes in MiB.
#[derive(Serialize, Default)]
struct Stats {
    count: usize,
    empty_count: usize,
    storage_size: u64,
    user_storage_size: u64,
    storage_keys: u64,
    user_storage_keys: u64,
    store_leader_count: BTreeMap<u64, usize>,
    store_peer_count: BTreeMap<u64, usize>,
    store_leader_size: BTreeMap<u64, u64>,
    store_leader_keys: BTreeMap<u64, u64>,
    store_peer_size: BTreeMap<u64, u64>,
    store_peer_keys: BTreeMap<u64, u64>,
}

pub(super) fn answer(cluster: &Cluster, ask: &Ask) -> Reply {
    if (ask.method, ask.path.as_slice()) != ("GET", &["stats", "region"]) {
        return Reply::nowhere();
    }
    let key = |name| key_of(ask.query(name).unwrap_or_default().as_bytes(), ask);
    let (start, end) = match (key("start_key"), key("end_key")) {
        (Ok(start), Ok(end)) => (start, end),
        (Err(reply), _) | (_, Err(reply)) => return reply,
    };
    let regions = cluster.regions.scan(&start, &end, 0);
    let mut stats = Stats { count: regions.len(), ..Stats::default() };
    if ask.query("count").is_some() {
        return Reply::json(200, &stats);
    }
    for region in regions {
        stats.empty_count += usize::from(region.size <= 1);
        stats.storage_size += region.size;
        stats.user_storage_size += region.size;
        stats.storage_keys += region.keys;
        stats.user_storage_keys += region.keys;
        if let Some(store) = region.leads() {
            *stats.store_leader_count.entry(store).or_default() += 1;
            *stats.store_leader_size.entry(store).or_default() += region.size;
            *stats.store_leader_keys.entry(store).or_default() += region.keys;
        }
        for peer in &region.meta.peers {
            *stats.store_peer_count.entry(peer.store_id).or_default() += 1;
            *stats.store_peer_size.entry(peer.store_id).or_default() += region.size;
            *stats.store_peer_keys.entry(peer.store_id).or_default() += region.keys;
        }
    }
    Reply::json(200, &stats)
}
