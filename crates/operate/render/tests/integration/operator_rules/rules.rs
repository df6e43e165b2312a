//! The rules that the resources of TiDB Operator carry beside their types. A schema made of Go's types lacks those of v2, which are
//! written in CEL (`x-kubernetes-validations`, pingcap/tidb-operator v2.0.0 manifests/crd/core.pingcap.com_*.yaml); those of v1 are
//! Kubernetes' own on the names of what the operator makes of a cluster's.

use serde_json::{Value, json};

/// A rule: what it is, of which resources, where it looks, whether it holds, and a change that breaks it.
pub(crate) struct Rule {
    /// As the resource has it.
    pub(crate) rule: &'static str,
    pub(crate) kinds: &'static [&'static str],
    /// Where `self` is; nothing there is nothing to check.
    at: &'static str,
    /// Of the value there and, where a resource is changed, the value that was there.
    holds: fn(&Value, Option<&Value>) -> bool,
    pub(crate) breaks: fn(&mut Value),
}

impl Rule {
    /// Whether it holds of a resource, made or changed.
    pub(crate) fn holds(&self, manifest: &Value, before: Option<&Value>) -> bool {
        let kind = manifest["kind"].as_str().unwrap();
        if !self.kinds.contains(&kind) {
            return true;
        }
        let old = before.and_then(|before| before.pointer(self.at));
        manifest.pointer(self.at).is_none_or(|now| (self.holds)(now, old))
    }
}

const GROUPS: &[&str] = &["PDGroup", "TiKVGroup", "TiDBGroup", "TiFlashGroup"];
const WITH_DATA: &[&str] = &["PDGroup", "TiKVGroup", "TiFlashGroup"];
const SPEC: &str = "/spec/template/spec";

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn items(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn named(value: &Value) -> Vec<&str> {
    items(value).iter().map(|item| text(&item["name"])).collect()
}

fn unchanged(now: &Value, old: Option<&Value>) -> bool {
    old.is_none_or(|old| now == old)
}

/// `^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`, of which `^…(\.…)*$` takes several with dots between.
fn is_label(name: &str) -> bool {
    let inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    !name.is_empty() && name.chars().all(inner) && !name.starts_with('-') && !name.ends_with('-')
}

/// As the pattern of quantities, though without signs and exponents, which nobody writes of a size.
fn is_quantity(size: &str) -> bool {
    let digits = size.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = &size[digits.len()..];
    digits.parse::<f64>().is_ok_and(|size| size > 0.0) && ["", "Ki", "Mi", "Gi", "Ti", "Pi"].contains(&unit)
}

/// As the pattern of versions, though without the parts after the patch.
fn is_version(version: &str) -> bool {
    let parts: Vec<&str> = version.trim_start_matches('v').split('.').collect();
    parts.len() == 3 && parts.iter().all(|part| part.parse::<u16>().is_ok_and(|number| number.to_string() == **part))
}

fn once(names: Vec<&str>) -> bool {
    names.iter().collect::<std::collections::BTreeSet<_>>().len() == names.len()
}

/// Every rule of v2 that says something of a field that is rendered, and those that say that a field must be there.
pub(crate) const V2: &[Rule] = &[
    Rule {
        rule: "size(self.metadata.name) <= 37",
        kinds: &["Cluster"],
        at: "",
        holds: |now, _| text(&now["metadata"]["name"]).chars().count() <= 37,
        breaks: |manifest| manifest["metadata"]["name"] = json!("c".repeat(38)),
    },
    Rule {
        rule: "size(self.metadata.name) <= 40",
        kinds: GROUPS,
        at: "",
        holds: |now, _| text(&now["metadata"]["name"]).chars().count() <= 40,
        breaks: |manifest| manifest["metadata"]["name"] = json!("g".repeat(41)),
    },
    Rule {
        rule: "cluster name is immutable: self == oldSelf",
        kinds: GROUPS,
        at: "/spec/cluster/name",
        holds: unchanged,
        breaks: |manifest| manifest["spec"]["cluster"]["name"] = json!("another"),
    },
    Rule {
        rule: r"cluster name: ^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$",
        kinds: GROUPS,
        at: "/spec/cluster/name",
        holds: |now, _| text(now).split('.').all(is_label),
        breaks: |manifest| manifest["spec"]["cluster"]["name"] = json!("-cluster"),
    },
    Rule {
        rule: "replicas: minimum 0",
        kinds: GROUPS,
        at: "/spec/replicas",
        holds: |now, _| now.as_i64().is_some_and(|replicas| replicas >= 0),
        breaks: |manifest| manifest["spec"]["replicas"] = json!(-1),
    },
    Rule {
        rule: "self.bootstrapped || (self.replicas == oldSelf.replicas)",
        kinds: &["PDGroup"],
        at: "/spec",
        holds: |now, old| {
            let bootstrapped = now["bootstrapped"].as_bool().unwrap_or(false);
            bootstrapped || old.is_none_or(|old| now["replicas"] == old["replicas"])
        },
        breaks: |manifest| manifest["spec"]["replicas"] = json!(77),
    },
    Rule {
        rule: "pd mode can only be set when creating: (!has(oldSelf.mode) && !has(self.mode)) || (has(oldSelf.mode) && has(self.mode))",
        kinds: &["PDGroup"],
        at: SPEC,
        holds: |now, old| old.is_none_or(|old| now["mode"] == old["mode"]),
        breaks: |manifest| manifest["spec"]["template"]["spec"]["mode"] = json!("ms"),
    },
    Rule {
        rule: "data volume must be configured: has(self.volumes) && ('data' in self.volumes.map(v, v.name))",
        kinds: WITH_DATA,
        at: SPEC,
        holds: |now, _| named(&now["volumes"]).contains(&"data"),
        breaks: |manifest| manifest["spec"]["template"]["spec"]["volumes"] = json!([]),
    },
    Rule {
        rule: "volumes: a list by name, of 256 at most",
        kinds: GROUPS,
        at: "/spec/template/spec/volumes",
        holds: |now, _| once(named(now)) && items(now).len() <= 256,
        breaks: |manifest| {
            if let Some(Value::Array(volumes)) = manifest.pointer_mut("/spec/template/spec/volumes") {
                volumes.extend(volumes.clone());
            }
        },
    },
    Rule {
        rule: "storage: a quantity",
        kinds: WITH_DATA,
        at: "/spec/template/spec/volumes",
        holds: |now, _| items(now).iter().all(|volume| is_quantity(text(&volume["storage"]))),
        breaks: |manifest| manifest["spec"]["template"]["spec"]["volumes"][0]["storage"] = json!("10 GiB"),
    },
    Rule {
        rule: "overlay volumeClaims names must exist in volumes",
        kinds: GROUPS,
        at: SPEC,
        holds: |now, _| {
            let volumes = named(&now["volumes"]);
            named(&now["overlay"]["volumeClaims"]).iter().all(|claim| volumes.contains(claim))
        },
        breaks: |manifest| {
            manifest["spec"]["template"]["spec"]["overlay"]["volumeClaims"] = json!([{ "name": "none" }]);
        },
    },
    Rule {
        rule: "cannot overlay pod labels starting with 'pingcap.com/'",
        kinds: GROUPS,
        at: "/spec/template/spec/overlay/pod",
        holds: |now, _| {
            let labels = now["metadata"]["labels"].as_object();
            labels.is_none_or(|labels| labels.keys().all(|label| !label.starts_with("pingcap.com/")))
        },
        breaks: |manifest| {
            manifest["spec"]["template"]["spec"]["overlay"]["pod"]["metadata"]["labels"] =
                json!({ "pingcap.com/cluster": "x" });
        },
    },
    Rule {
        rule: "labels cannot contain 'host', 'region', or 'zone' keys",
        kinds: &["TiDBGroup"],
        at: SPEC,
        holds: |now, _| {
            let labels = now["server"]["labels"].as_object();
            labels.is_none_or(|labels| ["host", "region", "zone"].iter().all(|key| !labels.contains_key(*key)))
        },
        breaks: |manifest| {
            manifest["spec"]["template"]["spec"]["server"] = json!({ "labels": { "zone": "a" } });
        },
    },
    Rule {
        rule: "version: semantic, with or without v",
        kinds: GROUPS,
        at: "/spec/template/spec/version",
        holds: |now, _| is_version(text(now)),
        breaks: |manifest| manifest["spec"]["template"]["spec"]["version"] = json!("v8.5"),
    },
    Rule {
        rule: "schedulePolicies: a list by type; each weight is 1 at least",
        kinds: GROUPS,
        at: "/spec/schedulePolicies",
        holds: |now, _| {
            let topologies = items(now).iter().flat_map(|policy| items(&policy["evenlySpread"]["topologies"]));
            let weights = topologies.filter_map(|topology| topology["weight"].as_i64());
            let types = items(now).iter().map(|policy| text(&policy["type"])).collect();
            once(types) && weights.into_iter().all(|weight| weight >= 1)
        },
        breaks: |manifest| {
            manifest["spec"]["schedulePolicies"] = json!([{ "type": "EvenlySpread" }, { "type": "EvenlySpread" }]);
        },
    },
    Rule {
        rule: "tlsCluster is immutable; bootstrapSQL can only be set at creation",
        kinds: &["Cluster"],
        at: "/spec",
        holds: |now, old| {
            let same = |key: &str| old.is_none_or(|old| now[key] == old[key]);
            same("tlsCluster") && (now.get("bootstrapSQL").is_none() || same("bootstrapSQL"))
        },
        breaks: |manifest| manifest["spec"]["tlsCluster"] = json!({ "enabled": true }),
    },
    Rule {
        rule: "cannot disable FeatureModification, nor change gates without it",
        kinds: &["Cluster"],
        at: "/spec",
        holds: |now, old| {
            let gates = |spec: &Value| named(&spec["featureGates"]).into_iter().map(str::to_owned).collect::<Vec<_>>();
            old.is_none_or(|old| gates(now) == gates(old))
        },
        breaks: |manifest| manifest["spec"]["featureGates"] = json!([{ "name": "VolumeAttributesClass" }]),
    },
];

/// What v1 makes of a cluster's name: stateful sets and services of its components.
pub(crate) const V1: &[Rule] = &[
    Rule {
        // A pod of a stateful set has the label controller-revision-hash, whose value, of 63 characters at most, is the set's name, a
        // dash and ten characters (kubernetes pkg/controller/history).
        rule: "a stateful set's name has 52 characters at most: the cluster's and `-tiflash`",
        kinds: &["TidbCluster"],
        at: "/metadata/name",
        holds: |now, _| text(now).len() + "-tiflash".len() <= 52,
        breaks: |manifest| manifest["metadata"]["name"] = json!("c".repeat(45)),
    },
    Rule {
        rule: "a service's name is a label that begins with a letter (RFC 1035)",
        kinds: &["TidbCluster"],
        at: "/metadata/name",
        holds: |now, _| is_label(text(now)) && text(now).starts_with(|c: char| c.is_ascii_lowercase()),
        breaks: |manifest| manifest["metadata"]["name"] = json!("5-nodes"),
    },
    Rule {
        rule: "a volume's claims cannot be changed in a stateful set that there is",
        kinds: &["TidbCluster"],
        at: "/spec/tikv",
        holds: |now, old| {
            old.is_none_or(|old| {
                now["storageClassName"] == old["storageClassName"]
                    && named(&now["storageVolumes"]) == named(&old["storageVolumes"])
            })
        },
        breaks: |manifest| manifest["spec"]["tikv"]["storageClassName"] = json!("another"),
    },
    Rule {
        rule: "requests.storage: a quantity",
        kinds: &["TidbCluster"],
        at: "/spec/tikv/requests/storage",
        holds: |now, _| is_quantity(text(now)),
        breaks: |manifest| manifest["spec"]["tikv"]["requests"]["storage"] = json!("many"),
    },
    Rule {
        rule: "version: semantic, with or without v",
        kinds: &["TidbCluster"],
        at: "/spec/version",
        holds: |now, _| is_version(text(now)),
        breaks: |manifest| manifest["spec"]["version"] = json!("8.5"),
    },
];
