//! What the engine's model says of a plan and of the smaller run of it.

use catalog::CatalogView;
use deployment::{Deployment, EngineSettings};
use disk::DiskLimits;
use engine::{
    ClusterMachines, DiskCapacity, EngineCalibration, IoDemand, NodeCapacity, OfferedLoad, OperationDemand,
    PreparedTask,
};
use units::{Bytes, BytesPerSec, Iops};
use workload::Task;

use crate::UnprovablePlan;
use crate::prove::constants::constant;
use crate::prove::figures::{DiskFigures, DiskRole, ProofFigures};
use crate::prove::scaling::{FullSizePlan, PlanScaling};

/// A node's disks and processors at full size.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) memory: Bytes,
    vcpu: u32,
    cores: f64,
    data: DiskLimits,
    log: Option<DiskLimits>,
    caps: Option<(Iops, BytesPerSec)>,
    /// Flash that caches the data disk.
    cache: Bytes,
}

/// Share of its limits that each disk of a node delivers.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct DiskShares {
    /// The data disk.
    pub data: f64,
    /// The log's own disk, if there is one.
    pub log: Option<f64>,
}

impl DiskShares {
    /// Nothing is scaled.
    pub(crate) const FULL: Self = Self { data: 1.0, log: None };

    /// Of a role; 1 of a disk that is not there.
    pub fn of(&self, role: DiskRole) -> f64 {
        match role {
            DiskRole::Data => self.data,
            DiskRole::Log => self.log.unwrap_or(1.0),
        }
    }
}

impl Node {
    pub(crate) fn new(deployment: &Deployment, view: &CatalogView) -> Result<Self, UnprovablePlan> {
        let (_, group) = deployment.storage().next().ok_or(UnprovablePlan::NoStorageNode)?;
        let instance = view.instance(&group.instance)?;
        let limits = |disk: &disk::Disk| disk.limits(view, Some(instance));
        let data = group.data.as_ref().ok_or(UnprovablePlan::NoDataDisk)?;
        let threads = instance.sustained_threads().unwrap_or(f64::from(instance.vcpu));
        Ok(Self {
            memory: instance.memory,
            vcpu: instance.vcpu,
            cores: threads * instance.thread_speed(),
            cache: data.cache.as_ref().map_or(Bytes(0), |cache| cache.size),
            data: limits(data)?,
            log: group.log.as_ref().map(limits).transpose()?,
            caps: instance.caps.map(|caps| (caps.iops, caps.throughput)),
        })
    }

    fn capacity(&self, shares: &DiskShares, caps: Option<(Iops, BytesPerSec)>) -> NodeCapacity {
        let scaled = |limits: &DiskLimits, share: f64| {
            let full = DiskCapacity::from(limits);
            DiskCapacity { iops: full.iops * share, throughput: full.throughput * share, ..full }
        };
        let log = self.log.as_ref().map(|log| scaled(log, shares.of(DiskRole::Log)));
        NodeCapacity { data: scaled(&self.data, shares.data), log, instance: caps, cores: self.cores }
    }

    /// What reaches each disk for one operation.
    fn streams(&self, demand: &OperationDemand) -> Vec<(DiskRole, &DiskLimits, IoDemand)> {
        match &self.log {
            Some(log) => vec![(DiskRole::Data, &self.data, demand.data), (DiskRole::Log, log, demand.log)],
            None => vec![(DiskRole::Data, &self.data, demand.data.plus(&demand.log))],
        }
    }

    fn disks(&self, demand: &OperationDemand, rate: f64, shares: &DiskShares) -> Vec<DiskFigures> {
        let figures = |(role, limits, io): (DiskRole, &DiskLimits, IoDemand)| DiskFigures {
            role,
            iops: rate * counted(&io, limits) / limits.iops.0 / shares.of(role),
            throughput: rate * weighed(&io, limits) / limits.throughput.0 / shares.of(role),
            read: BytesPerSec(rate * io.read_bytes),
            written: BytesPerSec(rate * io.write_bytes),
        };
        self.streams(demand).into_iter().map(figures).collect()
    }

    /// The tightest limit's share of use, by role. Those of the instance count as the data disk's, which is scaled for
    /// them too: the run has no instance.
    fn tightest(&self, demand: &OperationDemand, rate: f64, caps: bool) -> Vec<(DiskRole, f64)> {
        let through = self.streams(demand).into_iter().filter(|(_, limits, _)| limits.shares_instance_caps);
        let instance = self.caps.filter(|_| caps).map_or(0.0, |(iops, throughput)| {
            let (ios, bytes) = through
                .fold((0.0, 0.0), |(ios, bytes), (_, limits, io)| (ios + counted(&io, limits), bytes + io.bytes()));
            rate * (ios / iops.0).max(bytes / throughput.0)
        });
        let own = |disk: &DiskFigures| disk.iops.max(disk.throughput);
        self.disks(demand, rate, &DiskShares::FULL)
            .iter()
            .map(|disk| (disk.role, if disk.role == DiskRole::Data { own(disk).max(instance) } else { own(disk) }))
            .collect()
    }
}

/// I/Os as the disk counts them.
fn counted(io: &IoDemand, limits: &DiskLimits) -> f64 {
    let unit = limits.io_unit.as_f64();
    io.reads.max(io.read_bytes / unit) + io.writes.max(io.write_bytes / unit) * limits.write_iops_cost
}

/// Bytes as the disk counts them.
fn weighed(io: &IoDemand, limits: &DiskLimits) -> f64 {
    io.read_bytes + io.write_bytes * limits.write_bytes_cost
}

/// The model asked about one task on one kind of node.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Model<'a> {
    pub(crate) calibration: &'a EngineCalibration,
    pub(crate) node: &'a Node,
    pub(crate) zones: u32,
    pub(crate) settings: &'a EngineSettings,
}

impl Model<'_> {
    /// The demand of an operation of `task` on each of `nodes` with this memory.
    fn demand(&self, task: &Task, nodes: u32, memory: Bytes, settings: &EngineSettings) -> OperationDemand {
        let cluster = ClusterMachines { nodes, vcpu: self.node.vcpu, memory, zones: self.zones };
        PreparedTask::new(self.calibration, task).demand(&cluster, settings)
    }

    /// As planned.
    pub(crate) fn planned(&self, task: &Task, nodes: u32) -> OperationDemand {
        self.demand(task, nodes, self.node.memory + self.node.cache, self.settings)
    }

    /// What the smaller run asks: caches hold as much of the data as planned, so reads are those of the plan's nodes; the
    /// tree has as many levels as its data over its sizes make, so writes are those of nodes that hold as much more than the
    /// run as TiKV's sizes are larger. `task` is at the run's rate and has the plan's data.
    pub(crate) fn run(&self, task: &Task, scaling: &PlanScaling) -> OperationDemand {
        let (nodes, part) = (scaling.nodes, scaling.part());
        let holding = |share: f64| {
            let mut task = task.clone();
            task.profile.data = task.profile.data * (part * share);
            task
        };
        let cached = holding(1.0);
        let mut demand = self.demand(&cached, nodes, self.node.memory + self.node.cache, self.settings);
        let tree = self.demand(&holding(scaling.data / scaling.tree), nodes, ENDLESS, self.settings).data;
        let uncached = self.demand(&cached, nodes, ENDLESS, self.settings).data;
        let foreground = |of: fn(&IoDemand) -> f64| (of(&demand.data) - of(&uncached)).max(0.0);
        let reads = IoDemand {
            reads: foreground(|io| io.reads),
            read_bytes: foreground(|io| io.read_bytes),
            ..IoDemand::default()
        };
        demand.data = tree.plus(&reads);
        demand
    }

    /// Data blocks that an operation asks for: with no memory every one is a read of the disk, with an endless one none is.
    fn blocks(&self, task: &Task, nodes: u32) -> f64 {
        (self.reads(task, nodes, Bytes(0)) - self.reads(task, nodes, ENDLESS)) * f64::from(nodes)
    }

    /// Share of them that the block cache alone holds; `None` if none are asked for.
    fn cache_hit_rate(&self, task: &Task, nodes: u32, full: &FullSizePlan) -> Option<f64> {
        let usual = Bytes((self.node.memory.as_f64() * constant("block_cache_share")) as u64);
        let blocks = self.blocks(task, nodes);
        let missed = self.reads(task, nodes, full.block_cache.unwrap_or(usual)) - self.reads(task, nodes, ENDLESS);
        (blocks > 0.0).then(|| 1.0 - missed * f64::from(nodes) / blocks)
    }

    /// Reads of the data disk for an operation where all the memory is block cache.
    fn reads(&self, task: &Task, nodes: u32, memory: Bytes) -> f64 {
        let settings = EngineSettings { block_cache: Some(memory), ..*self.settings };
        self.demand(task, nodes, memory, &settings).data.reads
    }

    /// The numbers of `rate` operations a second.
    pub(crate) fn figures(
        &self,
        asked: &Asked<'_>,
        demand: &OperationDemand,
        shares: &DiskShares,
        caps: bool,
    ) -> ProofFigures {
        let capacity = self.node.capacity(shares, self.node.caps.filter(|_| caps));
        let prediction = engine::predict(demand, &capacity, OfferedLoad::Open(asked.rate));
        let written = written(asked.task);
        let cache_hit_rate = self.cache_hit_rate(asked.blocks, asked.nodes, asked.full);
        ProofFigures {
            throughput: prediction.throughput,
            p50: Some(prediction.p50),
            p99: Some(prediction.p99),
            disks: self.node.disks(demand, prediction.throughput, shares),
            write_amplification: (written > 0.0).then(|| demand.data.write_bytes * f64::from(asked.nodes) / written),
            cache_misses: cache_hit_rate.map(|hits| (1.0 - hits) * self.blocks(asked.blocks, asked.nodes)),
            cache_hit_rate,
        }
    }

    /// How much of its limits each disk of the run delivers, so that its tightest limit is used as much as planned.
    pub(crate) fn shares(
        &self,
        planned: (&OperationDemand, f64),
        run: (&OperationDemand, f64),
        load: f64,
    ) -> DiskShares {
        let before = self.node.tightest(planned.0, planned.1, true);
        let after = self.node.tightest(run.0, run.1, false);
        let share = |role: DiskRole| {
            let of = |all: &[(DiskRole, f64)]| all.iter().find(|(of, _)| *of == role).map(|(_, share)| *share);
            let (before, after) = (of(&before)?, of(&after)?);
            Some(if before > 0.0 && after > 0.0 { (after / before).clamp(LEAST_SHARE, 1.0) } else { load })
        };
        DiskShares { data: share(DiskRole::Data).unwrap_or(load), log: share(DiskRole::Log) }
    }
}

/// What figures are of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked<'a> {
    /// The task of an operation's bytes.
    pub(crate) task: &'a Task,
    /// The task whose data are those of the nodes.
    pub(crate) blocks: &'a Task,
    pub(crate) rate: f64,
    pub(crate) nodes: u32,
    pub(crate) full: &'a FullSizePlan,
}

/// More memory than any data.
const ENDLESS: Bytes = Bytes(1 << 60);

/// A disk delivers at least this share.
const LEAST_SHARE: f64 = 1e-4;

/// Bytes that a client writes in an operation, one copy.
pub(crate) fn written(task: &Task) -> f64 {
    let profile = &task.profile;
    let entries = profile.inserts * profile.indexes * profile.index_entry.as_f64();
    (profile.inserts + profile.updates) * profile.row.as_f64() + entries
}
