//! An API server in memory on a socket of this machine, for drills and tests: nodes, pods that come back after a deletion,
//! budgets, roles and the answers of the real one as its documentation has them.

mod server;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

pub use server::FakeApiServer;

/// A pod of a stateful set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PodState {
    /// Changes when it is made anew.
    pub uid: String,
    /// On which node.
    pub node: String,
    /// So many looks at it and it is gone, if it is leaving.
    pub leaving: Option<u32>,
    /// What was noted on it.
    pub annotations: BTreeMap<String, String>,
}

/// What the server knows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ApiServerState {
    /// Nodes, and whether each is cordoned.
    pub nodes: BTreeMap<String, bool>,
    /// Pods by namespace and name.
    pub pods: BTreeMap<(String, String), PodState>,
    /// Pods that a PodDisruptionBudget holds.
    pub held: BTreeSet<String>,
    /// The token that must be shown, if one must.
    pub token: Option<String>,
    /// `verb resource` pairs that are not allowed: `create pods/eviction`.
    pub forbidden: BTreeSet<String>,
    /// So many requests are answered 503 first.
    pub busy: u32,
    /// Answer to every request instead of the usual one, if any.
    pub instead: Option<(u16, Value)>,
    /// All requests: method and path.
    pub asked: Vec<String>,
    made: u64,
}

impl ApiServerState {
    /// A node that takes pods.
    pub fn node(&mut self, name: &str) {
        self.nodes.insert(name.to_owned(), false);
    }

    /// A pod on a node.
    pub fn pod(&mut self, namespace: &str, name: &str, node: &str) {
        self.made += 1;
        let uid = format!("00000000-0000-4000-8000-{:012}", self.made);
        let pod = PodState { uid, node: node.to_owned(), leaving: None, annotations: BTreeMap::new() };
        self.pods.insert((namespace.to_owned(), name.to_owned()), pod);
    }

    /// Lets a pod that is leaving be gone, and its controller make it anew on a node that takes pods, if there is one.
    fn settle(&mut self, key: &(String, String)) {
        let Some(pod) = self.pods.get_mut(key) else { return };
        match &mut pod.leaving {
            None => {}
            Some(0) => {
                self.pods.remove(key);
                let free = self.nodes.iter().find(|(_, cordoned)| !**cordoned).map(|(name, _)| name.clone());
                if let Some(node) = free {
                    self.pod(&key.0, &key.1, &node);
                }
            }
            Some(looks) => *looks -= 1,
        }
    }
}

struct Ask<'a> {
    method: &'a str,
    path: &'a str,
    kind: &'a str,
    authorization: &'a str,
    body: Value,
}

type Answer = (u16, Value);

/// An error as the API has them.
fn status(code: u16, reason: &str, message: impl Into<String>) -> Answer {
    let message: String = message.into();
    (
        code,
        json!({ "kind": "Status", "apiVersion": "v1", "status": "Failure", "message": message, "reason": reason, "code": code }),
    )
}

fn answer(state: &mut ApiServerState, ask: &Ask) -> Answer {
    state.asked.push(format!("{} {}", ask.method, ask.path));
    if let Some(instead) = &state.instead {
        return instead.clone();
    }
    if state.busy > 0 {
        state.busy -= 1;
        return status(503, "ServiceUnavailable", "the server is currently unable to handle the request");
    }
    if state.token.as_ref().is_some_and(|token| ask.authorization != format!("Bearer {token}")) {
        return status(401, "Unauthorized", "Unauthorized");
    }
    let parts: Vec<&str> = ask.path.trim_start_matches('/').split('/').collect();
    match parts.as_slice() {
        ["api", "v1", "nodes", node] => allowed(state, ask, "nodes").unwrap_or_else(|| nodes(state, ask, node)),
        ["api", "v1", "namespaces", space, "pods", pod] => {
            let key = ((*space).to_owned(), (*pod).to_owned());
            allowed(state, ask, "pods").unwrap_or_else(|| pods(state, ask, &key))
        }
        ["api", "v1", "namespaces", space, "pods", pod, "eviction"] if ask.method == "POST" => {
            let key = ((*space).to_owned(), (*pod).to_owned());
            allowed(state, ask, "pods/eviction").unwrap_or_else(|| evict(state, ask, &key))
        }
        ["apis", "authorization.k8s.io", "v1", "selfsubjectaccessreviews"] => {
            let of = &ask.body["spec"]["resourceAttributes"];
            let text = |key: &str| of[key].as_str().unwrap_or_default();
            let slash = if text("subresource").is_empty() { "" } else { "/" };
            let what = format!("{} {}{slash}{}", text("verb"), text("resource"), text("subresource"));
            (
                201,
                json!({ "kind": "SelfSubjectAccessReview", "status": { "allowed": !state.forbidden.contains(&what) } }),
            )
        }
        _ => status(404, "NotFound", "the server could not find the requested resource"),
    }
}

/// A refusal, unless the role lets it.
fn allowed(state: &ApiServerState, ask: &Ask, resource: &str) -> Option<Answer> {
    let verb = match ask.method {
        "GET" => "get",
        "PATCH" => "patch",
        "DELETE" => "delete",
        _ => "create",
    };
    let denied = state.forbidden.contains(&format!("{verb} {resource}"));
    denied.then(|| {
        let who = "system:serviceaccount:default:pilot";
        status(
            403,
            "Forbidden",
            format!("{resource} is forbidden: User \"{who}\" cannot {verb} resource \"{resource}\""),
        )
    })
}

/// The conditions of something that is ready, or not.
fn ready(yes: bool) -> Value {
    json!({ "conditions": [{ "type": "Ready", "status": if yes { "True" } else { "False" } }] })
}

fn nodes(state: &mut ApiServerState, ask: &Ask, name: &str) -> Answer {
    let Some(cordoned) = state.nodes.get_mut(name) else {
        return status(404, "NotFound", format!("nodes \"{name}\" not found"));
    };
    match ask.method {
        "GET" => {}
        "PATCH" if ask.kind.contains("merge-patch+json") => match ask.body["spec"].get("unschedulable") {
            Some(Value::Bool(on)) => *cordoned = *on,
            Some(Value::Null) => *cordoned = false,
            Some(_) => return status(422, "Invalid", "spec.unschedulable: Invalid value"),
            None => {}
        },
        "PATCH" => return status(415, "UnsupportedMediaType", "the body of the request was in an unknown format"),
        _ => return status(405, "MethodNotAllowed", "the server does not allow this method on the requested resource"),
    }
    let spec = if *cordoned { json!({ "unschedulable": true }) } else { json!({}) };
    (
        200,
        json!({ "kind": "Node", "apiVersion": "v1", "metadata": { "name": name }, "spec": spec, "status": ready(true) }),
    )
}

fn pods(state: &mut ApiServerState, ask: &Ask, key: &(String, String)) -> Answer {
    if ask.method == "GET" {
        state.settle(key);
    }
    let Some(pod) = state.pods.get_mut(key) else {
        return status(404, "NotFound", format!("pods \"{}\" not found", key.1));
    };
    let wanted = match ask.method {
        "DELETE" => ask.body["preconditions"]["uid"].as_str(),
        _ => ask.body["metadata"]["uid"].as_str(),
    };
    if let Some(wanted) = wanted.filter(|wanted| *wanted != pod.uid) {
        return conflict(key, wanted, &pod.uid);
    }
    match ask.method {
        "GET" => {}
        "DELETE" => {
            pod.leaving.get_or_insert(1);
        }
        "PATCH" if ask.kind.contains("merge-patch+json") => {
            for (name, value) in ask.body["metadata"]["annotations"].as_object().into_iter().flatten() {
                match value.as_str() {
                    Some(value) => drop(pod.annotations.insert(name.clone(), value.to_owned())),
                    None => drop(pod.annotations.remove(name)),
                }
            }
        }
        _ => return status(405, "MethodNotAllowed", "the server does not allow this method on the requested resource"),
    }
    let mut meta = json!({ "name": key.1, "namespace": key.0, "uid": pod.uid, "annotations": pod.annotations });
    if pod.leaving.is_some() {
        meta["deletionTimestamp"] = json!("2026-11-21T00:00:00Z");
    }
    let spec = json!({ "nodeName": pod.node });
    (
        200,
        json!({ "kind": "Pod", "apiVersion": "v1", "metadata": meta, "spec": spec, "status": ready(pod.leaving.is_none()) }),
    )
}

fn evict(state: &mut ApiServerState, ask: &Ask, key: &(String, String)) -> Answer {
    let held = state.held.contains(&key.1);
    let Some(pod) = state.pods.get_mut(key) else {
        return status(404, "NotFound", format!("pods \"{}\" not found", key.1));
    };
    if ask.body["kind"] != "Eviction" || ask.body["metadata"]["name"] != key.1.as_str() {
        return status(400, "BadRequest", "name in URL does not match name in Eviction object");
    }
    let wanted = ask.body["deleteOptions"]["preconditions"]["uid"].as_str();
    if let Some(wanted) = wanted.filter(|wanted| *wanted != pod.uid) {
        return conflict(key, wanted, &pod.uid);
    }
    if held {
        return status(429, "TooManyRequests", "Cannot evict pod as it would violate the pod's disruption budget.");
    }
    pod.leaving.get_or_insert(1);
    (201, json!({ "kind": "Status", "apiVersion": "v1", "status": "Success", "code": 201 }))
}

fn conflict(key: &(String, String), wanted: &str, found: &str) -> Answer {
    let name = &key.1;
    let why = format!(
        "Operation cannot be fulfilled on pods \"{name}\": Precondition failed: UID in precondition: {wanted}, UID in object \
         meta: {found}"
    );
    status(409, "Conflict", why)
}

#[cfg(test)]
mod tests;
