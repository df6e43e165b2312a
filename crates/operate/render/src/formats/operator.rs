//! A `TidbCluster` of TiDB Operator v1, `pingcap.com/v1alpha1`.

use deployment::NodeRole;

use super::manifest::{Claim, claim, classes, documents, node_selector};
use crate::document::{Map, Why};
use crate::site::Site;
use crate::{FileFormat, RenderError, RenderedFile, advice};

/// Which releases there are.
pub(super) const RELEASES: &str = "https://docs.pingcap.com/tidb/stable/release-notes";
const SPREAD: &str = "https://docs.pingcap.com/tidb-in-kubernetes/stable/configure-a-tidb-cluster";

pub(super) fn file(site: &Site<'_>) -> Result<RenderedFile, RenderError> {
    let mut claims = Vec::new();
    let mut spec = Map::new()
        .with_why("version", site.version.tag(), &Why::new("The line that the settings below are of", RELEASES))
        .with_why(
            "timezone",
            "UTC",
            &Why::new("Times and schedules of TiDB; it is kept from the first start on", SPREAD),
        )
        .with_why(
            "pvReclaimPolicy",
            "Retain",
            &Why::new("A volume outlives its claim: deleting the cluster by mistake loses nothing", SPREAD),
        )
        .with_why("enableDynamicConfiguration", true, &Why::new("SET CONFIG reaches the pods", SPREAD))
        .with_why(
            "configUpdateStrategy",
            "RollingUpdate",
            &Why::new("What needs a restart restarts one pod after the other", SPREAD),
        );
    spec.set("pd", pd(site)?);
    if let Some(group) = site.storage().next() {
        let data = claim(site, group, "data", group.data.1);
        let log = group.log.as_ref().map(|(_, log)| claim(site, group, "log", log));
        spec.set("tikv", tikv(site, group, &data, log.as_ref())?);
        claims.push(data);
        claims.extend(log);
    }
    spec.set("tidb", tidb(site));
    let tiflash: Vec<_> = site.groups.iter().filter(|group| group.nodes.role == NodeRole::Tiflash).collect();
    if let Some(group) = tiflash.first() {
        let data = claim(site, group, "data", group.data.1);
        let storage = Map::new().with_why("storage", data.size.as_str(), &data.why);
        let one = Map::new()
            .with("resources", Map::new().with("requests", storage))
            .with("storageClassName", data.class.as_str());
        let nodes = site.of(NodeRole::Tiflash).count() as u32;
        let mut part = component("tiflash", nodes, None);
        part.set("storageClaims", vec![one]);
        place(&mut part, site, NodeRole::Tiflash);
        spec.set("tiflash", part);
        claims.push(data);
    }
    let cluster = Map::new()
        .with("apiVersion", "pingcap.com/v1alpha1")
        .with("kind", "TidbCluster")
        .with("metadata", Map::new().with("name", site.cluster()))
        .with("spec", spec);
    let mut all = classes(&claims.iter().collect::<Vec<_>>());
    all.push(cluster);
    let head = super::head("#", site, "A cluster of TiDB Operator v1");
    Ok(RenderedFile::new(FileFormat::Operator, "tidbcluster.yaml", documents(head, &all)))
}

/// What every component has.
fn component(name: &str, replicas: u32, config: Option<String>) -> Map {
    let mut part = Map::new().with("baseImage", format!("pingcap/{name}")).with_why(
        "replicas",
        replicas,
        &Why::new("As many nodes as planned", SPREAD),
    );
    if let Some(config) = config {
        part.set("config", config);
    }
    part
}

/// Which machines, and in which zones.
fn place(part: &mut Map, site: &Site<'_>, role: NodeRole) {
    if let Some(selector) = node_selector(site, role).filter(|selector| !selector.0.is_empty()) {
        part.set("nodeSelector", selector);
    }
    if site.deployment.zones > 1 && role != NodeRole::Tiflash {
        let why = Why::new(
            "As many pods in each zone, and on each node, so that the loss of one takes as few as can be",
            SPREAD,
        );
        let keys =
            ["topology.kubernetes.io/zone", "kubernetes.io/hostname"].map(|key| Map::new().with("topologyKey", key));
        part.why("topologySpreadConstraints", keys.to_vec(), &why);
    }
}

fn pd(site: &Site<'_>) -> Result<Map, RenderError> {
    let mut part = component("pd", site.of(NodeRole::Pd).count() as u32, Some(advice::pd(site)?.map().to_toml()));
    part.set("requests", Map::new().with("storage", "10Gi"));
    place(&mut part, site, NodeRole::Pd);
    Ok(part)
}

fn tidb(site: &Site<'_>) -> Map {
    let mut part = component("tidb", site.of(NodeRole::Sql).count() as u32, None);
    part.set("service", Map::new().with("type", "ClusterIP"));
    place(&mut part, site, NodeRole::Sql);
    part
}

fn tikv(
    site: &Site<'_>,
    group: &crate::site::Group<'_>,
    data: &Claim,
    log: Option<&Claim>,
) -> Result<Map, RenderError> {
    let mount = FileFormat::Operator.raft_dir();
    let settings = advice::tikv(site, group, mount)?;
    let mut part = component("tikv", group.nodes.count, Some(settings.map().to_toml()));
    part.set("storageClassName", data.class.as_str());
    part.set("requests", Map::new().with_why("storage", data.size.as_str(), &data.why));
    if let Some(log) = log {
        let volume = Map::new()
            .with("name", "raft")
            .with("storageSize", log.size.as_str())
            .with("storageClassName", log.class.as_str())
            .with("mountPath", mount);
        part.why("storageVolumes", vec![volume], &log.why);
    }
    let why = Why::new(
        "Leaders are given so long to move before a pod is stopped; the operator's own limit is 25 hours",
        SPREAD,
    );
    part.why("evictLeaderTimeout", "10m", &why);
    place(&mut part, site, NodeRole::Storage);
    Ok(part)
}

#[cfg(test)]
#[expect(dead_code, reason = "fields of types into which the file must fit, read by serde alone")]
mod tests {
    use std::collections::BTreeMap;

    use serde::Deserialize;
    use serde_json::Value;

    use crate::FileFormat;
    use crate::testing::{deployment, file, of};

    /// The fields of `TidbCluster` that we use, as the operator's schema types them (manifests/crd/v1).
    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields, rename_all = "camelCase")]
    pub(crate) struct Spec {
        version: String,
        timezone: String,
        pv_reclaim_policy: String,
        enable_dynamic_configuration: bool,
        config_update_strategy: String,
        pub(crate) pd: Component,
        pub(crate) tikv: Component,
        pub(crate) tidb: Component,
        pub(crate) tiflash: Option<Component>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields, rename_all = "camelCase")]
    pub(crate) struct Component {
        base_image: String,
        pub(crate) replicas: i32,
        pub(crate) config: Option<String>,
        #[serde(default)]
        requests: BTreeMap<String, String>,
        storage_class_name: Option<String>,
        #[serde(default)]
        storage_volumes: Vec<Volume>,
        #[serde(default)]
        storage_claims: Vec<StorageClaim>,
        evict_leader_timeout: Option<String>,
        #[serde(default)]
        pub(crate) node_selector: BTreeMap<String, String>,
        #[serde(default)]
        topology_spread_constraints: Vec<BTreeMap<String, String>>,
        service: Option<BTreeMap<String, String>>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields, rename_all = "camelCase")]
    struct Volume {
        name: String,
        storage_size: String,
        storage_class_name: String,
        mount_path: String,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields, rename_all = "camelCase")]
    struct StorageClaim {
        resources: Value,
        storage_class_name: String,
    }

    fn documents(text: &str) -> Vec<Value> {
        serde_saphyr::from_multiple(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
    }

    fn spec(text: &str) -> Spec {
        let cluster = documents(text).pop().unwrap();
        assert_eq!(
            (cluster["apiVersion"].as_str(), cluster["kind"].as_str()),
            (Some("pingcap.com/v1alpha1"), Some("TidbCluster"))
        );
        serde_json::from_value(cluster["spec"].clone()).unwrap()
    }

    #[test]
    fn the_manifests_of_two_examples() {
        for name in ["raft-dedicated.toml", "htap.toml"] {
            let text = file(name, FileFormat::Operator).content;
            let spec = spec(&text);
            let toml: toml::Table = toml::from_str(spec.tikv.config.as_deref().unwrap()).unwrap();
            assert!(toml.contains_key("rocksdb"));
            insta::assert_snapshot!(name, text);
        }
    }

    #[test]
    fn tiflash_is_held_in_one_zone() {
        let spec = spec(&file("htap.toml", FileFormat::Operator).content);
        let tiflash = spec.tiflash.unwrap();
        assert!(tiflash.replicas > 1);
        assert_eq!(tiflash.node_selector["topology.kubernetes.io/zone"], "us-west-2a");
    }

    #[test]
    fn a_stripe_becomes_one_volume_of_its_rates_where_there_is_one() {
        let mut deployment = deployment("raft-shared.toml");
        deployment.nodes[0].data = Some("2x(gp3:500GiB,4000iops,200MiB/s)".parse().unwrap());
        let text = &of(&deployment, crate::TikvVersion::default(), &[FileFormat::Operator]).files[0].content;
        let class = &documents(text)[0];
        assert_eq!(class["parameters"]["iops"].as_str(), Some("8000"));
        assert_eq!(class["parameters"]["throughput"].as_str(), Some("400"));
        assert!(
            text.contains("storage: 1000Gi")
                || text.contains("storage: '1000Gi'")
                || text.contains("storage: \"1000Gi\""),
            "{text}"
        );
    }
}
