use super::*;
use crate::{KubernetesAccess, KubernetesApi, KubernetesError, PodAnnotation, TokenSource};

fn api(server: &FakeApiServer) -> KubernetesApi {
    KubernetesApi::new(KubernetesAccess::new(&server.base(), TokenSource::None, None).unwrap())
}

#[test]
fn a_node_is_cordoned_and_uncordoned() {
    let server = FakeApiServer::of_one_tidb().unwrap();
    let api = api(&server);
    for cordoned in [true, true, false] {
        api.cordon("node-1", cordoned).unwrap();
        assert_eq!(api.node("node-1").unwrap().cordoned, cordoned);
    }
    assert_eq!(api.node("node-9").unwrap_err(), KubernetesError::Missing("node node-9".to_owned()));
}

#[test]
fn an_evicted_pod_leaves_and_comes_back_as_another_on_a_node_that_takes_it() {
    let server = FakeApiServer::of_one_tidb().unwrap();
    let api = api(&server);
    api.cordon("node-1", true).unwrap();
    let before = api.pod("db", "tidb-0").unwrap().unwrap();
    api.evict("db", "tidb-0", &before.uid).unwrap();
    let leaving = api.pod("db", "tidb-0").unwrap().unwrap();
    assert!(leaving.leaving && !leaving.ready && leaving.uid == before.uid);
    let after = api.pod("db", "tidb-0").unwrap().unwrap();
    assert_ne!(after.uid, before.uid);
    assert_eq!(after.node.as_deref(), Some("node-2"));
}

#[test]
fn a_pod_that_was_made_anew_is_not_hit_by_what_was_meant_for_the_one_before() {
    let server = FakeApiServer::of_one_tidb().unwrap();
    let api = api(&server);
    let old = "00000000-0000-4000-8000-999999999999";
    let calls = [
        api.evict("db", "tidb-0", old),
        api.delete("db", "tidb-0", old),
        api.annotate(("db", "tidb-0", old), PodAnnotation::EvictLeader, Some("none")),
    ];
    for call in calls {
        assert!(matches!(&call, Err(KubernetesError::Refused(why)) if why.contains("UID in precondition")), "{call:?}");
    }
    assert!(!api.pod("db", "tidb-0").unwrap().unwrap().leaving);
}

#[test]
fn a_budget_holds_an_eviction_and_not_a_deletion() {
    let server = FakeApiServer::of_one_tidb().unwrap();
    let api = api(&server);
    server.state().held.insert("tidb-0".to_owned());
    let uid = api.pod("db", "tidb-0").unwrap().unwrap().uid;
    assert!(matches!(api.evict("db", "tidb-0", &uid), Err(KubernetesError::NotYet(_))));
    api.delete("db", "tidb-0", &uid).unwrap();
    assert!(api.pod("db", "tidb-0").unwrap().unwrap().leaving);
}

#[test]
fn an_annotation_of_the_operator_is_set_and_taken_away() {
    let server = FakeApiServer::of_one_tidb().unwrap();
    let api = api(&server);
    let uid = api.pod("db", "tidb-0").unwrap().unwrap().uid;
    let of = ("db", "tidb-0", uid.as_str());
    let noted = |server: &FakeApiServer| server.state().pods.values().next().unwrap().annotations.clone();
    api.annotate(of, PodAnnotation::TidbGracefulShutdown, Some("delete-pod")).unwrap();
    assert_eq!(noted(&server)[PodAnnotation::TidbGracefulShutdown.key()], "delete-pod");
    api.annotate(of, PodAnnotation::TidbGracefulShutdown, None).unwrap();
    assert!(noted(&server).is_empty());
}

#[test]
fn a_missing_role_is_told_before_it_is_needed() {
    let server = FakeApiServer::of_one_tidb().unwrap();
    let api = api(&server);
    server.state().forbidden.insert("create pods/eviction".to_owned());
    assert!(!api.may("create", "pods/eviction", Some("db")).unwrap());
    assert!(api.may("patch", "nodes", None).unwrap());
    assert_eq!(api.lacks_to_move("db").unwrap(), ["create pods/eviction"]);
    let error = api.evict("db", "tidb-0", "u").unwrap_err();
    assert!(
        matches!(error, KubernetesError::Denied(_)) && error.to_string().contains("pods/eviction create"),
        "{error}"
    );
}

#[test]
fn who_shows_no_token_or_the_wrong_one_is_not_let_in() {
    let server = FakeApiServer::of_one_tidb().unwrap();
    server.state().token = Some("right".to_owned());
    for (token, let_in) in [
        (TokenSource::None, false),
        (TokenSource::Bearer("wrong".to_owned()), false),
        (TokenSource::Bearer("right".to_owned()), true),
    ] {
        let api = KubernetesApi::new(KubernetesAccess::new(&server.base(), token, None).unwrap());
        assert_eq!(api.node("node-1").is_ok(), let_in);
    }
}

#[test]
fn a_server_in_trouble_is_no_refusal() {
    let server = FakeApiServer::of_one_tidb().unwrap();
    server.state().busy = 1;
    let api = api(&server);
    assert!(matches!(api.cordon("node-1", true), Err(KubernetesError::Silent(_))));
    api.cordon("node-1", true).unwrap();
    drop(server);
    assert!(matches!(api.cordon("node-1", true), Err(KubernetesError::Silent(_))));
}

#[test]
fn what_is_not_as_the_api_answers_is_no_node_no_pod_and_no_permission() {
    let server = FakeApiServer::of_one_tidb().unwrap();
    let api = api(&server);
    let node = |spec: serde_json::Value| json!({ "kind": "Node", "spec": spec });
    let pod = |meta: serde_json::Value| json!({ "kind": "Pod", "metadata": meta, "spec": { "nodeName": "node-1" } });
    let review = |status: serde_json::Value| json!({ "kind": "SelfSubjectAccessReview", "status": status });
    let strange = [
        (200, node(json!(null))),
        (200, node(json!({ "unschedulable": "true" }))),
        (200, node(json!({ "unschedulable": null }))),
        (200, json!({ "kind": "Node" })),
        (200, pod(json!({}))),
        (200, pod(json!({ "uid": 7 }))),
        (200, pod(json!({ "uid": "" }))),
        (200, pod(json!({ "uid": "u", "deletionTimestamp": 7 }))),
        (200, review(json!({}))),
        (200, review(json!({ "allowed": "false" }))),
        (200, json!([])),
        // A proxy's, not the API's.
        (404, json!({})),
        (404, json!({ "kind": "Status", "reason": "Gone" })),
    ];
    for (status, body) in strange {
        server.state().instead = Some((status, body.clone()));
        assert!(matches!(api.node("node-1"), Err(KubernetesError::Silent(_))), "{body}");
        assert!(matches!(api.pod("db", "tidb-0"), Err(KubernetesError::Silent(_))), "{body}");
        assert!(matches!(api.may("get", "nodes", None), Err(KubernetesError::Silent(_))), "{body}");
    }
    server.state().instead = Some((200, node(json!({}))));
    assert!(!api.node("node-1").unwrap().cordoned, "the field is left out where it is not set");
}
