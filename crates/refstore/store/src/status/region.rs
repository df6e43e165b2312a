//! A replica as TiKV's status server shows it, as far as it means something here.

use raftstore::RegionStatus;
use serde_json::{Value as Json, json};

/// The JSON of `/region/{id}`; keys in hexadecimal.
pub(super) fn json(status: &RegionStatus) -> Json {
    let region = &status.region;
    let epoch = region.region_epoch.unwrap_or_default();
    let peers = region.peers.iter().map(|peer| json!({"id": peer.id, "store_id": peer.store_id, "role": "Voter"}));
    json!({
        "id": region.id,
        "start_key": hex(&region.start_key),
        "end_key": hex(&region.end_key),
        "epoch": {"conf_ver": epoch.conf_ver, "version": epoch.version},
        "peers": peers.collect::<Vec<_>>(),
        "raft_status": {
            "hard_state": {"term": status.term},
            "soft_state": {
                "leader_id": status.leader.as_ref().map_or(0, |peer| peer.id),
                "raft_state": if status.leads { "Leader" } else { "Follower" },
            },
            "applied": status.applied,
        },
        "raft_apply": {"applied_index": status.applied},
    })
}

fn hex(key: &[u8]) -> String {
    key.iter().map(|byte| format!("{byte:02X}")).collect()
}
