//! `/store` and `/stores`.

use std::time::Duration;

use serde::Serialize;

use super::Ask;
use super::format;
use super::reply::Reply;
use crate::cluster::Cluster;
use crate::record::StoreRecord;

#[derive(Serialize)]
struct Stores {
    count: usize,
    stores: Vec<Store>,
}

#[derive(Serialize)]
struct Store {
    store: Meta,
    status: Status,
}

/// Go leaves out what is empty.
#[derive(Serialize)]
struct Meta {
    id: u64,
    address: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    labels: Vec<Label>,
    #[serde(skip_serializing_if = "String::is_empty")]
    version: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    peer_address: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    status_address: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    git_hash: String,
    #[serde(skip_serializing_if = "is_zero")]
    start_timestamp: i64,
    #[serde(skip_serializing_if = "String::is_empty")]
    deploy_path: String,
    #[serde(skip_serializing_if = "is_zero")]
    last_heartbeat: i64,
    node_state: u8,
    state_name: &'static str,
}

#[derive(Serialize)]
struct Label {
    key: String,
    value: String,
}

#[derive(Serialize)]
struct Status {
    capacity: String,
    available: String,
    used_size: String,
    leader_count: usize,
    leader_weight: u8,
    leader_score: usize,
    leader_size: u64,
    region_count: usize,
    region_weight: u8,
    region_score: f64,
    region_size: u64,
    #[serde(skip_serializing_if = "is_default")]
    pending_peer_count: usize,
    #[serde(skip_serializing_if = "is_default")]
    slow_score: u64,
    #[serde(skip_serializing_if = "is_default")]
    sending_snap_count: u32,
    #[serde(skip_serializing_if = "is_default")]
    receiving_snap_count: u32,
    #[serde(skip_serializing_if = "is_default")]
    is_busy: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    start_ts: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_heartbeat_ts: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    uptime: Option<String>,
    #[serde(skip_serializing_if = "is_default")]
    pause_leader_transfer_in: bool,
}

fn is_zero(number: &i64) -> bool {
    *number == 0
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

pub(super) fn answer(cluster: &Cluster, now: Duration, ask: &Ask) -> Reply {
    match (ask.method, ask.path.as_slice()) {
        ("GET", ["stores"]) => {
            // 0 is Up, 1 Offline, 2 Tombstone; here none is ever taken away.
            let wanted = ask.query.iter().filter(|(key, _)| key == "state").map(|(_, value)| value.as_str());
            let mut any = None;
            for state in wanted {
                match state.parse::<u8>() {
                    Ok(state @ 0..=2) => any = Some(any.unwrap_or(false) || state == 0),
                    _ => return Reply::text(400, &format!("unknown StoreState: {state}")),
                }
            }
            listed(cluster, now, |_| any.unwrap_or(true))
        }
        ("GET", ["stores", "check"]) => {
            let mut wanted = Vec::new();
            for (_, state) in ask.query.iter().filter(|(key, _)| key == "state") {
                match state.as_str() {
                    "up" | "offline" | "tombstone" | "disconnected" | "down" => wanted.push(state.clone()),
                    _ => return Reply::text(400, &format!("unknown StoreState: {state}")),
                }
            }
            listed(cluster, now, |state| wanted.iter().any(|wanted| wanted.eq_ignore_ascii_case(state)))
        }
        ("GET", ["store", id]) => match id.parse::<u64>() {
            Err(_) => Reply::text(400, &format!("strconv.ParseUint: parsing \"{id}\": invalid syntax")),
            Ok(id) => match cluster.record.stores.get(&id) {
                Some(store) => Reply::json(200, &of(cluster, store, now)),
                None => Reply::text(404, &format!("[PD:core:ErrStoreNotFound]store {id} not found")),
            },
        },
        _ => Reply::nowhere(),
    }
}

fn listed(cluster: &Cluster, now: Duration, wanted: impl Fn(&str) -> bool) -> Reply {
    let all = cluster.record.stores.values().map(|store| of(cluster, store, now));
    let stores: Vec<_> = all.filter(|store| wanted(store.store.state_name)).collect();
    Reply::json(200, &Stores { count: stores.len(), stores })
}

fn of(cluster: &Cluster, store: &StoreRecord, now: Duration) -> Store {
    let live = cluster.live(store.id);
    let stats = live.stats.unwrap_or_default();
    let regions = || cluster.regions.all().iter();
    let held = || regions().filter(|region| region.peer_on(store.id).is_some());
    let led = || regions().filter(|region| region.leads() == Some(store.id));
    let leader_count = led().count();
    let region_size = held().map(|region| region.size).sum();
    let started = Duration::from_secs(stats.start_time.into());
    let label = |(key, value): &(String, String)| Label { key: key.clone(), value: value.clone() };
    let meta = Meta {
        id: store.id,
        address: store.address.clone(),
        labels: store.labels.iter().map(label).collect(),
        version: store.version.clone(),
        peer_address: store.peer_address.clone(),
        status_address: store.status_address.clone(),
        git_hash: store.git_hash.clone(),
        start_timestamp: store.start_timestamp,
        deploy_path: store.deploy_path.clone(),
        last_heartbeat: live.heard.map_or(0, |heard| heard.as_nanos() as i64),
        node_state: 1,
        state_name: live.state_name(now, cluster.record.settings.max_store_down_time()),
    };
    let pending = |store_id| held().filter(move |region| region.pending.iter().any(|peer| peer.store_id == store_id));
    let status = Status {
        capacity: format::size(stats.capacity),
        available: format::size(stats.available),
        used_size: format::size(stats.used_size),
        leader_count,
        leader_weight: 1,
        leader_score: leader_count,
        leader_size: led().map(|region| region.size).sum(),
        region_count: held().count(),
        region_weight: 1,
        region_score: region_score(stats.capacity, stats.available, region_size, cluster),
        region_size,
        pending_peer_count: pending(store.id).count(),
        slow_score: stats.slow_score,
        sending_snap_count: stats.sending_snap_count,
        receiving_snap_count: stats.receiving_snap_count,
        is_busy: stats.is_busy,
        start_ts: live.stats.is_some().then(|| format::instant(started)),
        last_heartbeat_ts: live.heard.map(format::instant),
        uptime: live.heard.and_then(|heard| heard.checked_sub(started)).map(format::duration),
        pause_leader_transfer_in: cluster.record.evicted.contains(&store.id) || cluster.slow.store() == Some(store.id),
    };
    Store { store: meta, status }
}

/// PD's score, version 2, of `size` MiB of regions on a disk: it rises faster the less room is left.
fn region_score(capacity: u64, available: u64, size: u64, cluster: &Cluster) -> f64 {
    const GIB: f64 = (1u64 << 30) as f64;
    let (whole, left, size) = (capacity as f64 / GIB, available as f64 / GIB, size as f64);
    let low = (1.0 - cluster.record.settings.schedule.low_space_ratio) * whole;
    if left >= whole || whole < 1.0 {
        return size;
    }
    if left > low {
        return (1.0 + 256.0 * (whole.ln() - (left - low + 1.0).ln()) / (whole - left + low - 1.0)) * size;
    }
    (1.0 + 256.0 * whole.ln() / whole) * size + 1e7 * (low - left) / low
}
