//! The files that are read: what each is, and what it says.

mod manifest;
mod my_cnf;
mod tiup;
mod tree;

use std::collections::BTreeMap;

use deployment::NodeRole;
use disk::Disk;
use textfile::{InputError, Text};
use workload::Engine;

pub(crate) use tree::SettingTree;

/// What a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceKind {
    /// TiUP's `topology.yaml`.
    Topology,
    /// Manifests of Kubernetes: TidbCluster, TiKVGroup and what belongs to them.
    Manifest,
    /// TiKV's settings.
    Tikv,
    /// PD's settings.
    Pd,
    /// MySQL's settings.
    MyCnf,
    /// A deployment of ours.
    Deployment,
}

/// Tables that only TiKV's file has, and tables or keys that only PD's has.
const OF_TIKV: [&str; 9] = [
    "rocksdb",
    "raftdb",
    "raftstore",
    "raft-engine",
    "storage",
    "readpool",
    "coprocessor",
    "pessimistic-txn",
    "server",
];
const OF_PD: [&str; 5] = ["replication", "schedule", "client-urls", "data-dir", "pd-server"];

/// What a file is, by what it holds; `None` where nothing tells.
pub fn recognise(text: &Text) -> Option<SourceKind> {
    let content = text.content();
    let line = |is: &dyn Fn(&str) -> bool| content.lines().any(|line| is(line.trim_end()));
    if line(&|line| {
        line.starts_with("kind:") && line.contains("Tidb") || line.starts_with("apiVersion: core.pingcap.com")
    }) {
        return Some(SourceKind::Manifest);
    }
    if line(&|line| matches!(line, "tikv_servers:" | "pd_servers:" | "tidb_servers:" | "server_configs:")) {
        return Some(SourceKind::Topology);
    }
    if line(&|line| matches!(line.trim(), "[mysqld]" | "[mariadb]" | "[server]" | "[mysqld_safe]"))
        && !line(&|line| line.starts_with("[rocksdb") || line.starts_with("[raftstore"))
        && line(&|line| {
            line.trim() != "[server]"
                && (line.contains("mysqld") || line.contains("mariadb") || line.contains("innodb"))
        })
    {
        return Some(SourceKind::MyCnf);
    }
    let table: toml::Table = content.parse().ok()?;
    let has = |keys: &[&str]| keys.iter().any(|key| table.contains_key(*key));
    if has(&["nodes"]) && has(&["engine"]) {
        Some(SourceKind::Deployment)
    } else if has(&OF_TIKV) {
        Some(SourceKind::Tikv)
    } else if has(&OF_PD) {
        Some(SourceKind::Pd)
    } else {
        None
    }
}

/// One program on one host.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SourceNode {
    pub(crate) role: NodeRole,
    pub(crate) host: String,
    pub(crate) port: Option<u64>,
    /// How many there are of it, where the file has one entry for several.
    pub(crate) count: u32,
    pub(crate) data_dir: Option<String>,
    pub(crate) instance: Option<String>,
    pub(crate) data: Option<Disk>,
    pub(crate) log: Option<Disk>,
    /// Its own settings and those that it shares, its own taking precedence.
    pub(crate) settings: SettingTree,
    /// The line of the file where it begins.
    pub(crate) place: String,
}

/// What a file says.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SourceFile {
    pub(crate) engine: Engine,
    pub(crate) name: String,
    /// The version of the cluster, as written.
    pub(crate) version: Option<String>,
    pub(crate) nodes: Vec<SourceNode>,
    /// Settings of PD, where they are for all of them.
    pub(crate) pd: SettingTree,
    /// Settings whose program is known without a node: of a file that holds nothing else.
    pub(crate) alone: SettingTree,
    /// Zones that the file names.
    pub(crate) zones: BTreeMap<String, u32>,
}

impl SourceFile {
    fn new(engine: Engine, text: &Text) -> Self {
        let stem = text.path().file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
        Self {
            engine,
            name: stem,
            version: None,
            nodes: Vec::new(),
            pd: SettingTree::default(),
            alone: SettingTree::default(),
            zones: BTreeMap::new(),
        }
    }
}

/// Reads a file.
pub(crate) fn read(text: &Text, kind: SourceKind) -> Result<SourceFile, InputError> {
    let mut file = match kind {
        SourceKind::Topology => tiup::read(text)?,
        SourceKind::Manifest => manifest::read(text)?,
        SourceKind::MyCnf => SourceFile { alone: my_cnf::read(text)?, ..SourceFile::new(Engine::InnoDb, text) },
        SourceKind::Tikv => SourceFile { alone: tree::of_toml(text)?, ..SourceFile::new(Engine::TiKv, text) },
        SourceKind::Pd => SourceFile { pd: tree::of_toml(text)?, ..SourceFile::new(Engine::TiKv, text) },
        SourceKind::Deployment => SourceFile::new(Engine::TiKv, text),
    };
    for node in &file.nodes {
        if let Some(zone) = node.settings.label("zone").filter(|_| node.role == NodeRole::Storage) {
            *file.zones.entry(zone).or_default() += node.count;
        }
    }
    Ok(file)
}
