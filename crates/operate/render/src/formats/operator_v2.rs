//! The groups of TiDB Operator v2, `core.pingcap.com/v1alpha1`.

use deployment::NodeRole;

use super::manifest::{Claim, claim, classes, documents, node_selector};
use super::operator::RELEASES;
use crate::document::{Map, Why};
use crate::hosts::program;
use crate::site::{Group, Site};
use crate::{FileFormat, RenderError, RenderedFile, advice};

const MANUAL: &str = "https://docs.pingcap.com/tidb-in-kubernetes/dev/configure-a-tidb-cluster";
const VOLUMES: &str = "https://docs.pingcap.com/tidb-in-kubernetes/v2.0/volume-configuration";

pub(super) fn file(site: &Site<'_>) -> Result<RenderedFile, RenderError> {
    let mount = FileFormat::OperatorV2.raft_dir();
    let cluster = Map::new()
        .with("apiVersion", "core.pingcap.com/v1alpha1")
        .with("kind", "Cluster")
        .with("metadata", Map::new().with("name", site.cluster()))
        .with("spec", Map::new());
    let mut groups = Vec::new();
    let mut claims = Vec::new();
    let state = Map::new().with("name", "data").with("mounts", vec![Map::new().with("type", "data")]).with_why(
        "storage",
        "10Gi",
        &Why::new("PD's state is small: a few hundred bytes a range", MANUAL),
    );
    let pd = template(site, Some(advice::pd(site)?.map().to_toml()), vec![state]);
    groups.push(group(site, "PDGroup", "pd", site.of(NodeRole::Pd).count() as u32, pd, NodeRole::Pd, None));
    for of in site.groups.iter() {
        let data = claim(site, of, "data", of.data.1);
        let log = of.log.as_ref().map(|(_, log)| claim(site, of, "log", log));
        let mut volumes = vec![volume("data", Map::new().with("type", "data"), &data)];
        let own = Why::new("a mount of our own: the operator wants a type, and has none for it", VOLUMES);
        let raft = Map::new().with_why("type", "", &own).with("mountPath", mount);
        volumes.extend(log.as_ref().map(|log| volume("raft", raft, log)));
        let (kind, config) = match of.nodes.role {
            NodeRole::Tiflash => ("TiFlashGroup", None),
            _ => ("TiKVGroup", Some(advice::tikv(site, of, mount)?.map().to_toml())),
        };
        let name = site.group_name(of);
        groups.push(group(site, kind, &name, of.nodes.count, template(site, config, volumes), of.nodes.role, Some(of)));
        claims.push(data);
        claims.extend(log);
    }
    let tidb = template(site, None, Vec::new());
    groups.push(group(
        site,
        "TiDBGroup",
        program(NodeRole::Sql, site.deployment.engine),
        site.of(NodeRole::Sql).count() as u32,
        tidb,
        NodeRole::Sql,
        None,
    ));
    let mut all = classes(&claims.iter().collect::<Vec<_>>());
    all.push(cluster);
    all.extend(groups);
    let head = super::head("#", site, "A cluster of TiDB Operator v2");
    Ok(RenderedFile::new(FileFormat::OperatorV2, "tidb-groups.yaml", documents(head, &all)))
}

fn template(site: &Site<'_>, config: Option<String>, volumes: Vec<Map>) -> Map {
    let line = Why::new("The line that the settings are of", RELEASES);
    let mut spec = Map::new().with_why("version", site.version.tag(), &line);
    if let Some(config) = config {
        spec.set("config", config);
    }
    if !volumes.is_empty() {
        spec.set("volumes", volumes);
    }
    spec
}

fn volume(name: &str, mount: Map, claim: &Claim) -> Map {
    Map::new()
        .with("name", name)
        .with("mounts", vec![mount])
        .with_why("storage", claim.size.as_str(), &claim.why)
        .with("storageClassName", claim.class.as_str())
}

fn group(
    site: &Site<'_>,
    kind: &str,
    name: &str,
    replicas: u32,
    mut spec: Map,
    role: NodeRole,
    of: Option<&Group<'_>>,
) -> Map {
    let mut selector = node_selector(site, role).unwrap_or_default();
    if let Some(of) = of {
        // Each group of nodes has its own machines.
        selector.0.retain(|entry| entry.key != "node.kubernetes.io/instance-type");
        selector
            .0
            .insert(0, Map::new().with("node.kubernetes.io/instance-type", of.nodes.instance.as_str()).0.remove(0));
    }
    if !selector.0.is_empty() {
        spec.set("overlay", Map::new().with("pod", Map::new().with("spec", Map::new().with("nodeSelector", selector))));
    }
    let mut body = Map::new().with("cluster", Map::new().with("name", site.cluster())).with("replicas", replicas);
    if role != NodeRole::Tiflash && site.deployment.zones > 1 {
        let zones = site
            .zones
            .iter()
            .map(|zone| Map::new().with("topology", Map::new().with("topology.kubernetes.io/zone", zone.as_str())));
        let policy = Map::new()
            .with("type", "EvenlySpread")
            .with("evenlySpread", Map::new().with("topologies", zones.collect::<Vec<_>>()));
        let why = Why::new("As many pods in each zone, so that the loss of one takes as few as can be", MANUAL);
        body.why("schedulePolicies", vec![policy], &why);
    }
    body.set("template", Map::new().with("spec", spec));
    Map::new()
        .with("apiVersion", "core.pingcap.com/v1alpha1")
        .with("kind", kind)
        .with("metadata", Map::new().with("name", site.part_name(name)))
        .with("spec", body)
}

#[cfg(test)]
#[expect(dead_code, reason = "fields of types into which the file must fit, read by serde alone")]
mod tests {
    use std::collections::BTreeMap;

    use serde::Deserialize;
    use serde_json::Value;

    use crate::FileFormat;
    use crate::testing::{deployment, file, of};

    /// The fields of the groups that we use, as the operator's schemas type them (manifests/crd/core.pingcap.com_*).
    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields, rename_all = "camelCase")]
    struct Spec {
        cluster: BTreeMap<String, String>,
        replicas: i32,
        #[serde(default)]
        schedule_policies: Vec<Value>,
        template: Template,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Template {
        spec: TemplateSpec,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct TemplateSpec {
        version: String,
        config: Option<String>,
        #[serde(default)]
        volumes: Vec<Volume>,
        overlay: Option<Value>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields, rename_all = "camelCase")]
    struct Volume {
        name: String,
        storage: String,
        storage_class_name: Option<String>,
        mounts: Vec<Mount>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields, rename_all = "camelCase")]
    struct Mount {
        r#type: String,
        mount_path: Option<String>,
    }

    fn groups(text: &str) -> Vec<(String, Spec)> {
        let documents: Vec<Value> = serde_saphyr::from_multiple(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let of_ours = documents
            .into_iter()
            .filter(|document| document["kind"].as_str().is_some_and(|kind| kind.ends_with("Group")));
        of_ours
            .map(|document| {
                (
                    document["kind"].as_str().unwrap().to_owned(),
                    serde_json::from_value(document["spec"].clone()).unwrap(),
                )
            })
            .collect()
    }

    #[test]
    fn the_manifests_of_two_examples() {
        for name in ["raft-dedicated.toml", "htap.toml"] {
            let text = file(name, FileFormat::OperatorV2).content;
            assert!(groups(&text).len() >= 3);
            insta::assert_snapshot!(name, text);
        }
    }

    #[test]
    fn the_raft_disk_is_mounted_where_the_settings_look_for_it() {
        let text = file("raft-dedicated.toml", FileFormat::OperatorV2).content;
        let groups = groups(&text);
        let (_, tikv) = groups.iter().find(|(kind, _)| kind == "TiKVGroup").unwrap();
        let config: toml::Table = toml::from_str(tikv.template.spec.config.as_deref().unwrap()).unwrap();
        let mount = tikv.template.spec.volumes[1].mounts[0].mount_path.as_deref().unwrap();
        assert!(config["raft-engine"]["dir"].as_str().unwrap().starts_with(mount));
    }

    #[test]
    fn several_kinds_of_nodes_are_several_groups() {
        let mut deployment = deployment("raft-shared.toml");
        deployment.nodes.push(deployment.nodes[0].clone());
        let text = &of(&deployment, crate::TikvVersion::default(), &[FileFormat::OperatorV2]).files[0].content;
        assert_eq!(groups(text).iter().filter(|(kind, _)| kind == "TiKVGroup").count(), 2);
    }

    #[test]
    fn several_kinds_of_tiflash_are_for_operator_v2_only() {
        let mut deployment = deployment("htap.toml");
        let tiflash =
            deployment.nodes.iter().find(|group| group.role == deployment::NodeRole::Tiflash).unwrap().clone();
        deployment.nodes.push(tiflash);
        let rendered = of(&deployment, crate::TikvVersion::default(), &[]);
        assert!(rendered.files.iter().all(|file| file.format != FileFormat::Operator));
        assert!(rendered.notes.iter().any(|note| note.contains("one kind of TiFlash node")), "{:?}", rendered.notes);
        let text = rendered.files.iter().find(|file| file.format == FileFormat::OperatorV2).unwrap();
        assert_eq!(groups(&text.content).iter().filter(|(kind, _)| kind == "TiFlashGroup").count(), 2);
    }
}
