//! Nodes and pods.

use serde_json::{Value, json};

use crate::name::checked;
use crate::{KubernetesAccess, KubernetesError};

const JSON: &str = "application/json";
/// A patch in which null takes a field away (RFC 7386).
const MERGE: &str = "application/merge-patch+json";

/// What is known of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KubernetesNode {
    /// Whether it takes no new pods.
    pub cordoned: bool,
    /// Whether it is ready.
    pub ready: bool,
}

/// What is known of a pod.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pod {
    /// Its unique id: a pod that is made anew under the same name has another.
    pub uid: String,
    /// On which node it is, if it is on one.
    pub node: Option<String>,
    /// Whether it is on its way out.
    pub leaving: bool,
    /// Whether it is ready.
    pub ready: bool,
}

/// What TiDB Operator does about a pod that has the annotation (docs-tidb-operator release-1.6, maintain-a-kubernetes-node.md).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PodAnnotation {
    /// Of a TiKV: evicts its leaders.
    EvictLeader,
    /// Of a PD: hands its leadership over.
    PdTransferLeader,
    /// Of a TiDB: ends it when its connections are drained.
    TidbGracefulShutdown,
}

impl PodAnnotation {
    /// Its key.
    pub const fn key(self) -> &'static str {
        match self {
            Self::EvictLeader => "tidb.pingcap.com/evict-leader",
            Self::PdTransferLeader => "tidb.pingcap.com/pd-transfer-leader",
            Self::TidbGracefulShutdown => "tidb.pingcap.com/tidb-graceful-shutdown",
        }
    }
}

/// Kubernetes' API.
#[derive(Debug, Clone)]
pub struct KubernetesApi {
    access: KubernetesAccess,
}

impl KubernetesApi {
    /// With that access.
    pub fn new(access: KubernetesAccess) -> Self {
        Self { access }
    }

    /// A node.
    ///
    /// # Errors
    /// When there is none, or it cannot be told.
    pub fn node(&self, name: &str) -> Result<KubernetesNode, KubernetesError> {
        let path = format!("/api/v1/nodes/{}", checked("node", name)?);
        let node = self.access.send(("GET", &path, JSON), None, &format!("node {name}"))?;
        kind(&node, "Node")?;
        let Value::Object(spec) = &node["spec"] else {
            return Err(strange("Node", "spec", &node["spec"], "an object"));
        };
        // The field is there, or it is not.
        let cordoned = match spec.get("unschedulable") {
            None => false,
            Some(Value::Bool(cordoned)) => *cordoned,
            Some(other) => return Err(strange("Node", "spec.unschedulable", other, "true or false")),
        };
        Ok(KubernetesNode { cordoned, ready: is_ready(&node) })
    }

    /// Lets a node take no new pods, or takes that back.
    ///
    /// # Errors
    /// When it was refused, or perhaps not done.
    pub fn cordon(&self, name: &str, cordoned: bool) -> Result<(), KubernetesError> {
        let path = format!("/api/v1/nodes/{}", checked("node", name)?);
        // As kubectl: the field is there, or it is not.
        let to = if cordoned { json!(true) } else { Value::Null };
        let patch = json!({ "spec": { "unschedulable": to } });
        self.access.send(("PATCH", &path, MERGE), Some(&patch), &format!("node {name}")).map(drop)
    }

    /// A pod, if there is one of that name.
    ///
    /// # Errors
    /// When it cannot be told.
    pub fn pod(&self, namespace: &str, name: &str) -> Result<Option<Pod>, KubernetesError> {
        let pod = match self.access.send(("GET", &path(namespace, name)?, JSON), None, &format!("pod {name}")) {
            Err(KubernetesError::Missing(_)) => return Ok(None),
            pod => pod?,
        };
        kind(&pod, "Pod")?;
        let uid = text(&pod, "/metadata/uid")?.filter(|uid| !uid.is_empty());
        let uid = uid.ok_or_else(|| strange("Pod", "metadata.uid", &Value::Null, "a unique id"))?;
        let node = text(&pod, "/spec/nodeName")?;
        let leaving = text(&pod, "/metadata/deletionTimestamp")?.is_some();
        Ok(Some(Pod { uid, node, leaving, ready: is_ready(&pod) }))
    }

    /// Ends a pod in good order, as `kubectl drain` does: only if its PodDisruptionBudget lets it go, and only if it is still
    /// the one with that unique id.
    ///
    /// # Errors
    /// [`KubernetesError::NotYet`] while the budget holds it; when it is another pod by now; when it may not be done.
    pub fn evict(&self, namespace: &str, name: &str, uid: &str) -> Result<(), KubernetesError> {
        let path = format!("{}/eviction", path(namespace, name)?);
        let body = json!({
            "apiVersion": "policy/v1",
            "kind": "Eviction",
            "metadata": { "name": name, "namespace": namespace },
            "deleteOptions": { "preconditions": { "uid": uid } },
        });
        self.access.send(("POST", &path, JSON), Some(&body), &format!("pod {name}")).map(drop)
    }

    /// Ends a pod whether its budget lets it go or not, if it is still the one with that unique id.
    ///
    /// # Errors
    /// When it is another pod by now, or it may not be done.
    pub fn delete(&self, namespace: &str, name: &str, uid: &str) -> Result<(), KubernetesError> {
        let body = json!({ "apiVersion": "v1", "kind": "DeleteOptions", "preconditions": { "uid": uid } });
        let pod = format!("pod {name}");
        self.access.send(("DELETE", &path(namespace, name)?, JSON), Some(&body), &pod).map(drop)
    }

    /// Sets or takes away an annotation that TiDB Operator obeys, if the pod is still the one with that unique id. `none`
    /// keeps the pod; `delete-pod` deletes it when it is done.
    ///
    /// # Errors
    /// When it is another pod by now, or it may not be done.
    pub fn annotate(
        &self,
        (namespace, name, uid): (&str, &str, &str),
        annotation: PodAnnotation,
        value: Option<&str>,
    ) -> Result<(), KubernetesError> {
        let patch = json!({ "metadata": { "uid": uid, "annotations": { annotation.key(): value } } });
        let pod = format!("pod {name}");
        self.access.send(("PATCH", &path(namespace, name)?, MERGE), Some(&patch), &pod).map(drop)
    }

    /// Whether we may do something: asked before it is needed, so that a missing role is told before the event.
    ///
    /// # Errors
    /// When it cannot be told.
    pub fn may(&self, verb: &str, resource: &str, namespace: Option<&str>) -> Result<bool, KubernetesError> {
        let (resource, sub) = resource.split_once('/').unwrap_or((resource, ""));
        let attributes = json!({ "verb": verb, "resource": resource, "subresource": sub, "namespace": namespace.unwrap_or_default() });
        let review = json!({
            "apiVersion": "authorization.k8s.io/v1",
            "kind": "SelfSubjectAccessReview",
            "spec": { "resourceAttributes": attributes },
        });
        let path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
        let answer = self.access.send(("POST", path, JSON), Some(&review), "access review")?;
        let allowed = &answer["status"]["allowed"];
        allowed.as_bool().ok_or_else(|| strange("SelfSubjectAccessReview", "status.allowed", allowed, "true or false"))
    }

    /// What we may not do of all that moving a pod of a namespace off its node takes: verbs and resources.
    ///
    /// # Errors
    /// When it cannot be told.
    pub fn lacks_to_move(&self, namespace: &str) -> Result<Vec<String>, KubernetesError> {
        let here = Some(namespace);
        let mut lacking = Vec::new();
        for (verb, resource, namespace) in
            [("get", "nodes", None), ("patch", "nodes", None), ("get", "pods", here), ("create", "pods/eviction", here)]
        {
            if !self.may(verb, resource, namespace)? {
                lacking.push(format!("{verb} {resource}"));
            }
        }
        Ok(lacking)
    }
}

fn path(namespace: &str, pod: &str) -> Result<String, KubernetesError> {
    Ok(format!("/api/v1/namespaces/{}/pods/{}", checked("namespace", namespace)?, checked("pod", pod)?))
}

/// Whether it is what was asked for: a proxy answers 200 with a page, too.
fn kind(value: &Value, kind: &str) -> Result<(), KubernetesError> {
    if value["kind"] == kind {
        return Ok(());
    }
    Err(KubernetesError::Silent(format!("it answered something that is no {kind}")))
}

/// A part of an answer that is not as the API writes it: nothing is decided by that.
fn strange(kind: &str, place: &str, seen: &Value, expected: &str) -> KubernetesError {
    KubernetesError::Silent(format!("it answered a {kind} whose {place} is `{seen}`; expected {expected}"))
}

/// A text that may be left out.
fn text(pod: &Value, pointer: &str) -> Result<Option<String>, KubernetesError> {
    match pod.pointer(pointer) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(other) => Err(strange("Pod", pointer.trim_start_matches('/'), other, "a text")),
    }
}

fn is_ready(value: &Value) -> bool {
    let conditions = value["status"]["conditions"].as_array().into_iter().flatten();
    conditions.into_iter().any(|condition| condition["type"] == "Ready" && condition["status"] == "True")
}
