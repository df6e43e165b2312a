//! The real edge to Kubernetes against its API's twin on a socket, through a whole drill.

use kubernetes::twin::FakeApiServer;
use kubernetes::{KubernetesAccess, KubernetesApi, TokenSource};
use pilot::{KubernetesClient, WorldError};

fn api(server: &FakeApiServer) -> KubernetesApi {
    KubernetesApi::new(KubernetesAccess::new(&server.base(), TokenSource::None, None).unwrap())
}

#[test]
fn a_tidb_moves_to_a_node_that_takes_it() {
    let server = FakeApiServer::of_one_tidb().unwrap();
    let edge: Box<dyn KubernetesClient> = Box::new(api(&server));
    let uid = edge.pod("db", "tidb-0").unwrap().unwrap();
    edge.set_cordoned("node-1", true).unwrap();
    assert!(edge.cordoned("node-1").unwrap());
    edge.delete_pod("db", "tidb-0", &uid).unwrap();
    while edge.pod("db", "tidb-0").unwrap().as_ref() == Some(&uid) {}
    assert_eq!(server.state().pods.values().next().unwrap().node, "node-2");
}

#[test]
fn what_kubernetes_says_no_to_is_told_apart() {
    let server = FakeApiServer::of_one_tidb().unwrap();
    let edge: Box<dyn KubernetesClient> = Box::new(api(&server));
    let uid = edge.pod("db", "tidb-0").unwrap().unwrap();
    assert!(matches!(edge.cordoned("node-9"), Err(WorldError::Missing { .. })));
    assert!(matches!(edge.delete_pod("db", "tidb-0", "old"), Err(WorldError::Refused { .. })));
    server.state().held.insert("tidb-0".to_owned());
    assert!(matches!(edge.delete_pod("db", "tidb-0", &uid), Err(WorldError::NotYet { .. })));
    server.state().forbidden.insert("patch nodes".to_owned());
    assert!(matches!(edge.set_cordoned("node-1", true), Err(WorldError::Denied { .. })));
    server.state().busy = 1;
    assert!(matches!(edge.pod("db", "tidb-0"), Err(WorldError::Silent { .. })));
}
