//! What is made, and what is wrong with it: a row of `incidents.toml`.

use std::collections::BTreeMap;

use catalog::Catalog;
use deployment::{Deployment, EngineSettings, NodeGroup, NodeRole};
use diagnose::{FindingKind, KnownFacts};
use disk::Disk;
use units::{Bytes, BytesPerSec};
use workload::Engine;

use super::kept::Telling;

/// What runs on the disks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum On {
    /// fio, on one file a disk.
    #[default]
    Fio,
    /// The reference store, one node.
    Store,
    /// A MariaDB, with inserts.
    Mariadb,
}

/// An incident.
#[derive(Debug, Clone, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Row {
    /// What it is called.
    pub(crate) name: String,
    /// What is wrong; the first verdict must be one of them, and all must be among the verdicts.
    pub(crate) truth: Vec<FindingKind>,
    #[serde(default)]
    pub(crate) on: On,
    pub(crate) data: Disk,
    pub(crate) log: Option<Disk>,
    /// What the data disk delivers of its limits.
    #[serde(default = "whole")]
    pub(crate) share: f64,
    #[serde(default = "instance")]
    pub(crate) instance: String,
    /// Burst credits of the data disk, of a full bucket.
    pub(crate) credits: Option<f64>,
    pub(crate) instance_credits: Option<f64>,
    /// What goes wrong with a disk: `data stall 10s`.
    pub(crate) fault: Option<String>,
    /// How long it is watched.
    #[serde(default = "seconds")]
    pub(crate) seconds: u64,
    #[serde(default)]
    pub(crate) fio: Vec<String>,
    #[serde(default)]
    pub(crate) rows: f64,
    #[serde(default = "row")]
    pub(crate) row: Bytes,
    #[serde(default)]
    pub(crate) reads: f64,
    /// Threads that drive: one that is busy all the time would hide that the processors are not.
    #[serde(default = "threads")]
    pub(crate) threads: u32,
    #[serde(default = "clients")]
    pub(crate) clients: u32,
    /// Of an open loop; a closed one without.
    pub(crate) rate: Option<f64>,
    pub(crate) rate_limit: Option<BytesPerSec>,
    pub(crate) block_size: Option<Bytes>,
    #[serde(default = "cache")]
    pub(crate) block_cache: Bytes,
    #[serde(default = "memory")]
    pub(crate) memory: Bytes,
    /// The block cache over the memory, where it is not to be that of this small machine.
    pub(crate) cache_of_memory: Option<f64>,
    /// TiKV's keys.
    #[serde(default)]
    pub(crate) keys: toml::Table,
    /// Threads of pools that the keys set.
    #[serde(default)]
    pub(crate) pools: BTreeMap<String, f64>,
}

fn whole() -> f64 {
    1.0
}

/// Its caps do not burst, and no disk here comes near them.
fn instance() -> String {
    "m5.4xlarge".to_owned()
}

fn seconds() -> u64 {
    25
}

fn row() -> Bytes {
    Bytes(400)
}

fn clients() -> u32 {
    16
}

fn threads() -> u32 {
    1
}

fn cache() -> Bytes {
    Bytes::mib(128)
}

fn memory() -> Bytes {
    Bytes::mib(400)
}

/// What CloudWatch calls the instance.
pub(crate) const INSTANCE_ID: &str = "i-1";

/// Threads of the store's pools on this machine's two processors, where they differ from those of the instance: TiKV's
/// `max(4, 0.8 vCPU)` and `clamp(vCPU, 1, 4)`.
const POOLS: [(&str, f64); 2] = [("unified_read_po", 4.0), ("sched_worker_pool", 2.0)];

#[derive(serde::Deserialize)]
struct Table {
    incident: Vec<Row>,
}

impl Row {
    /// All rows, in the table's order: of each pair the second is held out.
    pub(crate) fn all() -> Vec<Self> {
        let table: Table = toml::from_str(include_str!("incidents.toml")).expect("the table beside this file is right");
        table.incident
    }

    /// What was set up, whatever it is called and said to be: what was measured of another setup does not count.
    pub(crate) fn setup(&self) -> String {
        format!("{:?}", Self { truth: Vec::new(), ..self.clone() })
    }

    /// How the log's disk is called.
    pub(crate) fn log_name(&self) -> &'static str {
        if self.on == On::Mariadb { "redo" } else { "raft" }
    }

    /// What of it a source can know.
    pub(crate) fn visible(&self, telling: Telling) -> Vec<FindingKind> {
        // CloudWatch's series of disks and machines know of no engine and of no flush, and a disk has stalled when it has for a minute.
        let is_hidden = |kind: &FindingKind| match kind {
            FindingKind::DiskStalled => self.seconds < 60,
            FindingKind::FlushBound
            | FindingKind::RaftLogContention
            | FindingKind::CompactionDebt
            | FindingKind::CompactionUnthrottled
            | FindingKind::BlockCacheSmall
            | FindingKind::BlockCacheLarge
            | FindingKind::BlockSize
            | FindingKind::ThreadPool => true,
            _ => false,
        };
        self.truth.iter().copied().filter(|kind| telling != Telling::CloudWatch || !is_hidden(kind)).collect()
    }

    /// The deployment that is mounted.
    pub(crate) fn deployment(&self) -> Deployment {
        Deployment {
            name: self.name.clone(),
            engine: if self.on == On::Mariadb { Engine::InnoDb } else { Engine::TiKv },
            region: "us-west-2".to_owned(),
            as_of: None,
            zones: 1,
            nodes: vec![NodeGroup {
                role: NodeRole::Storage,
                count: 1,
                instance: self.instance.clone(),
                data: Some(self.data.clone()),
                log: self.log.clone(),
            }],
            settings: EngineSettings {
                replicas: Some(1),
                block_size: self.block_size,
                block_cache: Some(self.block_cache),
                rate_limit: self.rate_limit,
                ..EngineSettings::default()
            },
            asks: None,
        }
    }

    /// What `diagnose` is told beside the series: the deployment in full, and by how much it was made small.
    pub(crate) fn known(&self) -> KnownFacts {
        let view = Catalog::embedded().at(None);
        let mut deployment = self.deployment();
        // The part of the memory that the cache takes is what counts, not its size on a machine that is smaller.
        let part = self.cache_of_memory.unwrap_or(self.block_cache.as_f64() / self.memory.as_f64());
        let memory = view.instance(&self.instance).map_or(0.0, |instance| instance.memory.as_f64());
        deployment.settings.block_cache = (self.on != On::Fio).then_some(Bytes((part * memory) as u64));
        let mut known = KnownFacts::deployment(view, deployment);
        if self.share < 1.0 {
            known.scaled.insert("data".to_owned(), self.share);
        }
        if self.on == On::Store {
            known.pools = POOLS.iter().map(|(pool, threads)| ((*pool).to_owned(), *threads)).collect();
        }
        known.pools.extend(self.pools.clone());
        // As DescribeVolumes says; CloudWatch itself says it of Nitro's instances only.
        let volumes = ["data", self.log_name()].map(|disk| (format!("vol-{disk}"), INSTANCE_ID.to_owned()));
        known.attached.extend(volumes);
        known
    }
}
