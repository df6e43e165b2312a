use proto::pdpb::{GetRegionRequest, RequestHeader, ScanRegionsRequest};
use serde_json::Value;

use crate::nodes::Nodes;
use crate::{grpc, http, serve, until};

#[test]
fn three_nodes_join_and_share_regions_and_leaders() {
    let folder = tempfile::tempdir().unwrap();
    let server = serve(folder.path(), 0, 12);
    let nodes = Nodes::join(server.addr(), folder.path());
    for session in nodes.sessions.iter() {
        assert_eq!(session.regions().len(), 12, "three replicas on three nodes");
        assert_eq!(session.stores().len(), 3);
    }
    nodes.beat();
    until("leaders balanced", || nodes.counts() == [4, 4, 4]);
    let ids: Vec<u64> = nodes.sessions.iter().map(|session| session.store_id()).collect();
    let evict = format!(r#"{{"name":"evict-leader-scheduler","store_id":{}}}"#, ids[0]);
    let (status, head, body) = http(server.addr(), "POST", "/pd/api/v1/schedulers", &evict);
    assert_eq!((status, body.as_str()), (200, "\"The scheduler is created.\"\n"));
    assert!(head.contains("content-type: application/json; charset=utf-8"), "{head}");
    until("leaders evicted", || nodes.counts() == [0, 6, 6]);
    let path = format!("/pd/api/v1/store/{}", ids[0]);
    until("known as evicted", || {
        let (_, _, body) = http(server.addr(), "GET", &path, "");
        let store: Value = serde_json::from_str(&body).unwrap();
        store["status"]["leader_count"] == 0 && store["store"]["state_name"] == "Up"
    });
    let (_, _, metrics) = http(server.addr(), "GET", "/metrics", "");
    for line in [
        "pd_cluster_status{namespace=\"global\",type=\"leader_count\"} 12",
        "pd_cluster_status{namespace=\"global\",type=\"store_up_count\"} 3",
        "pd_regions_status{type=\"miss-peer-region-count\"} 0",
        "pd_schedule_operators_count{event=\"finish\",type=\"evict-leader\"}",
        "service_member_role{service=\"PD\"} 1",
        "pd_server_handle_tso_duration_seconds_count 0",
    ] {
        assert!(metrics.contains(line), "{line} in\n{metrics}");
    }
}

#[test]
fn clients_find_regions_by_key() {
    let folder = tempfile::tempdir().unwrap();
    let server = serve(folder.path(), 0, 4);
    let nodes = Nodes::join(server.addr(), folder.path());
    nodes.beat();
    let header = Some(RequestHeader { cluster_id: nodes.sessions[0].cluster_id(), sender_id: 0 });
    let find = |key: &'static [u8]| {
        let request = GetRegionRequest { header, region_key: key.into(), need_buckets: false };
        grpc(server.addr(), |mut client| async move { client.get_region(request).await.unwrap().into_inner() })
    };
    until("a leader is known", || find(b"\x41").leader.is_some());
    let region = find(b"\x41").region.unwrap();
    assert_eq!((&region.start_key[..], &region.end_key[..]), (&[0x40, 0][..], &[0x80, 0][..]));
    assert_eq!(region.peers.len(), 3);
    let request = ScanRegionsRequest { header, start_key: b"\x41"[..].into(), limit: 2, ..Default::default() };
    let scanned =
        grpc(server.addr(), |mut client| async move { client.scan_regions(request).await.unwrap().into_inner() });
    assert_eq!(scanned.region_metas.len(), 2);
    assert_eq!(scanned.region_metas[0].id, region.id);
    assert_eq!(scanned.leaders.len(), 2);
}
