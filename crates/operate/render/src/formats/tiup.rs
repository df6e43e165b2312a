//! TiUP's `topology.yaml` (pingcap/tiup pkg/cluster/spec).

use deployment::NodeRole;

use crate::advice::{DATA_DIR, RAFT_DIR};
use crate::document::{Map, Node, Why};
use crate::hosts::Host;
use crate::settings::{Setting, Settings};
use crate::site::Site;
use crate::{FileFormat, RenderError, RenderedFile, advice};

const TOPOLOGY: &str = "https://docs.pingcap.com/tidb/stable/tiup-cluster-topology-reference";
/// How copies are spread.
pub(super) const LABELS: &str = "https://docs.pingcap.com/tidb/stable/schedule-replicas-by-topology-labels";

pub(super) fn file(site: &Site<'_>) -> Result<RenderedFile, RenderError> {
    let mut groups = Vec::new();
    for group in site.storage() {
        groups.push((group.index, advice::tikv(site, group, RAFT_DIR)?));
    }
    // What all groups share stands once; the rest with each host.
    let shared = |setting: &Setting| {
        groups.iter().all(|(_, of)| of.get(setting.name()).map(Setting::value) == Some(setting.value()))
    };
    let mut tikv = Map::new();
    if let Some((_, first)) = groups.first() {
        add(&mut tikv, first, &shared);
    }
    let mut pd = Map::new();
    add(&mut pd, &advice::pd(site)?, &|_| true);
    let owner =
        "Who runs the programs and owns their folders: the script that makes the disks ready makes them this user's";
    let apart = "On the disk of the system, apart from the disks of data";
    let global = Map::new()
        .with_why("user", "tidb", &Why::new(owner, TOPOLOGY))
        .with_why("deploy_dir", "/tidb-deploy", &Why::new(format!("Programs and their logs. {apart}"), TOPOLOGY))
        .with_why("data_dir", "/tidb-data", &Why::new(format!("Of PD. {apart}"), TOPOLOGY));
    let mut root = Map::new();
    root.set("global", global);
    let configs = Map::new().with("tikv", tikv).with("pd", pd);
    root.set("server_configs", configs);
    root.set(
        "pd_servers",
        site.of(NodeRole::Pd).map(|host| Map::new().with("host", host.name.as_str())).collect::<Vec<_>>(),
    );
    root.set("tidb_servers", site.of(NodeRole::Sql).map(|host| tidb(site, host)).collect::<Vec<_>>());
    let stores = site.of(NodeRole::Storage).map(|host| {
        let own = host.group.and_then(|(index, _)| groups.iter().find(|(of, _)| *of == index));
        store(site, host, own.map(|(_, settings)| settings), &shared)
    });
    root.set("tikv_servers", stores.collect::<Vec<_>>());
    let tiflash: Vec<Map> = site.of(NodeRole::Tiflash).map(|host| self::tiflash(site, host)).collect();
    if !tiflash.is_empty() {
        let why = Why::new(
            "All in one zone: the nodes of a query shuffle rows among each other, and traffic within a zone is free",
            "https://docs.pingcap.com/tidb/stable/best-practices-on-public-cloud",
        );
        root.why("tiflash_servers", tiflash, &why);
    }
    let content = format!(
        "{}{}\n{}",
        super::head("#", site, "TiUP's topology"),
        crate::document::comment("#", 0, "Hosts are names: have them resolve, or put addresses in their place."),
        root.to_yaml()
    );
    Ok(RenderedFile::new(FileFormat::Tiup, "topology.yaml", content))
}

/// Adds the settings that `wanted` picks.
fn add(map: &mut Map, settings: &Settings, wanted: &dyn Fn(&Setting) -> bool) {
    for setting in settings.iter().filter(|setting| wanted(setting)) {
        map.why(setting.name(), setting.node(), &setting.explained(settings.version()));
    }
}

fn tidb(site: &Site<'_>, host: &Host<'_>) -> Map {
    let why = Why::new("Where TiDB finds the nearest copy: the label must be called zone", LABELS);
    let config = Map::new().with_why("labels", Map::new().with("zone", site.zone(host)), &why);
    Map::new().with("host", host.name.as_str()).with("config", config)
}

fn labels(site: &Site<'_>, host: &Host<'_>) -> Node {
    Map::new().with("zone", site.zone(host)).with("host", host.name.as_str()).into()
}

fn store(site: &Site<'_>, host: &Host<'_>, own: Option<&Settings>, shared: &dyn Fn(&Setting) -> bool) -> Map {
    let mut config = Map::new();
    config.why(
        "server.labels",
        labels(site, host),
        &Why::new("Copies of a range go to different zones, then hosts", LABELS),
    );
    if let Some(settings) = own {
        add(&mut config, settings, &|setting| !shared(setting));
    }
    Map::new()
        .with("host", host.name.as_str())
        .with_why("data_dir", format!("{DATA_DIR}/tikv"), &on_disk(site, host))
        .with("config", config)
}

fn on_disk(site: &Site<'_>, host: &Host<'_>) -> Why {
    match site.group(host) {
        Some(group) => Why::new(format!("Its data disk, {}", group.data_text()), group.volume_source()),
        None => Why::new("Its data disk", TOPOLOGY),
    }
}

fn tiflash(site: &Site<'_>, host: &Host<'_>) -> Map {
    Map::new()
        .with("host", host.name.as_str())
        .with_why("data_dir", format!("{DATA_DIR}/tiflash"), &on_disk(site, host))
        .with("learner_config", Map::new().with("server.labels", labels(site, host)))
}

#[cfg(test)]
#[expect(dead_code, reason = "fields of types into which the file must fit, read by serde alone")]
mod tests {
    use std::collections::BTreeMap;

    use serde::Deserialize;
    use serde_json::Value;

    use crate::FileFormat;
    use crate::testing::{deployment, file, of};

    /// The fields of pingcap/tiup pkg/cluster/spec that we use. TiUP refuses every other name too.
    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Topology {
        global: Global,
        server_configs: BTreeMap<Component, BTreeMap<String, Value>>,
        pd_servers: Vec<Server>,
        tidb_servers: Vec<Server>,
        tikv_servers: Vec<Server>,
        #[serde(default)]
        tiflash_servers: Vec<Server>,
    }

    #[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Component {
        Tikv,
        Pd,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Global {
        user: String,
        deploy_dir: String,
        data_dir: String,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Server {
        host: String,
        data_dir: Option<String>,
        #[serde(default)]
        config: BTreeMap<String, Value>,
        #[serde(default)]
        learner_config: BTreeMap<String, Value>,
    }

    #[test]
    fn the_topologies_of_two_examples() {
        for name in ["raft-dedicated.toml", "htap.toml"] {
            let text = file(name, FileFormat::Tiup).content;
            let _: Topology = serde_saphyr::from_str(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
            insta::assert_snapshot!(name, text);
        }
    }

    #[test]
    fn every_label_of_a_store_is_one_that_pd_knows_and_zones_differ() {
        let text = file("htap.toml", FileFormat::Tiup).content;
        let topology: Topology = serde_saphyr::from_str(&text).unwrap();
        let known = &topology.server_configs[&Component::Pd]["replication.location-labels"];
        let mut zones = std::collections::BTreeSet::new();
        for store in &topology.tikv_servers {
            let labels = store.config["server.labels"].as_object().unwrap();
            assert!(labels.keys().all(|label| known.as_array().unwrap().contains(&Value::from(label.as_str()))));
            zones.insert(labels["zone"].to_string());
        }
        assert_eq!(zones.len(), 3);
    }

    #[test]
    fn what_differs_between_groups_stands_with_their_hosts() {
        let mut deployment = deployment("raft-shared.toml");
        let mut other = deployment.nodes[0].clone();
        other.data = Some("gp3:1000GiB,6000iops,500MiB/s".parse().unwrap());
        deployment.nodes.push(other);
        let text = &of(&deployment, crate::TikvVersion::default(), &[FileFormat::Tiup]).files[0].content;
        let topology: Topology = serde_saphyr::from_str(text).unwrap();
        let key = "rocksdb.rate-bytes-per-sec";
        assert!(!topology.server_configs[&Component::Tikv].contains_key(key));
        let rates: Vec<&Value> = topology.tikv_servers.iter().map(|store| &store.config[key]).collect();
        assert_eq!(rates.len(), 6);
        assert_ne!(rates[0], rates[5]);
    }
}
