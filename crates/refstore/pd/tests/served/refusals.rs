use pd::session::{PdSession, SessionError};
use proto::pdpb::{ErrorType, GetMembersRequest, GetRegionRequest, IsBootstrappedRequest, RequestHeader};
use tonic::Code;

use crate::nodes::{Nodes, join};
use crate::{grpc, http, serve};

#[test]
fn another_clusters_client_is_refused_and_told_why() {
    let folder = tempfile::tempdir().unwrap();
    let server = serve(folder.path(), 0, 1);
    let header = Some(RequestHeader { cluster_id: 77, sender_id: 0 });
    let request = IsBootstrappedRequest { header };
    let status = grpc(server.addr(), |mut client| async move { client.is_bootstrapped(request).await.unwrap_err() });
    assert_eq!(status.code(), Code::FailedPrecondition);
    assert!(status.message().starts_with("mismatch cluster id, need "), "{status:?}");
}

#[test]
fn before_all_nodes_joined_there_are_no_regions() {
    let folder = tempfile::tempdir().unwrap();
    let server = serve(folder.path(), 0, 1);
    let answer = grpc(server.addr(), |mut client| async move {
        let members = client.get_members(GetMembersRequest::default()).await.unwrap().into_inner();
        assert_eq!(members.leader.unwrap().client_urls, members.members[0].client_urls);
        let header = Some(RequestHeader { cluster_id: members.header.unwrap().cluster_id, sender_id: 0 });
        client.get_region(GetRegionRequest { header, ..Default::default() }).await.unwrap().into_inner()
    });
    assert_eq!(answer.header.unwrap().error.unwrap().r#type(), ErrorType::NotBootstrapped);
    let (status, _, body) = http(server.addr(), "GET", "/pd/api/v1/stores", "");
    assert_eq!(status, 500);
    assert!(body.contains("not bootstrapped"), "{body}");
    assert_eq!(http(server.addr(), "GET", "/pd/api/v1/health", "").0, 200);
}

#[test]
fn a_second_node_at_an_address_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let server = serve(folder.path(), 0, 1);
    let _nodes = Nodes::join(server.addr(), folder.path());
    let mut twin = join(server.addr(), folder.path(), 0);
    twin.id_file = folder.path().join("another");
    let error = PdSession::join(twin).unwrap_err();
    assert!(error.to_string().contains("duplicated store address"), "{error}");
    assert_eq!(error.exit_code(), 2);
}

#[test]
fn a_node_of_another_cluster_is_not_taken_in() {
    let folder = tempfile::tempdir().unwrap();
    let server = serve(folder.path(), 0, 1);
    let join = join(server.addr(), folder.path(), 0);
    std::fs::write(&join.id_file, "3 77\n").unwrap();
    assert!(matches!(PdSession::join(join), Err(SessionError::OtherCluster { own: 77, .. })));
}

#[test]
fn what_is_no_address_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let mut join = join("127.0.0.1:1".parse().unwrap(), folder.path(), 0);
    join.endpoints = vec!["placement".to_owned()];
    let error = PdSession::join(join).unwrap_err();
    assert!(error.to_string().contains("\"placement\""), "{error}");
}
