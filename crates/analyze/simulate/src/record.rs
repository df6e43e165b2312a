//! The series of a run: the names that a measured run has, a point for each step.

use std::collections::BTreeMap;

use events::{node_name, sql_node_name, zone_name};
use metrics::{DiskLatencies, NodeSample};
use timeline::{
    LatencyPoint, SeriesLabels, SeriesPoint, SeriesSpec, Timeline, TimelineBuilder, TimelineInfo, labels, vocabulary,
};
use units::Nanos;

use crate::cpu::Pool;
use crate::options::FEW_NODES;
use crate::sent::Seen;
use crate::world::{Node, SqlNode, World};

/// Samples of disks that are kept before they become points.
pub(crate) const KEPT: usize = 256;
/// Histograms of a series at most: each takes up to some hundred kilobytes.
pub(crate) const HISTOGRAMS: u64 = 200;

/// Whether a number of a node is counted since the start, or as it is now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Counter,
    Gauge,
}

/// A number that a node tells.
type Tell = (SeriesSpec, Kind, fn(&Node) -> f64);

/// What a node's engine tells, named as `cluster` names what it reads of a real one.
const ENGINE: [Tell; 17] = [
    (vocabulary::STALL_TIME, Kind::Counter, |node| node.counts.stall_time),
    (vocabulary::THROTTLE_TIME, Kind::Counter, |node| node.counts.throttle_time),
    (vocabulary::COMPACTION_READ_BYTES, Kind::Counter, |node| node.counts.compaction_read),
    (vocabulary::COMPACTION_WRITE_BYTES, Kind::Counter, |node| node.counts.compaction_write),
    (vocabulary::FLUSH_BYTES, Kind::Counter, |node| node.counts.flush),
    (vocabulary::ENGINE_WRITE_BYTES, Kind::Counter, |node| node.counts.written),
    (vocabulary::WAL_BYTES, Kind::Counter, |node| node.counts.wal),
    (vocabulary::BLOCK_CACHE_HITS, Kind::Counter, |node| node.counts.hits),
    (vocabulary::BLOCK_CACHE_MISSES, Kind::Counter, |node| node.counts.misses),
    (vocabulary::RAFT_LOG_BYTES, Kind::Counter, |node| node.counts.log),
    (vocabulary::RAFT_LOG_SYNCS, Kind::Counter, |node| node.counts.syncs),
    (vocabulary::RAFT_LOG_SYNC_TIME, Kind::Counter, |node| node.counts.sync_time),
    (vocabulary::PENDING_COMPACTION_BYTES, Kind::Gauge, |node| node.trees.iter().map(|tree| tree.pending()).sum()),
    (vocabulary::LEVEL0_FILES, Kind::Gauge, |node| {
        node.trees.iter().map(|tree| tree.l0_files()).max().unwrap_or(0) as f64
    }),
    (vocabulary::BLOCK_CACHE_BYTES, Kind::Gauge, |node| node.caches.held),
    (vocabulary::ENGINE_BYTES, Kind::Gauge, Node::stored),
    (vocabulary::RATE_LIMIT_BYTES_PER_SECOND, Kind::Gauge, |node| node.limiter.rate()),
];

/// What was told of a node until now.
struct NodeRecord {
    labels: SeriesLabels,
    last: [f64; ENGINE.len()],
    busy: [f64; Pool::ALL.len()],
    samples: Vec<NodeSample>,
    latencies: Vec<Vec<DiskLatencies>>,
}

/// Series that grow step by step.
pub(crate) struct Recorder {
    step: Nanos,
    steps: u64,
    /// Steps of a histogram of what clients saw, and of one of a node's disks.
    every: u64,
    every_of_disks: u64,
    series: TimelineBuilder,
    nodes: Vec<NodeRecord>,
    /// Of each SQL node, its labels and what it had worked.
    sql: Vec<(SeriesLabels, f64)>,
    zones: BTreeMap<(&'static str, usize, usize), f64>,
    latencies: timeline::LatencyHistogram,
    since: Nanos,
}

impl Recorder {
    /// Before anything has happened, for a run of so many steps.
    pub(crate) fn new(world: &World, step: Nanos, span: Nanos) -> Self {
        let of_disks = (HISTOGRAMS * FEW_NODES / (world.nodes.len() as u64).max(FEW_NODES)).max(1);
        let node = |(index, node): (usize, &Node)| NodeRecord {
            labels: labels([("node", &node_name(index)), ("zone", &zone_name(node.zone))]),
            last: [0.0; ENGINE.len()],
            busy: [0.0; Pool::ALL.len()],
            samples: vec![node.disks.baseline()],
            latencies: vec![node.disks.latencies()],
        };
        let sql = |(index, node): (usize, &SqlNode)| {
            (labels([("node", &sql_node_name(index)), ("zone", &zone_name(node.zone))]), 0.0)
        };
        Self {
            step,
            steps: 0,
            every: (span.0 / step.0).div_ceil(HISTOGRAMS).max(1),
            every_of_disks: (span.0 / step.0).div_ceil(of_disks).max(1),
            series: TimelineBuilder::default(),
            nodes: world.nodes.iter().enumerate().map(node).collect(),
            sql: world.sql.iter().enumerate().map(sql).collect(),
            zones: BTreeMap::new(),
            latencies: timeline::latencies(),
            since: Nanos(0),
        }
    }

    /// Takes a step's samples, one for each node, and what clients saw in it.
    pub(crate) fn add(&mut self, world: &World, samples: &[NodeSample], seen: &Seen) {
        let (from, until) = (Nanos(self.steps * self.step.0), Nanos((self.steps + 1) * self.step.0));
        self.steps += 1;
        let taken = self.steps.is_multiple_of(self.every);
        self.clients(world, seen, (from, until), taken);
        let taken = self.steps.is_multiple_of(self.every_of_disks);
        for (index, (node, sample)) in world.nodes.iter().zip(samples).enumerate() {
            self.node(index, node, (from, until));
            let record = &mut self.nodes[index];
            record.samples.push(sample.clone());
            record.latencies.push(if taken { node.disks.latencies() } else { Vec::new() });
            if record.samples.len() >= KEPT && taken {
                self.disks(index);
            }
        }
        for (index, node) in world.sql.iter().enumerate() {
            let (labels, last) = &mut self.sql[index];
            let value = node.busy() - std::mem::replace(last, node.busy());
            let labels = labels.clone();
            self.series.value(vocabulary::TIDB_CPU_TIME, &labels, SeriesPoint { from, until, value });
        }
        for (kind, zone, to, bytes) in world.network.counted() {
            let last = self.zones.insert((kind, zone, to), bytes).unwrap_or(0.0);
            let of = labels([("from", &zone_name(zone)), ("to", &zone_name(to)), ("kind", kind)]);
            self.series.value(vocabulary::ZONE_BYTES, &of, SeriesPoint { from, until, value: bytes - last });
        }
    }

    /// Takes what held nodes up in the step that was added last.
    pub(crate) fn held_up(&mut self, held: &[(usize, String, f64)]) {
        let seconds = self.step.as_secs_f64();
        let (from, until) = (Nanos((self.steps - 1) * self.step.0), Nanos(self.steps * self.step.0));
        for (node, what, share) in held {
            let sql = |node: usize| &self.sql[node - self.nodes.len()].0;
            let mut labels = self.nodes.get(*node).map_or_else(|| sql(*node), |node| &node.labels).clone();
            labels.insert("by".to_owned(), what.clone());
            let point = SeriesPoint { from, until, value: share * seconds };
            self.series.value(vocabulary::HELD_UP_TIME, &labels, point);
        }
    }

    fn clients(&mut self, world: &World, seen: &Seen, (from, until): (Nanos, Nanos), taken: bool) {
        let seconds = self.step.as_secs_f64();
        let rate = |count: u64| count as f64 / seconds;
        let kind = labels([("kind", "operation")]);
        let point = |value| SeriesPoint { from, until, value };
        self.series.value(vocabulary::OPERATIONS_PER_SECOND, &kind, point(rate(seen.done)));
        let busy = labels([("kind", "operation"), ("fate", "refused"), ("reason", "server is busy")]);
        self.series.value(vocabulary::FAILURES_PER_SECOND, &busy, point(rate(seen.busy)));
        self.series.value(vocabulary::DROPPED_PER_SECOND, &SeriesLabels::new(), point(rate(seen.dropped)));
        self.series.value(vocabulary::WRITTEN_BYTES_PER_SECOND, &SeriesLabels::new(), point(seen.user_bytes / seconds));
        let in_flight = world.in_flight() as f64;
        self.series.value(vocabulary::CLIENTS_IN_FLIGHT, &SeriesLabels::new(), point(in_flight));
        self.latencies.add(&seen.latencies).expect("all histograms are alike and grow");
        if taken && !self.latencies.is_empty() {
            let histogram = std::mem::replace(&mut self.latencies, timeline::latencies());
            let point = LatencyPoint { from: self.since, until, histogram };
            self.series.latency(vocabulary::LATENCY, &kind, point);
        }
        if taken {
            self.since = until;
        }
    }

    fn node(&mut self, index: usize, node: &Node, (from, until): (Nanos, Nanos)) {
        for (at, (spec, kind, tell)) in ENGINE.into_iter().enumerate() {
            let record = &mut self.nodes[index];
            let now = tell(node);
            let last = std::mem::replace(&mut record.last[at], now);
            let value = if kind == Kind::Counter { now - last } else { now };
            self.series.value(spec, &record.labels, SeriesPoint { from, until, value });
        }
        for pool in Pool::ALL {
            let record = &mut self.nodes[index];
            let now = node.cpu.busy(pool);
            let value = now - std::mem::replace(&mut record.busy[pool as usize], now);
            let mut labels = record.labels.clone();
            labels.insert("pool".to_owned(), pool.name().to_owned());
            self.series.value(vocabulary::CPU_TIME, &labels, SeriesPoint { from, until, value });
        }
    }

    /// Turns the kept samples of a node's disks into points; the last stays, for the next begin where it ends.
    fn disks(&mut self, index: usize) {
        let record = &mut self.nodes[index];
        let points = metrics::timeline(&record.samples, &record.latencies, TimelineInfo::default());
        let (Some(sample), Some(latencies)) = (record.samples.pop(), record.latencies.pop()) else { return };
        record.samples.clear();
        record.latencies.clear();
        record.samples.push(sample);
        record.latencies.push(latencies);
        self.series.extend(points, &self.nodes[index].labels);
    }

    /// All series.
    pub(crate) fn finish(mut self, about: TimelineInfo) -> Timeline {
        (0..self.nodes.len()).for_each(|index| self.disks(index));
        Timeline { about, series: self.series.finish_sorted() }
    }
}
