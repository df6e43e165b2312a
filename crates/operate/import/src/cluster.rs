//! What was read, and what is missing of it.

use deployment::{Deployment, EngineSettings, NodeGroup, NodeRole};
use disk::Disk;
use serde::Serialize;
use workload::Engine;

use crate::{ImportFinding, ImportSeverity};

/// Something that no file says and a deployment needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ImportHole {
    /// The key of the deployment: `nodes.0.instance`.
    pub key: String,
    /// What it is, in a clause.
    pub what: String,
    /// The option that fills it: `--instance tikv=m5.2xlarge`.
    pub option: String,
}

/// Equal nodes, as far as they are known.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportedGroup {
    /// What they do.
    pub role: NodeRole,
    /// How many, as far as the files tell.
    pub count: Option<u32>,
    /// How many of them stand on one host, at most.
    pub per_host: u32,
    /// Their instance type.
    pub instance: Option<String>,
    /// The data disk.
    pub data: Option<Disk>,
    /// The log's own disk.
    pub log: Option<Disk>,
    /// Whether the files say that the log has a disk of its own.
    pub has_log: bool,
}

/// A cluster that exists, as far as the files tell.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportedCluster {
    /// Its name.
    pub name: String,
    /// The database.
    pub engine: Engine,
    /// The version, as the files or the options say.
    pub version: Option<String>,
    /// Its region, where it was said.
    pub region: Option<String>,
    /// The zones over which its stores are spread.
    pub zones: u32,
    /// Its nodes.
    pub groups: Vec<ImportedGroup>,
    /// The settings that a deployment has keys for.
    pub settings: EngineSettings,
    /// What is missing.
    pub holes: Vec<ImportHole>,
    /// What is wrong or worth knowing, the worst first.
    pub findings: Vec<ImportFinding>,
}

impl ImportedCluster {
    /// Whether something is wrong.
    pub fn is_wrong(&self) -> bool {
        self.findings.iter().any(|finding| finding.severity == ImportSeverity::Wrong)
    }

    /// The deployment; `None` while there are holes.
    pub fn deployment(&self) -> Option<Deployment> {
        let group = |group: &ImportedGroup| {
            Some(NodeGroup {
                role: group.role,
                count: group.count?,
                instance: group.instance.clone()?,
                data: group.data.clone(),
                log: group.log.clone(),
            })
        };
        if !self.holes.is_empty() {
            return None;
        }
        Some(Deployment {
            name: self.name.clone(),
            engine: self.engine,
            region: self.region.clone()?,
            as_of: None,
            zones: self.zones,
            nodes: self.groups.iter().map(group).collect::<Option<_>>()?,
            settings: self.settings,
            asks: None,
        })
    }

    /// The deployment as a file, with each hole as a comment in its place.
    pub fn to_toml(&self) -> String {
        if let Some(deployment) = self.deployment() {
            return deployment.to_toml();
        }
        let hole = |key: &str| self.holes.iter().find(|hole| hole.key == key);
        let mut text = String::new();
        let mut line = |key: &str, place: &str, value: Option<String>| match (value, hole(place)) {
            (Some(value), _) => text.push_str(&format!("{key} = {value}\n")),
            (None, Some(hole)) => text.push_str(&format!("# {key} = …  # {}: {}\n", hole.what, hole.option)),
            (None, None) => {}
        };
        line("name", "name", Some(quoted(&self.name)));
        line("engine", "engine", Some(quoted(self.engine.facts().key)));
        line("region", "region", self.region.as_deref().map(quoted));
        line("zones", "zones", Some(self.zones.to_string()));
        for (index, group) in self.groups.iter().enumerate() {
            let place = |key: &str| format!("nodes.{index}.{key}");
            line("\n[[nodes]]\nrole", "", Some(quoted(role_name(group.role))));
            line("count", &place("count"), group.count.map(|count| count.to_string()));
            line("instance", &place("instance"), group.instance.as_deref().map(quoted));
            line("data", &place("data"), group.data.as_ref().map(|disk| quoted(&disk.to_string())));
            line("log", &place("log"), group.log.as_ref().map(|disk| quoted(&disk.to_string())));
        }
        let settings = toml::to_string(&self.settings).unwrap_or_default();
        if !settings.trim().is_empty() {
            text.push_str("\n[settings]\n");
            text.push_str(&settings);
        }
        text
    }

    /// As a document of JSON.
    pub fn document(&self) -> serde_json::Value {
        let groups: Vec<serde_json::Value> = self
            .groups
            .iter()
            .map(|group| {
                serde_json::json!({
                    "role": group.role,
                    "count": group.count,
                    "per_host": group.per_host,
                    "instance": group.instance,
                    "data": group.data.as_ref().map(ToString::to_string),
                    "log": group.log.as_ref().map(ToString::to_string),
                })
            })
            .collect();
        serde_json::json!({
            "name": self.name,
            "engine": self.engine,
            "version": self.version,
            "region": self.region,
            "zones": self.zones,
            "nodes": groups,
            "settings": self.settings,
            "deployment": self.deployment(),
            "holes": self.holes,
            "findings": self.findings,
        })
    }
}

/// A text as TOML quotes it.
fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}

/// What a group is called on the command line and in a deployment.
pub(crate) fn role_name(role: NodeRole) -> &'static str {
    match role {
        NodeRole::Storage => "storage",
        NodeRole::Sql => "sql",
        NodeRole::Pd => "pd",
        NodeRole::Tiflash => "tiflash",
    }
}
