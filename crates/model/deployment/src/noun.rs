//! The deployment: what runs where, on which disks.

use std::path::Path;

use catalog::Date;
use disk::Disk;
use textfile::{InputError, Text};
use workload::Engine;

use crate::{EngineSettings, NodeDemand};

/// Role of a group of nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NodeRole {
    /// Holds data: a TiKV store, a MySQL server.
    Storage,
    /// TiDB.
    Sql,
    /// Placement driver.
    Pd,
    /// TiFlash: columnar copies for analytical queries.
    Tiflash,
}

/// Equal nodes.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct NodeGroup {
    /// Role of the nodes: TiKV or MySQL, TiDB, PD, TiFlash.
    pub role: NodeRole,
    /// Number of nodes.
    pub count: u32,
    /// Instance type.
    pub instance: String,
    /// Data disk; storage nodes need one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<Disk>,
    /// Dedicated disk of the raft or redo log; without it the log is on the data disk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log: Option<Disk>,
}

/// Everything needed to price, check, simulate, run or render a cluster.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Deployment {
    /// Name of the deployment in tables and reports.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Database engine.
    pub engine: Engine,
    /// Cloud region whose instances, disks and prices apply.
    pub region: String,
    /// Day whose limits and prices apply. A month, `2020-11`, is its last day.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "catalog::deserialize_day")]
    pub as_of: Option<Date>,
    /// Zones over which the nodes are spread.
    pub zones: u32,
    /// Groups of equal nodes.
    pub nodes: Vec<NodeGroup>,
    /// Settings of the engine.
    #[serde(default, skip_serializing_if = "EngineSettings::is_default")]
    pub settings: EngineSettings,
    /// Load of each storage node, for `check` without a workload.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asks: Option<NodeDemand>,
}

impl Deployment {
    /// Reads a file; `-` is the standard input.
    ///
    /// # Errors
    /// When it cannot be read, or is not a deployment; with file, line and column.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, InputError> {
        textfile::from_toml(&textfile::read_text(path, textfile::LIMIT)?)
    }

    /// Reads a text already at hand.
    ///
    /// # Errors
    /// When it is not a deployment; with file, line and column.
    pub fn from_text(text: &Text) -> Result<Self, InputError> {
        textfile::from_toml(text)
    }

    /// The deployment as a file that reads back as the same deployment, keys always in the same order.
    pub fn to_toml(&self) -> String {
        toml::to_string_pretty(self).expect("tables of texts and numbers are always TOML")
    }

    /// The groups of nodes that hold data, with their place among `nodes`.
    pub fn storage(&self) -> impl Iterator<Item = (usize, &NodeGroup)> {
        self.nodes.iter().enumerate().filter(|(_, group)| group.role == NodeRole::Storage)
    }

    /// The groups of nodes that speak SQL to clients. Where there are none, a layer that never is full stands in for them.
    pub fn sql(&self) -> impl Iterator<Item = &NodeGroup> {
        self.nodes.iter().filter(|group| group.role == NodeRole::Sql)
    }

    /// How many nodes hold data.
    pub fn storage_nodes(&self) -> u32 {
        self.storage().fold(0, |nodes, (_, group)| nodes.saturating_add(group.count))
    }

    /// Copies kept of each range: as set, else the engine's default.
    pub fn replicas(&self) -> u32 {
        self.settings.replicas.unwrap_or(self.engine.facts().default_replicas)
    }
}

impl NodeGroup {
    /// Its disks with the key they are written under.
    pub fn disks(&self) -> impl Iterator<Item = (&'static str, &Disk)> {
        [("data", self.data.as_ref()), ("log", self.log.as_ref())]
            .into_iter()
            .filter_map(|(key, disk)| disk.map(|disk| (key, disk)))
    }
}

#[cfg(test)]
#[path = "noun_tests.rs"]
mod tests;
