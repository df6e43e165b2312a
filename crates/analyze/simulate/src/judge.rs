//! What held operations up, and the sums of a run.

use events::node_name;
use limits::BindingLimit;
use metrics::NodeSample;
use units::Nanos;

use crate::cpu::Pool;
use crate::disk_totals::DiskTotals;
use crate::held::HeldUp;
use crate::sent::{Seen, Sent};
use crate::summary::{DiskFull, LatencySummary, ResourceUse, RunSummary, Saturation};
use crate::world::{Node, World};

/// A thread pool or the processors hold work up when they are so busy.
pub(crate) const BUSY: f64 = 0.9;

/// For which share of a step threads that were busy for so long held work up.
fn full(busy: f64, threads: f64, step: f64) -> f64 {
    let used = busy / (threads * step);
    if used >= BUSY { used } else { 0.0 }
}

/// Sums of the steps that are measured.
pub(crate) struct Judge {
    step: f64,
    from: Option<Nanos>,
    until: Nanos,
    latencies: timeline::LatencyHistogram,
    seen: [u64; 4],
    user_bytes: f64,
    held: HeldUp,
    /// Of each node, what was counted at the end of the last step, and at the end of the warm-up.
    last: Vec<Totals>,
    start: Vec<Totals>,
    /// Of each SQL node, thread-seconds at the end of the last step, and of all at the end of the warm-up.
    last_sql: Vec<f64>,
    start_sql: f64,
    zones: [f64; 2],
    zones_start: [f64; 2],
}

/// Counters of a node.
#[derive(Debug, Clone, Default)]
struct Totals {
    counts: crate::world::Counts,
    busy: [f64; Pool::ALL.len()],
    disks: DiskTotals,
}

impl Totals {
    fn of(node: &Node, sample: &NodeSample) -> Self {
        Self { counts: node.counts, busy: Pool::ALL.map(|pool| node.cpu.busy(pool)), disks: DiskTotals::of(sample) }
    }
}

impl Judge {
    /// Before anything has happened.
    pub(crate) fn new(world: &World, step: Nanos) -> Self {
        let totals: Vec<_> = world.nodes.iter().map(|node| Totals::of(node, &node.disks.baseline())).collect();
        Self {
            step: step.as_secs_f64(),
            from: None,
            until: Nanos(0),
            latencies: timeline::latencies(),
            seen: [0; 4],
            user_bytes: 0.0,
            held: HeldUp::default(),
            last: totals.clone(),
            start: totals,
            last_sql: vec![0.0; world.sql.len()],
            start_sql: 0.0,
            zones: [0.0; 2],
            zones_start: [0.0; 2],
        }
    }

    /// Takes a step that ends at `until`, one of the warm-up only to move the start; what held up each node in it, and for
    /// which share of the step. SQL nodes are numbered after the storage nodes.
    pub(crate) fn add(
        &mut self,
        world: &World,
        samples: &[NodeSample],
        seen: &Seen,
        until: Nanos,
        measured: bool,
    ) -> Vec<(usize, String, f64)> {
        let totals: Vec<_> = world.nodes.iter().zip(samples).map(|(node, sample)| Totals::of(node, sample)).collect();
        let mut zones = [0.0; 2];
        for (kind, from, to, bytes) in world.network.counted() {
            if from != to {
                zones[usize::from(kind == "client")] += bytes;
            }
        }
        self.zones = zones;
        self.until = until;
        let last = std::mem::replace(&mut self.last, totals);
        let mut all = Vec::new();
        for (index, node) in world.nodes.iter().enumerate() {
            let shares = self.shares(node, &samples[index], &last[index], &self.last[index]);
            let real = shares.into_iter().filter(|(_, share)| *share > 0.0);
            all.extend(real.map(|(what, share)| (index, what, share.min(1.0))));
        }
        for (index, node) in world.sql.iter().enumerate() {
            let busy = node.busy() - std::mem::replace(&mut self.last_sql[index], node.busy());
            let share = full(busy, node.threads(), self.step).min(1.0);
            all.extend((share > 0.0).then(|| (world.nodes.len() + index, "SQL CPU".to_owned(), share)));
        }
        if !measured {
            self.start = self.last.clone();
            self.start_sql = self.last_sql.iter().sum();
            self.zones_start = zones;
            return all;
        }
        let began = until - Nanos::from_secs_f64(self.step);
        self.from.get_or_insert(began);
        self.latencies.add(&seen.latencies).expect("all histograms are alike and grow");
        let more = [seen.done, seen.arrived, seen.dropped, seen.busy];
        self.seen.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        self.user_bytes += seen.user_bytes;
        for (index, what, share) in &all {
            self.held.add(what, *index, *share, (began, until));
        }
        all
    }

    /// For which share of a step each thing held a node up.
    fn shares(&self, node: &Node, sample: &NodeSample, was: &Totals, is: &Totals) -> Vec<(String, f64)> {
        let now = Nanos(sample.at.0.saturating_sub(1));
        let mut shares = Vec::new();
        let bound = is.disks.bound_since(&was.disks, sample, self.step);
        shares.extend(
            bound
                .filter(|(limit, _, share)| *share > 0.0 && *limit != BindingLimit::Fault)
                .map(|(_, what, share)| (what, share)),
        );
        for (index, disk) in sample.disks.iter().enumerate() {
            // A disk that is only slow lets nothing wait before it begins: that it has a fault is all there is to tell.
            if node.disks.faulty(index, now) {
                shares.push((format!("{} disk: fault", disk.name), 1.0));
            }
        }
        if node.outage.away {
            shares.push(("node away".to_owned(), 1.0));
        }
        let full = |busy: f64, threads: f64| full(busy, threads, self.step);
        let busy = |pool: Pool| is.busy[pool as usize] - was.busy[pool as usize];
        shares.push(("CPU".to_owned(), full(Pool::ALL.into_iter().map(busy).sum(), node.cpu.threads())));
        for pool in [Pool::Scheduler, Pool::Store, Pool::Apply, Pool::Read] {
            shares.push((format!("{} threads", pool.name()), full(busy(pool), f64::from(node.cpu.most(pool)))));
        }
        let stalled = is.counts.stall_time > was.counts.stall_time || !node.held.is_empty();
        let throttled = is.counts.throttle_time > was.counts.throttle_time || node.flow.refused() > 0.0;
        shares.push(("write stall".to_owned(), f64::from(u8::from(stalled))));
        shares.push(("flow control".to_owned(), f64::from(u8::from(throttled))));
        shares
    }

    /// The summary of all measured steps.
    pub(crate) fn finish(
        self,
        world: &World,
        unit: workload::ThroughputUnit,
        full: Option<(usize, Nanos)>,
    ) -> RunSummary {
        let from = self.from.unwrap_or(self.until);
        let seconds = (self.until - from).as_secs_f64().max(1e-9);
        let [done, arrived, dropped, refused] = self.seen;
        let carried = done as f64 / seconds;
        let saturated = match world.sent {
            Sent::Open(_) => Saturation::of(arrived as f64 / seconds, carried, dropped),
            Sent::Closed(..) => None,
        };
        let bound = self.held.finish(seconds);
        let grown = |of: fn(&Totals) -> f64| -> f64 {
            self.last.iter().zip(&self.start).map(|(is, was)| of(is) - of(was)).sum()
        };
        let (hits, misses) = (grown(|t| t.counts.hits), grown(|t| t.counts.misses));
        RunSummary {
            from,
            until: self.until,
            operations_per_second: carried,
            throughput: carried * unit.per_operation,
            unit: unit.name,
            latency: if saturated.is_some() { None } else { LatencySummary::of(&self.latencies) },
            saturated,
            full: full.map(|(node, at)| DiskFull { node: node_name(node), at }),
            refused,
            bound,
            used: ResourceUse {
                seconds,
                user_bytes: self.user_bytes,
                flush_bytes: grown(|t| t.counts.flush),
                compaction_read_bytes: grown(|t| t.counts.compaction_read),
                compaction_write_bytes: grown(|t| t.counts.compaction_write),
                raft_log_bytes: grown(|t| t.counts.log),
                raft_log_syncs: grown(|t| t.counts.syncs),
                held_up: grown(|t| t.counts.stall_time + t.counts.throttle_time),
                cache_hit_rate: (hits + misses > 0.0).then(|| hits / (hits + misses)),
                cross_zone_peer_bytes: self.zones[0] - self.zones_start[0],
                cross_zone_client_bytes: self.zones[1] - self.zones_start[1],
                node_cpu: grown(|t| t.busy.iter().sum()),
                sql_cpu: (!world.sql.is_empty()).then(|| self.last_sql.iter().sum::<f64>() - self.start_sql),
                disk_ios: grown(|t| t.disks.ios),
                disk_bytes: grown(|t| t.disks.bytes),
            },
            events: world.events,
            innodb: None,
        }
    }
}
