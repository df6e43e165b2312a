//! The series of a run of InnoDB, named as `crates/bench/mysql` names a server's counters, and its sums.

use events::node_name;
use metrics::{DiskLatencies, NodeSample};
use timeline::{
    LatencyPoint, SeriesLabels, SeriesPoint, SeriesSpec, Timeline, TimelineBuilder, TimelineInfo, labels, vocabulary,
};
use units::Nanos;
use workload::ThroughputUnit as WorkUnit;

use super::world::World;
use crate::cpu::Pool;
use crate::disk_totals::DiskTotals;
use crate::held::HeldUp;
use crate::judge::BUSY;
use crate::record::{HISTOGRAMS, KEPT};
use crate::sent::{Seen, Sent};
use crate::summary::{DiskFull, InnodbUse, LatencySummary, ResourceUse, RunSummary, Saturation};

/// Something that is counted since the start.
type Counter = (SeriesSpec, fn(&World) -> f64);

/// What the server counts.
const COUNTERS: [Counter; 17] = [
    (vocabulary::INNODB_READS, |w| w.counts.reads),
    (vocabulary::INNODB_READ_BYTES, |w| w.counts.reads * w.c.page),
    (vocabulary::INNODB_WRITES, |w| w.data_writes + w.redo.syncs),
    (vocabulary::INNODB_WRITE_BYTES, |w| (w.cleaner.pages + w.cleaner.doublewritten) * w.c.page + w.redo.bytes),
    (vocabulary::INNODB_FSYNCS, |w| w.data_syncs + w.redo.syncs),
    (vocabulary::REDO_FSYNCS, |w| w.redo.syncs),
    (vocabulary::REDO_BYTES, |w| w.lsn),
    (vocabulary::PAGES_WRITTEN, |w| w.cleaner.pages),
    (vocabulary::PAGES_READ, |w| w.counts.reads),
    (vocabulary::DOUBLEWRITE_PAGES, |w| w.cleaner.doublewritten),
    (vocabulary::BUFFER_POOL_MISSES, |w| w.counts.reads),
    (vocabulary::BUFFER_POOL_WAITS, |w| w.counts.frame_waits),
    (vocabulary::STATEMENTS_INSERT, |w| w.counts.rows / w.each.rows),
    (vocabulary::BINLOG_GROUP_COMMITS, |w| w.binlog.groups),
    (vocabulary::BINLOG_BYTES, |w| w.binlog.bytes),
    (vocabulary::REDO_FULL_TIME, |w| w.counts.log_time),
    (vocabulary::BUFFER_POOL_WAIT_TIME, |w| w.counts.frame_time),
];
/// Which of them are times for which something held all up.
const WAITS: [(usize, &str); 2] = [(15, "redo log full"), (16, "buffer pool full")];

/// What it is at an instant.
const GAUGES: [Counter; 4] = [
    (vocabulary::DIRTY_BYTES, |w| f64::from(w.pool.dirty()) * w.c.page),
    (vocabulary::BUFFER_POOL_BYTES, |w| f64::from(w.pool.resident()) * w.c.page),
    (vocabulary::CHECKPOINT_AGE, |w| w.checkpoint_age()),
    (vocabulary::THREADS_RUNNING, |w| w.ops.len() as f64),
];

/// Threads that the processors' time is told of.
const THREADS: [(Pool, &str); 2] = [(Pool::Read, "connection"), (Pool::Flush, "disks")];

/// All that is counted, at an instant.
#[derive(Debug, Clone)]
struct Totals {
    counters: [f64; COUNTERS.len()],
    busy: [f64; THREADS.len()],
    binlog_syncs: f64,
    disks: DiskTotals,
}

impl Totals {
    fn of(world: &World, sample: &NodeSample) -> Self {
        Self {
            counters: COUNTERS.map(|(_, of)| of(world)),
            busy: THREADS.map(|(pool, _)| world.cpu.busy(pool)),
            binlog_syncs: world.binlog.syncs,
            disks: DiskTotals::of(sample),
        }
    }
}

/// Series that grow step by step, and sums of the steps that are measured.
pub(super) struct Recorder {
    step: Nanos,
    steps: u64,
    warm: u64,
    /// Steps of a histogram.
    every: u64,
    labels: SeriesLabels,
    series: TimelineBuilder,
    samples: Vec<NodeSample>,
    disk_latencies: Vec<Vec<DiskLatencies>>,
    latencies: timeline::LatencyHistogram,
    since: Nanos,
    last: Totals,
    start: Totals,
    held: HeldUp,
    all: timeline::LatencyHistogram,
    seen: [u64; 3],
    user_bytes: f64,
}

impl Recorder {
    /// Before anything has happened, for a run of so many steps, the first of which are not measured.
    pub(super) fn new(world: &World, step: Nanos, span: Nanos, warm: u64) -> Self {
        let sample = world.disks.baseline();
        let totals = Totals::of(world, &sample);
        Self {
            step,
            steps: 0,
            warm,
            every: (span.0 / step.0).div_ceil(HISTOGRAMS).max(1),
            labels: labels([("node", &node_name(0)), ("zone", "a")]),
            series: TimelineBuilder::default(),
            samples: vec![sample],
            disk_latencies: vec![world.disks.latencies()],
            latencies: timeline::latencies(),
            since: Nanos(0),
            last: totals.clone(),
            start: totals,
            held: HeldUp::default(),
            all: timeline::latencies(),
            seen: [0; 3],
            user_bytes: 0.0,
        }
    }

    /// Takes a step.
    pub(super) fn add(&mut self, world: &World, sample: NodeSample, seen: &Seen) {
        let (from, until) = (Nanos(self.steps * self.step.0), Nanos((self.steps + 1) * self.step.0));
        self.steps += 1;
        let measured = self.steps > self.warm;
        let taken = self.steps.is_multiple_of(self.every);
        let seconds = self.step.as_secs_f64();
        let point = |value| SeriesPoint { from, until, value };
        let kind = labels([("kind", "operation")]);
        self.series.value(vocabulary::OPERATIONS_PER_SECOND, &kind, point(seen.done as f64 / seconds));
        self.series.value(vocabulary::DROPPED_PER_SECOND, &SeriesLabels::new(), point(seen.dropped as f64 / seconds));
        let rows = seen.done as f64 * world.each.rows / seconds;
        self.series.value(vocabulary::ROWS_ADDED_PER_SECOND, &SeriesLabels::new(), point(rows));
        self.series.value(vocabulary::WRITTEN_BYTES_PER_SECOND, &SeriesLabels::new(), point(seen.user_bytes / seconds));
        self.series.value(vocabulary::CLIENTS_IN_FLIGHT, &SeriesLabels::new(), point(world.ops.len() as f64));
        self.latencies.add(&seen.latencies).expect("all histograms are alike and grow");
        if taken && !self.latencies.is_empty() {
            let histogram = std::mem::replace(&mut self.latencies, timeline::latencies());
            self.series.latency(vocabulary::LATENCY, &kind, LatencyPoint { from: self.since, until, histogram });
        }
        if taken {
            self.since = until;
        }
        let totals = Totals::of(world, &sample);
        for (index, (spec, _)) in COUNTERS.into_iter().enumerate() {
            let grown = totals.counters[index] - self.last.counters[index];
            self.series.value(spec, &self.labels, point(grown));
        }
        for (spec, of) in GAUGES {
            self.series.value(spec, &self.labels, point(of(world)));
        }
        for (index, (_, name)) in THREADS.into_iter().enumerate() {
            let mut labels = self.labels.clone();
            labels.insert("pool".to_owned(), name.to_owned());
            let grown = totals.busy[index] - self.last.busy[index];
            self.series.value(vocabulary::CPU_TIME, &labels, point(grown));
        }
        for (what, share) in self.shares(world, &sample, &totals).into_iter().filter(|(_, share)| *share > 0.0) {
            let share = share.min(1.0);
            let mut labels = self.labels.clone();
            labels.insert("by".to_owned(), what.clone());
            self.series.value(vocabulary::HELD_UP_TIME, &labels, point(share * seconds));
            if measured {
                self.held.add(&what, 0, share, (from, until));
            }
        }
        self.last = totals;
        if measured {
            self.all.add(&seen.latencies).expect("all histograms are alike and grow");
            self.seen.iter_mut().zip([seen.done, seen.arrived, seen.dropped]).for_each(|(sum, more)| *sum += more);
            self.user_bytes += seen.user_bytes;
        } else {
            self.start = self.last.clone();
        }
        self.samples.push(sample);
        self.disk_latencies.push(if taken { world.disks.latencies() } else { Vec::new() });
        if self.samples.len() >= KEPT && taken {
            self.disks();
        }
    }

    /// For which share of the step each thing held operations up.
    fn shares(&self, world: &World, sample: &NodeSample, now: &Totals) -> Vec<(String, f64)> {
        let seconds = self.step.as_secs_f64();
        let mut shares = Vec::new();
        let bound = now.disks.bound_since(&self.last.disks, sample, seconds);
        shares.extend(bound.map(|(_, what, share)| (what, share)));
        let busy: f64 = now.busy.iter().zip(&self.last.busy).map(|(is, was)| is - was).sum();
        let used = busy / (world.cpu.threads() * seconds);
        shares.push(("CPU".to_owned(), if used >= BUSY { used } else { 0.0 }));
        for (index, name) in WAITS {
            shares.push((name.to_owned(), (now.counters[index] - self.last.counters[index]) / seconds));
        }
        shares
    }

    /// Turns the kept samples of the disks into points; the last stays, for the next begin where it ends.
    fn disks(&mut self) {
        let points = metrics::timeline(&self.samples, &self.disk_latencies, TimelineInfo::default());
        let (Some(sample), Some(latencies)) = (self.samples.pop(), self.disk_latencies.pop()) else { return };
        self.samples = vec![sample];
        self.disk_latencies = vec![latencies];
        self.series.extend(points, &self.labels);
    }

    /// All series.
    pub(super) fn finish(mut self, about: TimelineInfo) -> Timeline {
        self.disks();
        Timeline { about, series: self.series.finish_sorted() }
    }

    /// The sums of all measured steps.
    pub(super) fn summary(&mut self, world: &World, unit: WorkUnit, full: Option<DiskFull>) -> RunSummary {
        let until = Nanos(self.steps * self.step.0);
        // A run that was over in its warm-up has measured nothing.
        let from = Nanos(self.warm * self.step.0).min(until);
        let seconds = (world.finished.unwrap_or(until).max(from) - from).as_secs_f64().max(1e-9);
        let [done, arrived, dropped] = self.seen;
        let carried = done as f64 / seconds;
        let saturated = match world.sent {
            Sent::Open(_) => Saturation::of(arrived as f64 / seconds, carried, dropped),
            Sent::Closed(..) => None,
        };
        let grown = |spec: SeriesSpec| {
            let index = COUNTERS.iter().position(|(of, _)| *of == spec).expect("a counter of this module");
            self.last.counters[index] - self.start.counters[index]
        };
        let innodb = InnodbUse {
            rows: done as f64 * world.each.rows,
            finished: world.finished,
            redo_bytes: grown(vocabulary::REDO_BYTES),
            redo_syncs: grown(vocabulary::REDO_FSYNCS),
            binlog_bytes: grown(vocabulary::BINLOG_BYTES),
            binlog_syncs: self.last.binlog_syncs - self.start.binlog_syncs,
            pages_read: grown(vocabulary::PAGES_READ),
            pages_written: grown(vocabulary::PAGES_WRITTEN),
            doublewrite_pages: grown(vocabulary::DOUBLEWRITE_PAGES),
            redo_full: grown(vocabulary::REDO_FULL_TIME),
            pool_full: grown(vocabulary::BUFFER_POOL_WAIT_TIME),
        };
        let used = ResourceUse {
            seconds,
            user_bytes: self.user_bytes,
            node_cpu: self.last.busy.iter().zip(&self.start.busy).map(|(is, was)| is - was).sum(),
            sql_cpu: None,
            disk_ios: self.last.disks.ios - self.start.disks.ios,
            disk_bytes: self.last.disks.bytes - self.start.disks.bytes,
            ..ResourceUse::default()
        };
        RunSummary {
            from,
            until,
            operations_per_second: carried,
            throughput: carried * unit.per_operation,
            unit: unit.name,
            latency: if saturated.is_some() { None } else { LatencySummary::of(&self.all) },
            saturated,
            full,
            refused: 0,
            bound: std::mem::take(&mut self.held).finish(seconds),
            used,
            events: world.events,
            innodb: Some(innodb),
        }
    }
}
