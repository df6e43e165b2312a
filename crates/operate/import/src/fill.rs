//! Files and options become one cluster.

use std::collections::{BTreeMap, BTreeSet};

use catalog::CatalogView;
use deployment::NodeRole;
use disk::Disk;
use render::TikvVersion;
use textfile::{InputError, Text};
use workload::Engine;

use crate::cluster::role_name;
use crate::lint::{self, LintFacts};
use crate::settings;
use crate::source::{self, SettingTree, SourceFile, SourceKind, SourceNode, recognise};
use crate::{ImportError, ImportHole, ImportedCluster, ImportedGroup};

/// What no file says.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ImportOptions {
    /// The region.
    pub region: Option<String>,
    /// Zones of the stores, where no label tells.
    pub zones: Option<u32>,
    /// The version of TiKV, where no file tells.
    pub version: Option<String>,
    /// How many stores there are, where no file tells.
    pub stores: Option<u32>,
    /// Instance types by role or program (`storage`, `tikv`, `sql`, `pd`); `*` is all others'.
    pub instances: BTreeMap<String, String>,
    /// Disks by what is on them: `data`, `log`, `tiflash`; `*` is `data`.
    pub disks: BTreeMap<String, Disk>,
}

/// Other names of roles, as people call their programs.
const PROGRAMS: [(&str, NodeRole); 6] = [
    ("tikv", NodeRole::Storage),
    ("mysql", NodeRole::Storage),
    ("tidb", NodeRole::Sql),
    ("pd", NodeRole::Pd),
    ("tiflash", NodeRole::Tiflash),
    ("mariadb", NodeRole::Storage),
];

impl ImportOptions {
    fn instance(&self, role: NodeRole) -> Option<String> {
        let is = |name: &str| {
            name == role_name(role) || PROGRAMS.iter().any(|(program, of)| *program == name && *of == role)
        };
        let own = self.instances.iter().find(|(name, _)| is(name)).map(|(_, kind)| kind);
        own.or_else(|| self.instances.get("*")).cloned()
    }

    fn disk(&self, role: NodeRole, what: &str) -> Option<Disk> {
        let own = match (role, what) {
            (NodeRole::Tiflash, "data") => self.disks.get("tiflash"),
            (NodeRole::Storage, what) => self.disks.get(what),
            _ => None,
        };
        own.or_else(|| self.disks.get("*").filter(|_| what == "data")).cloned()
    }

    fn check(&self, view: &CatalogView) -> Result<(), ImportError> {
        let known: Vec<&str> =
            PROGRAMS.iter().map(|(name, _)| *name).chain(["storage", "sql", "pd", "tiflash", "*"]).collect();
        for (name, kind) in &self.instances {
            if !known.contains(&name.as_str()) {
                let message = format!(
                    "--instance {name}={kind}: no program is called `{name}`; {}",
                    textfile::did_you_mean(name, &known)
                );
                return Err(ImportError::Option(message));
            }
            view.instance(kind).map_err(|error| ImportError::Option(error.to_string()))?;
        }
        if let Some(name) = self.disks.keys().find(|name| !["data", "log", "tiflash", "*"].contains(&name.as_str())) {
            return Err(ImportError::Option(format!("--disk {name}=…: expected data, log or tiflash")));
        }
        if let Some(region) = &self.region {
            view.region(region).map_err(|error| ImportError::Option(error.to_string()))?;
        }
        Ok(())
    }
}

/// Reads the files of one cluster: a topology or manifests, beside settings that hold for all of its nodes.
///
/// # Errors
/// When a file is none that is known or cannot be read, files are of two databases, or an option names what does not exist.
pub fn import(files: &[Text], options: &ImportOptions, view: &CatalogView) -> Result<ImportedCluster, ImportError> {
    options.check(view)?;
    let mut read = Vec::new();
    for text in files {
        let kind = recognise(text).ok_or_else(|| unknown(text))?;
        if kind == SourceKind::Deployment {
            let help = "it is what import makes: check it with `diskwright check`";
            return Err(InputError::new(text.path(), "is a deployment already").help(help).into());
        }
        read.push(source::read(text, kind)?);
    }
    let merged = merged(read, files)?;
    let version = options.version.clone().or_else(|| merged.version.clone());
    let known = version.as_deref().map(|version| version.trim_start_matches('v').parse::<TikvVersion>());
    let known = match (known, &options.version) {
        (Some(Err(error)), Some(_)) => return Err(ImportError::Option(format!("--tikv: {error}"))),
        (Some(Ok(version)), _) => Some(version),
        _ => None,
    };
    let (mut holes, mut groups) = (Vec::new(), Vec::new());
    for role in [NodeRole::Storage, NodeRole::Sql, NodeRole::Pd, NodeRole::Tiflash] {
        let nodes: Vec<&SourceNode> = merged.nodes.iter().filter(|node| node.role == role).collect();
        if !nodes.is_empty() || role == NodeRole::Storage {
            groups.extend(grouped(&nodes, role, options));
        }
    }
    let zones = u32::try_from(merged.zones.len()).ok().filter(|zones| *zones > 0).or(options.zones);
    let mut hole = |key: String, what: &str, option: String| {
        holes.push(ImportHole { key, what: what.to_owned(), option });
    };
    if options.region.is_none() {
        hole("region".to_owned(), "the cloud's region", "--region us-west-2".to_owned());
    }
    for (index, group) in groups.iter().enumerate() {
        let name = program(group.role, merged.engine);
        let place = |key: &str| format!("nodes.{index}.{key}");
        if group.count.is_none() {
            hole(place("count"), "how many there are", "--stores 3".to_owned());
        }
        if group.instance.is_none() {
            hole(place("instance"), "the instance type", format!("--instance {name}=m5.2xlarge"));
        }
        let has_disk = matches!(group.role, NodeRole::Storage | NodeRole::Tiflash);
        if has_disk && group.data.is_none() {
            let on = if group.role == NodeRole::Tiflash { "tiflash" } else { "data" };
            hole(place("data"), "the data volume", format!("--disk {on}=gp3:1000GiB"));
        }
        if group.has_log && group.log.is_none() {
            hole(place("log"), "the log's own volume", "--disk log=gp3:20GiB".to_owned());
        }
    }
    let store = merged.nodes.iter().find(|node| node.role == NodeRole::Storage);
    let own = store.map_or_else(
        || merged.alone.clone(),
        |node| {
            let mut own = merged.alone.clone();
            own.extend(&node.settings);
            own
        },
    );
    let first = groups.iter().find(|group| group.role == NodeRole::Storage);
    let instance = first.and_then(|group| view.instance(group.instance.as_deref()?).ok());
    let limits = first.and_then(|group| group.data.as_ref()?.limits(view, instance).ok());
    let most = limits.as_ref().map(|limits| limits.throughput);
    let facts = LintFacts {
        view,
        version: known,
        limits: limits.as_ref(),
        disk: first.and_then(|group| group.data.as_ref()),
        instance,
    };
    let findings = lint::findings(&merged, &groups, &facts);
    Ok(ImportedCluster {
        name: merged.name.clone(),
        engine: merged.engine,
        version,
        region: options.region.clone(),
        zones: zones.unwrap_or(1),
        settings: settings::of_engine(merged.engine, &own, &merged.pd, most.or(lint::most_of_any(view))),
        groups,
        holes,
        findings,
    })
}

fn unknown(text: &Text) -> InputError {
    InputError::new(text.path(), "is nothing that can be imported")
        .help("expected a TiUP topology, manifests of TiDB Operator, tikv.toml, pd.toml or my.cnf")
}

fn program(role: NodeRole, engine: Engine) -> &'static str {
    match role {
        NodeRole::Storage if !engine.facts().is_tidb_cluster => "mysql",
        NodeRole::Storage => "tikv",
        NodeRole::Sql => "tidb",
        NodeRole::Pd => "pd",
        NodeRole::Tiflash => "tiflash",
    }
}

/// One file of several: nodes of all of them, settings that hold for all nodes.
fn merged(files: Vec<SourceFile>, texts: &[Text]) -> Result<SourceFile, InputError> {
    let mut files = files.into_iter();
    let Some(mut all) = files.next() else {
        return Err(InputError::new("-", "no file is named"));
    };
    for (file, text) in files.zip(texts.iter().skip(1)) {
        if file.engine != all.engine {
            return Err(InputError::new(text.path(), "is of another database than the file before it")
                .help("import one cluster at a time"));
        }
        if all.nodes.is_empty() {
            all.name = file.name;
        }
        all.version = all.version.or(file.version);
        all.nodes.extend(file.nodes);
        all.pd.extend(&file.pd);
        all.alone.extend(&file.alone);
        for (zone, count) in file.zones {
            *all.zones.entry(zone).or_default() += count;
        }
    }
    Ok(all)
}

/// Nodes of a role by what they are made of.
fn grouped(nodes: &[&SourceNode], role: NodeRole, options: &ImportOptions) -> Vec<ImportedGroup> {
    let mut by_host: BTreeMap<&str, u32> = BTreeMap::new();
    for node in nodes.iter().filter(|node| !node.host.is_empty()) {
        *by_host.entry(&node.host).or_default() += node.count;
    }
    let per_host = by_host.values().copied().max().unwrap_or(1);
    let with_disk = matches!(role, NodeRole::Storage | NodeRole::Tiflash);
    let mut groups: Vec<ImportedGroup> = Vec::new();
    for node in nodes {
        let has_log =
            node.log.is_some() || role == NodeRole::Storage && has_own_log(&node.settings, node.data_dir.as_deref());
        let log = if has_log || options.disks.contains_key("log") && role == NodeRole::Storage {
            node.log.clone().or_else(|| options.disk(role, "log"))
        } else {
            None
        };
        let group = ImportedGroup {
            role,
            count: Some(node.count),
            per_host,
            instance: node.instance.clone().or_else(|| options.instance(role)),
            data: if with_disk { node.data.clone().or_else(|| options.disk(role, "data")) } else { None },
            log,
            has_log,
        };
        let alike = |one: &&mut ImportedGroup| {
            ImportedGroup { count: None, ..(**one).clone() } == ImportedGroup { count: None, ..group.clone() }
        };
        match groups.iter_mut().find(alike) {
            Some(same) => same.count = same.count.zip(group.count).map(|(a, b)| a.saturating_add(b)),
            None => groups.push(group),
        }
    }
    if groups.is_empty() {
        groups.push(ImportedGroup {
            role,
            count: options.stores,
            per_host: 1,
            instance: options.instance(role),
            data: options.disk(role, "data"),
            log: options.disk(role, "log"),
            has_log: false,
        });
    }
    groups
}

/// Whether the raft log was put elsewhere than into the data folder.
fn has_own_log(settings: &SettingTree, data_dir: Option<&str>) -> bool {
    let dirs: BTreeSet<&str> =
        ["raft-engine.dir", "raftstore.raftdb-path"].into_iter().filter_map(|key| settings.get(key)).collect();
    dirs.into_iter().any(|dir| dir.starts_with('/') && data_dir.is_none_or(|data| !dir.starts_with(data)))
}
