//! The deployment: what runs where, on which disks.

use catalog::Date;
use disk::Disk;
use workload::Engine;

use crate::Settings;

/// What the nodes of a group do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Holds data: a TiKV store, a MySQL server.
    Storage,
    /// TiDB.
    Sql,
    /// Placement driver.
    Pd,
}

/// Equal nodes.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct NodeGroup {
    /// What they do.
    pub role: Role,
    /// How many.
    pub count: u32,
    /// Their instance type.
    pub instance: String,
    /// The data disk; storage nodes need one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<Disk>,
    /// A disk of its own for the raft or redo log; without it the log is on the data disk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log: Option<Disk>,
}

/// Everything needed to price, check, simulate, run or render a cluster.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Deployment {
    /// What it is, for people.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// The database.
    pub engine: Engine,
    /// The cloud region.
    pub region: String,
    /// The day whose limits and prices hold; today's if not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub as_of: Option<Date>,
    /// Zones over which the nodes are spread.
    pub zones: u32,
    /// The nodes.
    pub nodes: Vec<NodeGroup>,
    /// The engine's settings.
    #[serde(default)]
    pub settings: Settings,
}
