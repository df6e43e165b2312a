use std::net::SocketAddr;

use pd::session::PdSession;
use proto::pdpb::{GetMembersRequest, RequestHeader, TsoRequest};
use tokio_stream::StreamExt;

use crate::nodes::{Nodes, join};
use crate::{grpc, http, serve, until};

/// The last timestamps of some requests.
fn timestamps(addr: SocketAddr, counts: &[u32]) -> Vec<(i64, i64)> {
    let counts = counts.to_vec();
    grpc(addr, |mut client| async move {
        let members = client.get_members(GetMembersRequest::default()).await.unwrap().into_inner();
        let header = Some(RequestHeader { cluster_id: members.header.unwrap().cluster_id, sender_id: 0 });
        let ask = move |count| TsoRequest { header, count, ..Default::default() };
        let mut answers = client.tso(tokio_stream::iter(counts).map(ask)).await.unwrap().into_inner();
        let mut taken = Vec::new();
        while let Some(answer) = answers.message().await.unwrap() {
            let timestamp = answer.timestamp.unwrap();
            taken.push((timestamp.physical, timestamp.logical));
        }
        taken
    })
}

#[test]
fn timestamps_rise_also_across_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let server = serve(folder.path(), 0, 1);
    let mut taken = timestamps(server.addr(), &[1, 1, 262_143, 262_143, 10]);
    server.stop();
    let server = serve(folder.path(), 0, 1);
    taken.extend(timestamps(server.addr(), &[1, 5]));
    assert_eq!(taken.len(), 7);
    assert!(taken.windows(2).all(|pair| pair[0] < pair[1]), "{taken:?}");
}

#[test]
fn nodes_outlive_a_restart_of_the_placement_driver() {
    let folder = tempfile::tempdir().unwrap();
    let server = serve(folder.path(), 0, 6);
    let addr = server.addr();
    let nodes = Nodes::join(addr, folder.path());
    nodes.beat();
    until("leaders balanced", || nodes.counts() == [2, 2, 2]);
    let evict = format!(r#"{{"name":"evict-leader-scheduler","store_id":{}}}"#, nodes.sessions[1].store_id());
    server.stop();
    assert_eq!(nodes.sessions[0].stores().len(), 3, "those known before");
    let server = serve(folder.path(), addr.port(), 6);
    assert_eq!(http(addr, "POST", "/pd/api/v1/schedulers", &evict).0, 200);
    assert_eq!(http(addr, "PUT", "/pd/api/v2/maintenance/restart/a", "store 1").0, 200);
    until("orders arrive again", || nodes.counts() == [3, 0, 3]);
    // What was asked of it is still so after another.
    server.stop();
    let _server = serve(folder.path(), addr.port(), 6);
    let (_, _, list) = http(addr, "GET", "/pd/api/v1/scheduler-config/evict-leader-scheduler/list", "");
    assert!(list.contains(&format!("\"{}\"", nodes.sessions[1].store_id())), "{list}");
    let (status, _, task) = http(addr, "GET", "/pd/api/v2/maintenance/restart", "");
    assert!(status == 200 && task.contains(r#""id":"a""#), "{task}");
}

#[test]
fn a_node_keeps_its_id_and_its_regions() {
    let folder = tempfile::tempdir().unwrap();
    let server = serve(folder.path(), 0, 3);
    let nodes = Nodes::join(server.addr(), folder.path());
    let mut before: Vec<u64> = nodes.sessions.iter().map(PdSession::store_id).collect();
    let regions = nodes.sessions[0].regions();
    drop(nodes);
    let mut after = Vec::new();
    for i in 0..3 {
        let session = PdSession::join(join(server.addr(), folder.path(), i)).unwrap();
        assert_eq!(session.regions(), regions);
        after.push(session.store_id());
    }
    before.sort_unstable();
    after.sort_unstable();
    assert_eq!(before, after);
}
