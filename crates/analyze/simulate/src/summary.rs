//! The summary of a simulated run, in numbers.

use ::run::{LatencyPercentiles, LimitUse, OfferedLoad, RunResult, RunRung};
use timeline::Timeline;
use units::Nanos;
use workload::ThroughputUnit;

/// What a run gives.
#[derive(Debug, Clone, PartialEq)]
pub struct SimulationRun {
    /// The series that a measured run has too, in virtual time.
    pub timeline: Timeline,
    /// In numbers.
    pub summary: RunSummary,
}

/// What a run showed after its warm-up.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct RunSummary {
    /// From when to when it was measured, in virtual time.
    pub from: Nanos,
    /// The end.
    pub until: Nanos,
    /// Operations a second that ended.
    pub operations_per_second: f64,
    /// The same in the workload's unit.
    pub throughput: f64,
    /// That unit: `tpmC`, `ops/s`.
    pub unit: &'static str,
    /// Latencies of operations; `None` where they have no meaning, because an open loop is saturated, or nothing ended.
    pub latency: Option<LatencySummary>,
    /// That an open loop asked for more than was carried.
    pub saturated: Option<Saturation>,
    /// That a disk was full before the time was over.
    pub full: Option<DiskFull>,
    /// Requests that a node refused because it was busy; clients sent them again.
    pub refused: u64,
    /// What held operations up, for the largest share of the time first. Empty if nothing did.
    pub bound: Vec<HoldUp>,
    /// What was used.
    pub used: ResourceUse,
    /// Events that the simulation took, warm-up included.
    pub events: u64,
    /// What InnoDB did; `None` of TiKV.
    pub innodb: Option<InnodbUse>,
}

/// Latencies of operations, as clients see them.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct LatencySummary {
    /// Mean.
    pub mean: Nanos,
    /// Median.
    pub p50: Nanos,
    /// 99th percentile.
    pub p99: Nanos,
    /// 99.9th percentile.
    pub p999: Nanos,
    /// The longest.
    pub max: Nanos,
}

impl LatencySummary {
    /// Of a histogram; `None` if it is empty.
    pub(crate) fn of(histogram: &timeline::LatencyHistogram) -> Option<Self> {
        let at = |quantile| Nanos(histogram.value_at_quantile(quantile));
        (!histogram.is_empty()).then(|| Self {
            mean: Nanos(histogram.mean() as u64),
            p50: at(0.5),
            p99: at(0.99),
            p999: at(0.999),
            max: Nanos(histogram.max()),
        })
    }
}

/// More was asked for than was carried: what waits grows without end, and so does the latency.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct Saturation {
    /// Operations a second that came.
    pub offered: f64,
    /// Operations a second that ended.
    pub carried: f64,
    /// Operations that were dropped because too many waited.
    pub dropped: u64,
}

impl Saturation {
    /// That an open loop is saturated, if it is; operations a second.
    pub(crate) fn of(offered: f64, carried: f64, dropped: u64) -> Option<Self> {
        let load = OfferedLoad { operations_per_s: offered };
        (!load.is_served(RunRung::Simulation, carried)).then_some(Self { offered, carried, dropped })
    }
}

/// A data disk that filled up; the run ended there.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct DiskFull {
    /// The node.
    pub node: String,
    /// When.
    pub at: Nanos,
}

/// Something that held operations up.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct HoldUp {
    /// `data disk: volume throughput`, `CPU`, `flow control`, `raftstore threads`, `SQL CPU`.
    pub what: String,
    /// Share of the measured time, 0 to 1, on the node where it was largest.
    pub share: f64,
    /// The first step in which it did for half of the time or more; `None` if it never did for so long.
    pub from: Option<Nanos>,
    /// The end of the last such step.
    pub until: Option<Nanos>,
}

/// What was used of all nodes together while it was measured.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize)]
pub struct ResourceUse {
    /// Seconds that were measured.
    pub seconds: f64,
    /// Bytes that clients wrote, before replication.
    pub user_bytes: f64,
    /// Bytes that flushes wrote.
    pub flush_bytes: f64,
    /// Bytes that compactions read, from the page cache too.
    pub compaction_read_bytes: f64,
    /// Bytes that compactions wrote.
    pub compaction_write_bytes: f64,
    /// Bytes of the raft log.
    pub raft_log_bytes: f64,
    /// Times that the raft log was made durable.
    pub raft_log_syncs: f64,
    /// Seconds of delays by stalls and flow control, added up over requests.
    pub held_up: f64,
    /// Share of blocks found in the block cache; `None` if none were asked for.
    pub cache_hit_rate: Option<f64>,
    /// Bytes between nodes of different zones.
    pub cross_zone_peer_bytes: f64,
    /// Bytes between clients and nodes of other zones.
    pub cross_zone_client_bytes: f64,
    /// CPU seconds of storage nodes.
    pub node_cpu: f64,
    /// CPU seconds of nodes that speak SQL; none where the deployment has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sql_cpu: Option<f64>,
    /// Requests that disks completed.
    pub disk_ios: f64,
    /// Bytes that they moved.
    pub disk_bytes: f64,
}

/// What InnoDB did while it was measured.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize)]
pub struct InnodbUse {
    /// Rows that were added.
    pub rows: f64,
    /// When the last of the workload's rows was added, from time zero; `None` if the time was over before.
    pub finished: Option<Nanos>,
    /// Bytes of the redo log, and times that it was made durable.
    pub redo_bytes: f64,
    /// Times that the redo log was made durable.
    pub redo_syncs: f64,
    /// Bytes of the binary log.
    pub binlog_bytes: f64,
    /// Times that the binary log was made durable.
    pub binlog_syncs: f64,
    /// Pages that were read.
    pub pages_read: f64,
    /// Pages that were written back.
    pub pages_written: f64,
    /// Pages that were written to the doublewrite buffer before.
    pub doublewrite_pages: f64,
    /// Seconds in which somebody waited for room in the redo log.
    pub redo_full: f64,
    /// Seconds in which somebody waited for a free page of the buffer pool.
    pub pool_full: f64,
}

impl ResourceUse {
    /// Bytes that flushes and compactions wrote over those that flushes wrote; `None` if nothing was flushed.
    pub fn write_amplification(&self) -> Option<f64> {
        (self.flush_bytes > 0.0).then(|| 1.0 + self.compaction_write_bytes / self.flush_bytes)
    }
}

impl From<&RunSummary> for RunResult {
    /// A simulated run with its latencies and the limits that held it up. No simulated operation fails.
    fn from(summary: &RunSummary) -> Self {
        let rate = summary.operations_per_second;
        let per_operation = if rate > 0.0 { summary.throughput / rate } else { 1.0 };
        let latency = summary.latency.map(|latency| LatencyPercentiles {
            mean: Some(latency.mean),
            p50: latency.p50,
            p99: latency.p99,
            p999: Some(latency.p999),
        });
        let limit = |hold_up: &HoldUp| LimitUse { limit: hold_up.what.clone(), share: hold_up.share };
        Self {
            offered: summary.saturated.map(|saturated| OfferedLoad { operations_per_s: saturated.offered }),
            latency,
            limits: summary.bound.iter().map(limit).collect(),
            ..Self::new(RunRung::Simulation, rate, ThroughputUnit { name: summary.unit, per_operation })
        }
    }
}
