//! Two samples as what happens now: rates, latencies, what binds, and how long credits last.

use disk::CreditBalance;
use limits::BindingLimit;
use units::{Bytes, BytesPerSec, Iops, Nanos};

use crate::thresholds::THRESHOLDS;
use crate::{CacheCounters, CreditGauge, DiskSample, LimitShares, ModificationStage, NodeSample, RequestCounters};

/// What the disks of a node did between two samples.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct NodeRates {
    /// When it ends, since the disks were attached.
    pub at: Nanos,
    /// How long it is; zero if the samples are not in order, and then all rates are zero.
    pub span: Nanos,
    /// The instance type whose caps the disks share, if any.
    pub instance: Option<String>,
    /// The instance's burst credits on I/Os, where it bursts.
    pub instance_ios: Option<BurstRate>,
    /// The instance's burst credits on bytes, where it bursts.
    pub instance_bytes: Option<BurstRate>,
    /// Its disks, in the order of the later sample; one that the earlier sample lacks has done nothing yet.
    pub disks: Vec<DiskRates>,
}

/// What one disk did between two samples.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct DiskRates {
    /// Its name on the node: `data`, `raft`.
    pub name: String,
    /// As people write it.
    pub disk: String,
    /// The type of its volumes in the catalogue.
    pub kind: String,
    /// The block device under it, once there is one.
    pub device: Option<String>,
    /// Its size.
    pub size: Bytes,
    /// Sustained I/Os a second; `None` without limit.
    pub iops_limit: Option<Iops>,
    /// Sustained bytes a second; `None` without limit.
    pub throughput_limit: Option<BytesPerSec>,
    /// Reads.
    pub read: RequestFlow,
    /// Writes.
    pub write: RequestFlow,
    /// Flushes.
    pub flush: RequestFlow,
    /// I/Os a second as the volumes' limits count them.
    pub counted: Iops,
    /// Requests in flight, on average.
    pub queue_depth: f64,
    /// Requests in flight at the end.
    pub in_flight: u64,
    /// Share of the time, 0 to 1, with at least one request in flight.
    pub busy: f64,
    /// Counted I/Os a second over the sustained limit; over 1 in a burst. `None` without limit.
    pub iops_utilisation: Option<f64>,
    /// Bytes a second that reached the volumes over the sustained limit; over 1 in a burst. `None` without limit.
    pub throughput_utilisation: Option<f64>,
    /// Share of the time, 0 to 1, in which each limit held up at least one request.
    pub bound: LimitShares,
    /// The limit with the largest share; `None` when none held anything up for a noticeable time.
    pub binds: Option<BindingLimit>,
    /// I/O credits, where the disk bursts so.
    pub ios: Option<BurstRate>,
    /// Byte credits, where the disk bursts so.
    pub bytes: Option<BurstRate>,
    /// Share of the reads, 0 to 1, that the cache answered; `None` without a cache or reads.
    pub cache_hit_rate: Option<f64>,
    /// Requests that ended with an error.
    pub errors: u64,
    /// How late an answer left on average, beyond when the model wanted it; `None` without answers.
    pub late: Option<Nanos>,
    /// How far its last modification is.
    pub modification: ModificationStage,
}

/// Requests of one kind over a while.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize, serde::Deserialize)]
pub struct RequestFlow {
    /// Requests a second, as they were made.
    pub iops: Iops,
    /// Bytes a second.
    pub throughput: BytesPerSec,
    /// Their mean latency; `None` when none completed.
    pub latency: Option<Nanos>,
}

/// Burst credits and where they are going.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct BurstRate {
    /// What is left, in I/Os or bytes.
    pub now: f64,
    /// What is left, 0 to 1.
    pub share: f64,
    /// What was spent a second, in I/Os or bytes.
    pub spent: f64,
    /// When none are left if the spending goes on; zero when they are gone, `None` if they last for ever.
    pub runs_out: Option<Nanos>,
}

/// What the disks did between two samples of the same node.
pub fn rates(before: &NodeSample, after: &NodeSample) -> NodeRates {
    let span = after.at - before.at;
    let burst =
        |before: &Option<CreditGauge>, after: &Option<CreditGauge>| after.map(|now| BurstRate::of(*before, now, span));
    NodeRates {
        at: after.at,
        span,
        instance: after.instance.clone(),
        instance_ios: burst(&before.instance_ios, &after.instance_ios),
        instance_bytes: burst(&before.instance_bytes, &after.instance_bytes),
        disks: after.disks.iter().map(|disk| disk_rates(before.disk(&disk.name).unwrap_or(disk), disk, span)).collect(),
    }
}

fn disk_rates(before: &DiskSample, after: &DiskSample, span: Nanos) -> DiskRates {
    let counted = Iops(per_second((after.counted - before.counted).max(0.0), span));
    let reached = |disk: &DiskSample| disk.volume_read().bytes.as_f64() + disk.write.bytes.as_f64();
    let throughput = per_second((reached(after) - reached(before)).max(0.0), span);
    let bound = LimitShares::of(&before.bound, &after.bound, span);
    let answers = after.answered().saturating_sub(before.answered());
    let over = |rate: f64, limit: f64| if limit > 0.0 { rate / limit } else { 0.0 };
    DiskRates {
        name: after.name.clone(),
        disk: after.disk.clone(),
        kind: after.kind.clone(),
        device: after.device.clone(),
        size: after.size,
        iops_limit: after.iops_limit,
        throughput_limit: after.throughput_limit,
        read: RequestFlow::of(before.read, after.read, span),
        write: RequestFlow::of(before.write, after.write, span),
        flush: RequestFlow::of(before.flush, after.flush, span),
        counted,
        queue_depth: share(before.queued, after.queued, span),
        in_flight: after.in_flight,
        busy: share(before.busy, after.busy, span).min(1.0),
        iops_utilisation: after.iops_limit.map(|limit| over(counted.0, limit.0)),
        throughput_utilisation: after.throughput_limit.map(|limit| over(throughput, limit.0)),
        bound,
        binds: bound.binds(),
        ios: after.ios.map(|now| BurstRate::of(before.ios, now, span)),
        bytes: after.bytes.map(|now| BurstRate::of(before.bytes, now, span)),
        cache_hit_rate: after.cache.and_then(|now| hit_rate(before.cache.unwrap_or_default(), now)),
        errors: after.errors.saturating_sub(before.errors),
        late: mean(after.late - before.late, answers),
        modification: after.modification,
    }
}

impl RequestFlow {
    fn of(before: RequestCounters, after: RequestCounters, span: Nanos) -> Self {
        let count = after.count.saturating_sub(before.count);
        Self {
            iops: Iops(per_second(count as f64, span)),
            throughput: BytesPerSec(per_second((after.bytes - before.bytes).as_f64(), span)),
            latency: mean(after.time - before.time, count),
        }
    }
}

impl BurstRate {
    /// What was spent follows from the balance, so it holds for a stripe's volume and an instance's bucket alike. A balance
    /// that was full both times hides what was spent of the income: then it lasts for ever anyway.
    fn of(before: Option<CreditGauge>, now: CreditGauge, span: Nanos) -> Self {
        let lost = before.map_or(0.0, |before| per_second(before.now - now.now, span));
        let spent = (now.accrual + lost).max(0.0);
        let balance = CreditBalance { now: now.now, capacity: now.capacity, accrual: now.accrual };
        // An empty bucket no longer falls: it is spent as fast as it earns.
        let dry = now.share() < THRESHOLDS.empty_share && span > Nanos(0) && spent >= 0.99 * now.accrual;
        let runs_out = if dry { Some(Nanos(0)) } else { balance.time_to_exhaustion(spent) };
        Self { now: now.now, share: now.share(), spent, runs_out }
    }
}

/// An amount over a span, a second; nothing over no time.
fn per_second(amount: f64, span: Nanos) -> f64 {
    if span > Nanos(0) { amount / span.as_secs_f64() } else { 0.0 }
}

/// The growth of a time over a span.
pub(crate) fn share(before: Nanos, after: Nanos, span: Nanos) -> f64 {
    per_second((after - before).as_secs_f64(), span)
}

fn mean(time: Nanos, count: u64) -> Option<Nanos> {
    time.0.checked_div(count).map(Nanos)
}

fn hit_rate(before: CacheCounters, after: CacheCounters) -> Option<f64> {
    let hits = after.hits.saturating_sub(before.hits);
    let reads = hits + after.misses.saturating_sub(before.misses);
    (reads > 0).then(|| hits as f64 / reads as f64)
}

#[cfg(test)]
#[path = "rates_tests.rs"]
mod tests;
