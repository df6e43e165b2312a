//! What is wrong with what was read: keys that a version lacks, values that a key does not take, settings that contradict the disk,
//! and nodes that share what they should not.

use std::collections::BTreeMap;

use catalog::{CatalogView, Cloud, InstanceType, ThroughputRule};
use deployment::NodeRole;
use disk::{Disk, DiskLimits};
use render::{SettingError, SettingsTable, TikvVersion};
use units::BytesPerSec;

use crate::settings::size;
use crate::source::{SettingTree, SourceFile, SourceNode};
use crate::{ImportFinding, ImportSeverity, ImportedGroup};

/// What settings are held against.
pub(crate) struct LintFacts<'a> {
    pub(crate) view: &'a CatalogView,
    /// The version, where it is known.
    pub(crate) version: Option<TikvVersion>,
    /// The limits of the data disk, where it is known.
    pub(crate) limits: Option<&'a DiskLimits>,
    pub(crate) disk: Option<&'a Disk>,
    pub(crate) instance: Option<&'a InstanceType>,
}

/// The throughput of the fastest volume that the catalogue has: what no disk of one volume delivers more than.
pub(crate) fn most_of_any(view: &CatalogView) -> Option<BytesPerSec> {
    let most = |rule: &ThroughputRule| match rule {
        ThroughputRule::Provisioned { max, .. } => Some(max.0),
        ThroughputRule::ByIops(bands) => bands.iter().map(|band| band.max.0).reduce(f64::max),
        ThroughputRule::BySize(bands) => bands.iter().map(|band| band.max.0.max(band.burst.0)).reduce(f64::max),
        ThroughputRule::ByInstance => None,
    };
    let clouds = [Cloud::Aws, Cloud::Gcp, Cloud::Azure];
    let all = clouds.into_iter().flat_map(|cloud| view.volumes(cloud)).filter_map(|volume| most(&volume.throughput));
    all.reduce(f64::max).map(BytesPerSec)
}

/// All findings, the worst first.
pub(crate) fn findings(file: &SourceFile, groups: &[ImportedGroup], facts: &LintFacts<'_>) -> Vec<ImportFinding> {
    let mut found = Vec::new();
    let is_tikv = file.engine.facts().is_tidb_cluster;
    for tree in trees(file) {
        keys(tree, if is_tikv { SettingsTable::tikv() } else { SettingsTable::mysql() }, facts, &mut found);
        if is_tikv {
            rate_limit(tree, facts, &mut found)
        } else {
            flushing(tree, facts, &mut found)
        };
    }
    keys(&file.pd, SettingsTable::pd(), facts, &mut found);
    hosts(file, &mut found);
    copies(file, groups, &mut found);
    // What nodes share is said of each: once is enough.
    let mut seen = std::collections::BTreeSet::new();
    found.retain(|one: &ImportFinding| seen.insert((one.place.clone(), one.key.clone(), one.text.clone())));
    found.sort_by(|a, b| (a.severity, &a.place, &a.key).cmp(&(b.severity, &b.place, &b.key)));
    found
}

/// The settings of stores, each tree once.
fn trees(file: &SourceFile) -> Vec<&SettingTree> {
    let of_stores = file.nodes.iter().filter(|node| node.role == NodeRole::Storage).map(|node| &node.settings);
    of_stores.chain([&file.alone]).filter(|tree| !tree.values.is_empty()).collect()
}

fn finding(severity: ImportSeverity, tree: &SettingTree, key: &str, text: impl Into<String>) -> ImportFinding {
    ImportFinding { severity, place: tree.place(key).to_owned(), key: key.to_owned(), text: text.into() }
}

/// Keys that are none, that a version lacks, or that do not take the value; and their traps.
fn keys(tree: &SettingTree, table: &SettingsTable, facts: &LintFacts<'_>, found: &mut Vec<ImportFinding>) {
    let version = facts.version.unwrap_or(TikvVersion::V8_5);
    let vcpu = facts.instance.map_or(u32::MAX, |instance| instance.vcpu);
    let mut unread = Vec::new();
    for (key, (value, _)) in &tree.values {
        // Labels have names of their own.
        if key.starts_with("server.labels") {
            continue;
        }
        match table.key(version, key) {
            Err(SettingError::Unknown { hint, .. }) => {
                match textfile::suggest(key, table.keys().map(|key| key.name.as_str())) {
                    Some(_) => found.push(finding(
                        ImportSeverity::Wrong,
                        tree,
                        key,
                        format!("{} has no such setting; {hint}", table.program),
                    )),
                    None => unread.push(key.as_str()),
                }
            }
            Err(error) => found.push(finding(ImportSeverity::Wrong, tree, key, error.to_string())),
            Ok(known) => {
                let read = size(value)
                    .map(|size| size.0.to_string() + "B")
                    .filter(|_| known.kind == render::SettingKind::Size);
                let percent = value.ends_with('%') || value.is_empty() || value == "auto";
                match known.kind.read(read.as_deref().unwrap_or(value)) {
                    _ if percent => {}
                    Err(error) => found.push(finding(ImportSeverity::Wrong, tree, key, error)),
                    Ok(value) => {
                        if let Err(error) = table.admit(version, vcpu, key, &value) {
                            found.push(finding(ImportSeverity::Wrong, tree, key, error.to_string()));
                        }
                    }
                }
                if let Some(trap) = known.trap(version) {
                    found.push(finding(ImportSeverity::Mind, tree, key, trap));
                }
            }
        }
    }
    if let [first, rest @ ..] = unread.as_slice() {
        let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
        let text = format!("{}'s table of settings has no row of it{more}", table.program);
        found.push(finding(ImportSeverity::Unread, tree, first, text));
    }
}

/// A rate limit that no disk reaches limits nothing.
fn rate_limit(tree: &SettingTree, facts: &LintFacts<'_>, found: &mut Vec<ImportFinding>) {
    const KEY: &str = "rocksdb.rate-bytes-per-sec";
    let Some(limit) = tree.get(KEY).and_then(size).filter(|limit| limit.0 > 0) else { return };
    let given = tree.get(KEY).unwrap_or_default();
    let text = match (facts.limits, facts.disk) {
        (Some(limits), Some(disk)) if limit.as_f64() > limits.throughput.0 => format!(
            "a limit of {given} a second is {:.0} times the {:.1} that {disk} delivers: flushes and compactions can take all of it. \
             Set about 80 % of the disk's, {:.0}MiB",
            limit.as_f64() / limits.throughput.0,
            limits.throughput,
            limits.throughput.0 * 0.8 / 1_048_576.0
        ),
        (None, _) => match most_of_any(facts.view).filter(|most| limit.as_f64() > most.0) {
            Some(most) => format!(
                "a limit of {given} a second is more than any cloud volume delivers, {most:.1} at most: it limits nothing. Say the disk \
                 with --disk data=…, and set about 80 % of what it delivers"
            ),
            None => return,
        },
        _ => return,
    };
    found.push(finding(ImportSeverity::Wrong, tree, KEY, text));
}

/// What InnoDB is told of its disk, beside what the disk delivers.
fn flushing(tree: &SettingTree, facts: &LintFacts<'_>, found: &mut Vec<ImportFinding>) {
    for key in ["innodb_io_capacity", "innodb_io_capacity_max"] {
        let (Some(asked), Some(limits), Some(disk)) =
            (tree.get(key).and_then(|text| text.parse::<f64>().ok()), facts.limits, facts.disk)
        else {
            continue;
        };
        if asked > limits.iops.0 {
            let text = format!("InnoDB is told {asked:.0} I/Os a second, and {disk} delivers {:.0}", limits.iops.0);
            found.push(finding(ImportSeverity::Wrong, tree, key, text));
        }
    }
    let memory = facts.instance.map(|instance| instance.memory);
    if let (Some(pool), Some(memory)) = (tree.get("innodb_buffer_pool_size").and_then(size), memory)
        && pool > memory
    {
        let text = format!("the buffer pool is larger than the {memory} of memory");
        found.push(finding(ImportSeverity::Wrong, tree, "innodb_buffer_pool_size", text));
    }
}

/// Stores that share a host.
fn hosts(file: &SourceFile, found: &mut Vec<ImportFinding>) {
    let mut by_host: BTreeMap<&str, Vec<&SourceNode>> = BTreeMap::new();
    for node in file.nodes.iter().filter(|node| node.role == NodeRole::Storage && !node.host.is_empty()) {
        by_host.entry(&node.host).or_default().push(node);
    }
    for (host, nodes) in by_host.into_iter().filter(|(_, nodes)| nodes.len() > 1) {
        let about = |severity, node: &SourceNode, key: &str, text: String| ImportFinding {
            severity,
            place: node.place.clone(),
            key: key.to_owned(),
            text,
        };
        let names: Vec<String> =
            nodes.iter().map(|node| node.port.map_or_else(|| "20160".to_owned(), |port| port.to_string())).collect();
        let text = format!(
            "{host} runs {} stores (ports {}): they share its processors, memory and link to its volumes, and fail together",
            nodes.len(),
            names.join(", ")
        );
        found.push(about(ImportSeverity::Mind, nodes[0], "host", text));
        for (index, node) in nodes.iter().enumerate() {
            if nodes[..index].iter().any(|other| other.port.unwrap_or(20_160) == node.port.unwrap_or(20_160)) {
                let text = format!("two stores on {host} listen on the same port");
                found.push(about(ImportSeverity::Wrong, node, "port", text));
            }
            if node.settings.get("storage.block-cache.capacity").is_none() {
                let text = format!(
                    "no block cache is set: each of the {} stores on {host} takes 45 % of the memory of the host for it",
                    nodes.len()
                );
                found.push(about(ImportSeverity::Wrong, node, "storage.block-cache.capacity", text));
            }
            if node.settings.label("host").is_none() {
                let text = format!("no label names the host: PD may put two copies of a range on {host}");
                found.push(about(ImportSeverity::Wrong, node, "server.labels", text));
            }
        }
    }
}

/// Copies and the members that vote on them.
fn copies(file: &SourceFile, groups: &[ImportedGroup], found: &mut Vec<ImportFinding>) {
    let stores: u32 = file.nodes.iter().filter(|node| node.role == NodeRole::Storage).map(|node| node.count).sum();
    let asked = file.pd.get("replication.max-replicas").and_then(|text| text.parse::<u32>().ok());
    let about = |key: &str, place: &str, severity, text: String| ImportFinding {
        severity,
        place: place.to_owned(),
        key: key.to_owned(),
        text,
    };
    let first = |role| file.nodes.iter().find(|node| node.role == role);
    if let (true, Some(store)) = (file.engine.facts().is_tidb_cluster, first(NodeRole::Storage)) {
        let replicas = asked.unwrap_or(file.engine.facts().default_replicas);
        if stores < replicas {
            let text = format!("{stores} stores hold no {replicas} copies of a range");
            found.push(about("replication.max-replicas", &store.place, ImportSeverity::Wrong, text));
        }
        let unlabelled =
            file.nodes.iter().filter(|node| node.role == NodeRole::Storage && node.settings.label("zone").is_none());
        if let (false, Some(node)) = (file.zones.is_empty(), unlabelled.into_iter().next()) {
            let text =
                "this store has no zone, and others have: PD spreads copies by a label that all stores have".to_owned();
            found.push(about("server.labels", &node.place, ImportSeverity::Wrong, text));
        }
    }
    let members = groups.iter().find(|group| group.role == NodeRole::Pd).and_then(|group| group.count);
    if let (Some(members), Some(pd)) = (members.filter(|members| members % 2 == 0), first(NodeRole::Pd)) {
        let text = format!("{members} PDs survive the loss of no more than {} would", members - 1);
        found.push(about("pd_servers", &pd.place, ImportSeverity::Mind, text));
    }
}
