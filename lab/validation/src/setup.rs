//! A row of the grid as both sides take it: a workload, a deployment, and how both were made to fit one machine.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use bench::{ArrivalSpacing, LoopKind, RunLimits, RunPlan};
use catalog::{Catalog, CatalogView};
use deployment::{Deployment, EngineSettings, NodeGroup, NodeRole};
use disk::Disk;
use reference_store::{LaunchedStore, REQUEST_TIMEOUT, StoreSettings, StoreSpec};
use simulate::{Constants, SharedMachine};
use textfile::Text;
use toml::{Table, Value};
use units::{Bytes, BytesPerSec, Nanos, Ratio};
use workload::Workload;

use crate::{FactorLevel, GridRow, ValidateError};

/// What all rows of a grid have in common.
#[derive(Debug, Clone, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct GridCommon {
    /// Storage nodes, all in one zone.
    pub nodes: u32,
    /// Their instance type, of which only the disks' caps count.
    pub instance: String,
    /// The cloud region.
    pub region: String,
    /// The keys are cut into so many regions.
    pub regions: usize,
    /// Clients of a closed loop.
    pub clients: u32,
    /// Mean time that each of them waits after an answer.
    pub think: Nanos,
    /// Size under LZ4 over size uncompressed.
    pub compressed: Ratio,
    /// Not measured, from the start.
    pub warm_up: Nanos,
    /// Measured.
    pub measure: Nanos,
    /// The same seed gives the same operations.
    pub seed: u64,
    /// TiKV's `write-buffer-size`.
    pub memtable: Bytes,
    /// TiKV's `max-bytes-for-level-base`.
    pub level_base: Bytes,
    /// TiKV's `target-file-size-base`.
    pub file: Bytes,
}

/// A row of the grid as both sides take it.
#[derive(Debug, Clone, PartialEq)]
pub struct RowSetup {
    /// What it has in common with the others.
    pub common: GridCommon,
    /// The row's name.
    pub name: String,
    /// The data disk, and the share of its limits that it delivers.
    pub data: (Disk, f64),
    /// The log's own disk, likewise.
    pub log: Option<(Disk, f64)>,
    /// Size of a data block.
    pub block_size: Bytes,
    /// Size of a row.
    pub row: Bytes,
    /// Rows that are loaded.
    pub rows: f64,
    /// Share of the operations that read.
    pub reads: f64,
    /// Values from this size on are kept apart.
    pub value_separation: Option<Bytes>,
    /// Cap on flush and compaction writes.
    pub rate_limit: Option<BytesPerSec>,
    /// Block cache of a node.
    pub block_cache: Bytes,
    /// Memory of a node.
    pub memory: Bytes,
    /// Operations a second of an open loop; a closed loop if not given.
    pub rate: Option<f64>,
}

/// Operations of an open loop that the database may have at a time, as `bench` has them.
const IN_FLIGHT: u32 = 4096;

/// TiKV's replicas, where there are so many nodes.
const REPLICAS: u32 = 3;

impl RowSetup {
    pub(crate) fn new(common: &GridCommon, row: &GridRow, level: FactorLevel) -> Result<Self, &'static str> {
        let share = |share: Option<f64>| match share.unwrap_or(1.0) {
            share if share > 0.0 && share <= 1.0 => Ok(share),
            _ => Err("lets a disk deliver no share of its limits: expected over 0 and up to 1"),
        };
        let rate = match (level.open, row.rate) {
            (Some(true), Some(rate)) if rate > 0.0 => Some(rate),
            (Some(true), _) => return Err("has an open loop: give it a `rate` over 0"),
            (_, Some(_)) => return Err("has a closed loop: leave its `rate` out"),
            (_, None) => None,
        };
        let log_share = share(level.log_share)?;
        Ok(Self {
            common: common.clone(),
            name: row.name.clone(),
            data: (level.data.ok_or("has no `data` disk")?, share(level.share)?),
            log: level.log.map(|disk| (disk, log_share)),
            block_size: level.block_size.ok_or("has no `block-size`")?,
            row: level.row.ok_or("has no size of a `row`")?,
            rows: level.rows.ok_or("has no number of `rows`")?,
            reads: level.reads.filter(|share| (0.0..=1.0).contains(share)).ok_or("has no share of `reads`, 0 to 1")?,
            value_separation: level.value_separation,
            rate_limit: level.rate_limit,
            block_cache: level.block_cache.ok_or("has no `block-cache`")?,
            memory: level.memory.ok_or("has no `memory`")?,
            rate,
        })
    }

    /// The catalogue as of today.
    pub fn view(&self) -> CatalogView {
        Catalog::embedded().at(None)
    }

    /// Operations a second that come at most: a client waits between two of them even if it is answered at once.
    pub fn most(&self) -> f64 {
        self.rate.unwrap_or(f64::from(self.common.clients) / self.common.think.as_secs_f64())
    }

    /// I/Os a second that the disks of all nodes deliver at most.
    ///
    /// # Errors
    /// When a disk cannot be had.
    pub fn most_ios(&self) -> Result<f64, ValidateError> {
        let view = self.view();
        let mut ios = 0.0;
        for (disk, share) in std::iter::once(&self.data).chain(&self.log) {
            let limits = disk.limits(&view, None)?;
            ios += limits.iops.0 * share * f64::from(self.common.nodes);
        }
        Ok(ios)
    }

    /// The same workload for both sides.
    ///
    /// # Errors
    /// When the row makes none.
    pub fn workload(&self) -> Result<Workload, ValidateError> {
        let operation = |kind: &str, weight: f64| {
            Value::Table(Table::from_iter([
                ("name".to_owned(), kind.into()),
                ("weight".to_owned(), (100.0 * weight).into()),
                (kind.to_owned(), 1.0.into()),
            ]))
        };
        let kinds = [("reads", self.reads), ("updates", 1.0 - self.reads)];
        let operations = kinds.into_iter().filter(|(_, weight)| *weight > 0.0);
        let mut mix = Table::from_iter([
            ("rows".to_owned(), Value::from(self.rows)),
            ("row".to_owned(), self.row.to_string().into()),
            ("distribution".to_owned(), "uniform".into()),
            ("compressed".to_owned(), self.common.compressed.to_string().into()),
            ("transactional".to_owned(), false.into()),
            (
                "operations".to_owned(),
                operations.map(|(kind, weight)| operation(kind, weight)).collect::<Vec<_>>().into(),
            ),
        ]);
        if self.rate.is_none() {
            mix.insert("clients".to_owned(), f64::from(self.common.clients).into());
            mix.insert("think".to_owned(), self.common.think.to_string().into());
        }
        let all = Table::from_iter([
            ("name".to_owned(), Value::from(format!("row {} of the grid", self.name))),
            ("engine".to_owned(), "tikv".into()),
            ("region".to_owned(), self.common.region.clone().into()),
            ("mix".to_owned(), mix.into()),
            ("targets".to_owned(), Table::from_iter([("throughput".to_owned(), Value::from(self.most()))]).into()),
        ]);
        let text = Text::new(format!("row {} of the grid", self.name), all.to_string());
        Ok(Workload::from_text(&text, &mut |path| textfile::read_text(path, textfile::LIMIT))?)
    }

    /// The same deployment for both sides.
    ///
    /// # Errors
    /// When the catalogue does not have it.
    pub fn deployment(&self) -> Result<Deployment, ValidateError> {
        let deployment = Deployment {
            name: format!("row {} of the grid", self.name),
            engine: LaunchedStore::ENGINE,
            region: self.common.region.clone(),
            as_of: None,
            zones: 1,
            nodes: vec![NodeGroup {
                role: NodeRole::Storage,
                count: self.common.nodes,
                instance: self.common.instance.clone(),
                data: Some(self.data.0.clone()),
                log: self.log.as_ref().map(|(disk, _)| disk.clone()),
            }],
            settings: EngineSettings {
                replicas: (self.common.nodes < REPLICAS).then_some(self.common.nodes),
                block_size: Some(self.block_size),
                block_cache: Some(self.block_cache),
                value_separation: self.value_separation,
                rate_limit: self.rate_limit,
                ..EngineSettings::default()
            },
            asks: None,
        };
        deployment.validate(&self.view())?;
        Ok(deployment)
    }

    /// The run on the reference store; disks deliver all until it is loaded.
    ///
    /// # Errors
    /// When the row makes no workload or deployment.
    pub fn spec(&self, stop: &Arc<AtomicBool>) -> Result<StoreSpec, ValidateError> {
        let (workload, common) = (self.workload()?, &self.common);
        let load = match self.rate {
            Some(rate) => LoopKind::Open {
                rate,
                arrivals: ArrivalSpacing::Poisson,
                in_flight: IN_FLIGHT,
                backlog: 16 * IN_FLIGHT,
            },
            None => LoopKind::Closed { clients: common.clients, think: common.think },
        };
        let plan = RunPlan {
            limits: RunLimits {
                warm_least: common.warm_up,
                warm_most: common.warm_up,
                measure_least: common.measure,
                measure_most: common.measure,
                ..RunLimits::default()
            },
            seed: common.seed,
            ..RunPlan::new(format!("row {}", self.name), &workload.name, load, REQUEST_TIMEOUT)
        };
        let options = cluster::ClusterOptions {
            memory: Some(self.memory),
            keys: self.keys(),
            seed: common.seed,
            credits: Some(0.0),
            ..cluster::ClusterOptions::default()
        };
        let (deployment, regions) = (self.deployment()?, common.regions);
        let launched = LaunchedStore { deployment, options, regions, share: 1.0 };
        Ok(StoreSpec { stop: stop.clone(), ..StoreSettings::launched(workload, launched, plan) })
    }

    /// TiKV's keys that make the tree small.
    fn keys(&self) -> Table {
        let sizes = [
            ("write-buffer-size", self.common.memtable),
            ("max-bytes-for-level-base", self.common.level_base),
            ("target-file-size-base", self.common.file),
        ];
        let family: Table =
            sizes.map(|(key, size)| (key.to_owned(), Value::from(size.to_string()))).into_iter().collect();
        let nested = |key: &str, table: Table| Table::from_iter([(key.to_owned(), Value::from(table))]);
        nested("rocksdb", nested("defaultcf", family))
    }

    /// The same sizes for the simulation.
    pub(crate) fn constants(&self, base: &Constants) -> Constants {
        let common = &self.common;
        let sizes = [("memtable", common.memtable), ("level_base", common.level_base), ("file_size", common.file)];
        sizes.into_iter().fold(*base, |constants, (name, size)| {
            constants.with(name, size.as_f64()).expect("the simulation has a constant for each size of a tree")
        })
    }

    /// The machine that the simulation is told of.
    pub(crate) fn machine(&self, processors: f64) -> SharedMachine {
        let log = self.log.as_ref().map_or(1.0, |(_, share)| *share);
        SharedMachine {
            processors,
            memory: self.memory,
            shares: [self.data.1, log],
            regions: self.common.regions as u32,
        }
    }
}
