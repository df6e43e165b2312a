//! `/region` and `/regions`.

use proto::metapb::{Peer, RegionEpoch};
use serde::Serialize;

use super::Ask;
use super::reply::Reply;
use crate::cluster::Cluster;
use crate::hex;
use crate::regions::Watched;

/// Regions in one answer of `/regions/key`, unless asked otherwise.
const LIMIT: usize = 16;

#[derive(Serialize)]
struct Regions {
    count: usize,
    regions: Option<Vec<Region>>,
}

/// As PD's `RegionInfo` (pkg/response/region.go).
#[derive(Serialize)]
struct Region {
    id: u64,
    start_key: String,
    end_key: String,
    epoch: Epoch,
    peers: Vec<Member>,
    leader: Member,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    down_peers: Vec<Down>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pending_peers: Vec<Member>,
    cpu_usage: u64,
    written_bytes: u64,
    read_bytes: u64,
    written_keys: u64,
    read_keys: u64,
    approximate_size: u64,
    approximate_keys: u64,
    approximate_kv_size: u64,
}

#[derive(Serialize)]
struct Epoch {
    conf_ver: u64,
    version: u64,
}

#[derive(Serialize, Default)]
struct Member {
    #[serde(skip_serializing_if = "is_zero")]
    id: u64,
    #[serde(skip_serializing_if = "is_zero")]
    store_id: u64,
    role_name: &'static str,
}

#[derive(Serialize)]
struct Down {
    down_seconds: u64,
    peer: Member,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

pub(super) fn answer(cluster: &Cluster, ask: &Ask) -> Reply {
    let all = cluster.regions.all();
    if ask.method != "GET" {
        return Reply::nowhere();
    }
    match ask.path.as_slice() {
        ["regions"] => listed(all.iter()),
        ["regions", "count"] => Reply::json(200, &Regions { count: all.len(), regions: None }),
        ["regions", "store", id] => match id.parse::<u64>() {
            Ok(store) => listed(all.iter().filter(|region| region.peer_on(store).is_some())),
            Err(_) => Reply::text(400, &format!("strconv.Atoi: parsing \"{id}\": invalid syntax")),
        },
        ["regions", "key"] => scanned(cluster, ask),
        ["regions", "check", what] => checked(cluster, what),
        ["region", "id", id] => match id.parse::<u64>() {
            Ok(id) => one(cluster.regions.by_id(id), id),
            Err(_) => Reply::text(400, &format!("strconv.ParseUint: parsing \"{id}\": invalid syntax")),
        },
        ["region", "key", key] => match key_of(&unescaped(key), ask) {
            Ok(key) => one(cluster.regions.by_key(&key), 0),
            Err(reply) => reply,
        },
        _ => Reply::nowhere(),
    }
}

fn scanned(cluster: &Cluster, ask: &Ask) -> Reply {
    let key = |name| key_of(ask.query(name).unwrap_or_default().as_bytes(), ask);
    let (start, end) = match (key("key"), key("end_key")) {
        (Ok(start), Ok(end)) => (start, end),
        (Err(reply), _) | (_, Err(reply)) => return reply,
    };
    match ask.query("limit").map_or(Ok(LIMIT as i64), str::parse::<i64>) {
        // No limit is asked for with a negative one.
        Ok(limit) => listed(cluster.regions.scan(&start, &end, usize::try_from(limit).unwrap_or(0)).iter()),
        Err(_) => {
            let text = ask.query("limit").unwrap_or_default();
            Reply::text(400, &format!("strconv.Atoi: parsing \"{text}\": invalid syntax"))
        }
    }
}

fn checked(cluster: &Cluster, what: &str) -> Reply {
    let replicas = cluster.record.settings.replication.max_replicas as usize;
    let regions = cluster.regions.all().iter();
    match what {
        "miss-peer" => listed(regions.filter(|region| region.meta.peers.len() < replicas)),
        "extra-peer" => listed(regions.filter(|region| region.meta.peers.len() > replicas)),
        "pending-peer" => listed(regions.filter(|region| !region.pending.is_empty())),
        "down-peer" => listed(regions.filter(|region| !region.down.is_empty())),
        // PD takes up to 1 MiB as empty, and cannot know of what it has not heard of.
        "empty-region" => listed(regions.filter(|region| region.heard.is_some() && region.size <= 1)),
        // There are no learners, no leaving stores, and no sizes at which regions would be cut or merged.
        "learner-peer" | "offline-peer" | "oversized-region" | "undersized-region" => listed([].iter()),
        _ => Reply::nowhere(),
    }
}

fn one(region: Option<&Watched>, id: u64) -> Reply {
    match region {
        Some(region) => Reply::compact(&of(region)),
        None => Reply::text(404, &format!("[PD:core:ErrRegionNotFound]region {id} not found")),
    }
}

fn listed<'a>(regions: impl Iterator<Item = &'a Watched>) -> Reply {
    let regions: Vec<_> = regions.map(of).collect();
    Reply::compact(&Regions { count: regions.len(), regions: Some(regions) })
}

fn of(region: &Watched) -> Region {
    let RegionEpoch { conf_ver, version } = region.meta.region_epoch.unwrap_or_default();
    let down = |stats: &proto::pdpb::PeerStats| Down {
        down_seconds: stats.down_seconds,
        peer: stats.peer.as_ref().map(member).unwrap_or_default(),
    };
    Region {
        id: region.meta.id,
        start_key: hex::upper(&region.meta.start_key),
        end_key: hex::upper(&region.meta.end_key),
        epoch: Epoch { conf_ver, version },
        peers: region.meta.peers.iter().map(member).collect(),
        leader: region.leader.as_ref().map(member).unwrap_or_default(),
        down_peers: region.down.iter().map(down).collect(),
        pending_peers: region.pending.iter().map(member).collect(),
        cpu_usage: 0,
        written_bytes: region.written_bytes,
        read_bytes: region.read_bytes,
        written_keys: region.written_keys,
        read_keys: region.read_keys,
        approximate_size: region.size,
        approximate_keys: region.keys,
        approximate_kv_size: region.size,
    }
}

fn member(peer: &Peer) -> Member {
    Member { id: peer.id, store_id: peer.store_id, role_name: peer.role().as_str_name() }
}

/// A key as it is, or with `format=hex` as digits.
pub(super) fn key_of(text: &[u8], ask: &Ask) -> Result<Vec<u8>, Reply> {
    match ask.query("format") {
        Some("hex") => std::str::from_utf8(text).ok().and_then(hex::parse).ok_or_else(|| {
            Reply::text(400, &format!("{:?} is not a key in hexadecimal digits", String::from_utf8_lossy(text)))
        }),
        _ => Ok(text.to_vec()),
    }
}

/// Undoes `%41` and `+` within a path.
fn unescaped(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let escape = (byte == b'%').then(|| after.get(..2)).flatten();
        let escaped = escape.and_then(|digits| std::str::from_utf8(digits).ok()).and_then(hex::parse);
        if let Some(escaped) = escaped {
            bytes.extend(escaped);
            rest = &after[2..];
        } else {
            bytes.push(if byte == b'+' { b' ' } else { byte });
            rest = after;
        }
    }
    bytes
}
