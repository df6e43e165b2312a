//! How much smaller than its plan a deployment is run: pure arithmetic that keeps ratios.

use deployment::{Deployment, EngineSettings};
use toml::Table;
use units::{Bytes, Nanos};

use crate::prove::constants::constant;
use crate::{ReferenceStoreError, UnprovablePlan};

/// What a plan is made of, at full size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FullSizePlan {
    /// Storage nodes.
    pub nodes: u32,
    /// Copies of each range.
    pub replicas: u32,
    /// Operations a second of the whole cluster.
    pub rate: f64,
    /// Rows, one copy.
    pub rows: f64,
    /// Rows and their index entries, one copy, uncompressed, in bytes.
    pub data: f64,
    /// Bytes that an operation writes, one copy.
    pub written: f64,
    /// Index entries of each row.
    pub indexes: f64,
    /// Memory of each node.
    pub memory: Bytes,
    /// Block cache of each node, if set.
    pub block_cache: Option<Bytes>,
}

/// What this machine may be given.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MachineBudget {
    /// Hardware threads.
    pub processors: f64,
}

/// What an operation costs here, of all nodes and the client.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct OperationCost {
    /// Rows read by key.
    pub gets: f64,
    /// Range scans.
    pub scans: f64,
    /// Rows of all scans.
    pub scanned: f64,
    /// Rows and index entries written.
    pub puts: f64,
    /// I/Os of all disks.
    pub ios: f64,
}

/// How much smaller than its plan a deployment is run. What is kept: load to limits, data to memory, levels to data.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct PlanScaling {
    /// Nodes that are planned.
    pub planned_nodes: u32,
    /// Nodes that are run.
    pub nodes: u32,
    /// Share of the planned operations a second of each node, over 0 and up to 1.
    pub load: f64,
    /// Share of the planned data, caches and log space of each node, over 0 and up to 1.
    pub data: f64,
    /// Share of TiKV's sizes of memtables and levels; that of the data, or as small as they may be.
    pub tree: f64,
    /// Operations a second that are offered to the cluster.
    pub rate: f64,
    /// Rows that are loaded.
    pub rows: u64,
    /// Block cache of each node.
    pub block_cache: Bytes,
    /// Memory of each node, page cache and the process itself included.
    pub memory: Bytes,
}

/// Fewer nodes than this are no cluster.
const NODES: u32 = 3;

impl OperationCost {
    /// Core-seconds.
    pub fn cpu(&self) -> f64 {
        self.gets * constant("cpu_get")
            + self.scans * constant("cpu_scan")
            + self.scanned * constant("cpu_scan_row")
            + self.puts * constant("cpu_put")
            + self.ios * constant("cpu_io")
    }
}

impl FullSizePlan {
    /// The share of TiKV's memtable that fills within seconds: a run is to show flushes and compactions. No less than
    /// memtables may be.
    fn flushing(&self, nodes: u32, rate: f64) -> f64 {
        let filling = rate * self.written * f64::from(self.replicas) / f64::from(nodes);
        if filling <= 0.0 {
            return 1.0;
        }
        let share = filling * constant("flush_every") / constant("memtable");
        share.max(constant("least_memtable") / constant("memtable")).min(1.0)
    }
}

impl PlanScaling {
    /// The largest that the machine carries in a reasonable time. Nodes beyond three, or beyond the replicas, are left out
    /// with their data and their load.
    pub fn new(full: &FullSizePlan, work: &OperationCost, machine: &MachineBudget) -> Self {
        let nodes = full.nodes.min(NODES.max(full.replicas));
        let part = f64::from(nodes) / f64::from(full.nodes.max(1));
        let carried = machine.processors * constant("processors_used") / work.cpu().max(f64::MIN_POSITIVE);
        let load = round((carried / (full.rate * part)).min(1.0));
        let entries = full.rows * (1.0 + full.indexes) * part;
        let data = (constant("data") / (full.data * part)).min(constant("rows") / entries);
        let data = data.min(full.flushing(nodes, full.rate * part * load));
        let data = round(data.max(constant("least_rows") / (full.rows * part)).min(1.0));
        let caches = Caches::of(full);
        Self {
            planned_nodes: full.nodes,
            nodes,
            load,
            data,
            tree: data.max(constant("least_memtable") / constant("memtable")),
            rate: full.rate * part * load,
            rows: (full.rows * part * data).round() as u64,
            block_cache: Bytes((caches.block * data) as u64),
            memory: Bytes(((caches.block + caches.page) * data + constant("process")) as u64),
        }
    }

    /// The share of the planned nodes that is run.
    pub fn part(&self) -> f64 {
        f64::from(self.nodes) / f64::from(self.planned_nodes.max(1))
    }

    /// The deployment that is run: as planned, but for what this scales. Limits of disks are scaled when it runs.
    ///
    /// # Errors
    /// When it has no storage nodes, or different ones.
    pub fn deployment(&self, planned: &Deployment) -> Result<Deployment, ReferenceStoreError> {
        let mut groups = planned.storage().map(|(_, group)| group.clone());
        let (Some(mut group), None) = (groups.next(), groups.next()) else {
            return Err(UnprovablePlan::UnequalNodes.into());
        };
        group.count = self.nodes;
        for cache in [&mut group.data, &mut group.log].into_iter().flatten().filter_map(|disk| disk.cache.as_mut()) {
            cache.size = cache.size * self.data;
        }
        let settings = EngineSettings {
            block_cache: Some(self.block_cache),
            rate_limit: planned.settings.rate_limit.map(|rate| units::BytesPerSec(rate.0 * self.load)),
            // The client stands in one zone: all its reads would go to one node.
            follower_read: None,
            // Said outright: the store and the model have different defaults.
            zone_round_trip: planned.settings.zone_round_trip.or(Some(Nanos::millis(1))),
            ..planned.settings
        };
        let zones = planned.zones.min(self.nodes);
        Ok(Deployment { nodes: vec![group], settings, zones, asks: None, ..planned.clone() })
    }

    /// The sizes of a memtable, of the first level, of a file and of the raft log, by what the simulation calls them.
    fn sizes(&self) -> [(&'static str, Bytes); 4] {
        let tree = |name: &str| Bytes((constant(name) * self.tree) as u64);
        let file = (Bytes::mib(8) * self.tree).max(Bytes(constant("least_file") as u64));
        let log = Bytes((constant("log_space") * self.data).max(constant("least_log")) as u64);
        [("memtable", tree("memtable")), ("level_base", tree("level_base")), ("file_size", file), ("log_space", log)]
    }

    /// What the simulation reckons with, with these sizes.
    pub(crate) fn constants(&self, base: &simulate::Constants) -> simulate::Constants {
        self.sizes().into_iter().fold(*base, |constants, (name, size)| {
            constants.with(name, size.as_f64()).expect("the simulation has a constant for each size of a tree")
        })
    }

    /// TiKV's keys that make its tree and its log as much smaller as the data.
    pub fn keys(&self) -> Table {
        let [memtable, level_base, file, log] = self.sizes().map(|(_, size)| size);
        let text = |size: Bytes| toml::Value::String(size.binary().to_string());
        let table = |pairs: Vec<(&str, toml::Value)>| {
            toml::Value::Table(pairs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
        };
        let family = table(vec![
            ("write-buffer-size", text(memtable)),
            ("max-bytes-for-level-base", text(level_base)),
            ("target-file-size-base", text(file)),
        ]);
        let log = table(vec![
            ("purge-threshold", text(log)),
            ("target-file-size", text(Bytes(log.0 / 8).min(Bytes::mib(128)))),
        ]);
        Table::from_iter([("rocksdb".to_owned(), table(vec![("defaultcf", family)])), ("raft-engine".to_owned(), log)])
    }
}

/// What of a node's memory holds blocks, in bytes, as the engine's model has it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Caches {
    pub(crate) block: f64,
    pub(crate) page: f64,
}

impl Caches {
    pub(crate) fn of(full: &FullSizePlan) -> Self {
        let memory = full.memory.as_f64();
        let block = full.block_cache.map_or(memory * constant("block_cache_share"), Bytes::as_f64).min(memory);
        let page = memory * (1.0 - constant("resident_share")) - constant("resident_base") - block;
        Self { block, page: page.max(0.0) }
    }
}

/// Down to two digits, which people can read and reckon with; 1 stays.
fn round(share: f64) -> f64 {
    if share >= 1.0 || share <= 0.0 {
        return share;
    }
    let digit = 10f64.powf(share.log10().floor() - 1.0);
    // A share that has two digits already must not lose one to the division.
    (share / digit + 1e-9).floor() * digit
}

#[cfg(test)]
#[path = "scaling_tests.rs"]
mod tests;
