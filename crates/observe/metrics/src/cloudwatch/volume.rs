//! AWS/EBS: one volume over one period.

use units::{Iops, Nanos};

use super::table::Metric;
use crate::thresholds::THRESHOLDS;
use crate::{CreditGauge, DiskSample, LimitShares, ModificationStage, RequestCounters};

/// The samples of a disk over a period.
pub(super) struct Period<'a> {
    samples: &'a [(Nanos, &'a DiskSample)],
    first: &'a DiskSample,
    last: &'a DiskSample,
    span: Nanos,
    members: f64,
    bound: LimitShares,
    stalled: bool,
    nitro: bool,
}

impl<'a> Period<'a> {
    /// `None` where the disk was not there for any time.
    pub(super) fn new(samples: &'a [(Nanos, &'a DiskSample)], stalled: bool, nitro: bool) -> Option<Self> {
        let ((from, first), (until, last)) = (*samples.first()?, *samples.last()?);
        let span = until - from;
        let members = f64::from(last.members());
        let bound = LimitShares::of(&first.bound, &last.bound, span);
        (span > Nanos(0)).then_some(Self { samples, first, last, span, members, bound, stalled, nitro })
    }

    /// The metric of each member; `None` where CloudWatch would publish none.
    pub(super) fn value(&self, metric: Metric) -> Option<f64> {
        let (read, write) = (self.grown(DiskSample::volume_read), self.grown(|disk| disk.write));
        let each = |amount: f64| Some(amount / self.members);
        match metric {
            Metric::VolumeReadOps => each(read.count as f64),
            Metric::VolumeWriteOps => each(write.count as f64),
            Metric::VolumeReadBytes => each(read.bytes.as_f64()),
            Metric::VolumeWriteBytes => each(write.bytes.as_f64()),
            Metric::VolumeTotalReadTime => each(read.time.as_secs_f64()),
            Metric::VolumeTotalWriteTime => each(write.time.as_secs_f64()),
            Metric::VolumeIdleTime => Some((self.span - (self.last.busy - self.first.busy)).as_secs_f64()),
            Metric::VolumeQueueLength => each(self.queue_length()),
            Metric::VolumeThroughputPercentage => {
                let provisioned = self.last.iops_limit.filter(|limit| limit.0 > 0.0)?;
                Some((self.counted() / self.span.as_secs_f64() / provisioned.0 * 100.0).min(100.0))
            }
            Metric::VolumeConsumedReadWriteOps => each(self.counted()),
            Metric::BurstBalance => self.burst_balance(),
            Metric::VolumeIOPSExceededCheck => {
                let needed = self.last.iops_limit.unwrap_or(Iops(0.0)).0;
                Some(self.exceeded(self.bound.volume_iops, self.counted(), needed))
            }
            Metric::VolumeThroughputExceededCheck => {
                let needed = self.last.throughput_limit.map_or(0.0, |limit| limit.0);
                Some(self.exceeded(self.bound.volume_throughput, read.bytes.as_f64() + write.bytes.as_f64(), needed))
            }
            Metric::VolumeStalledIOCheck => Some(f64::from(self.stalled)),
            Metric::VolumeAvgReadLatency => latency(read),
            Metric::VolumeAvgWriteLatency => latency(write),
            _ => None,
        }
    }

    fn grown(&self, of: fn(&DiskSample) -> RequestCounters) -> RequestCounters {
        let (before, after) = (of(self.first), of(self.last));
        RequestCounters {
            count: after.count.saturating_sub(before.count),
            bytes: after.bytes - before.bytes,
            time: after.time - before.time,
        }
    }

    fn counted(&self) -> f64 {
        (self.last.counted - self.first.counted).max(0.0)
    }

    /// Requests to the volumes in flight, on average: those that a cache answered are taken off.
    fn queue_length(&self) -> f64 {
        let hits = |disk: &DiskSample| disk.cache.map_or(Nanos(0), |cache| cache.hit_time);
        let queued = self.last.queued - self.first.queued;
        (queued - (hits(self.last) - hits(self.first))).as_secs_f64() / self.span.as_secs_f64()
    }

    /// 1 if the limit held requests up for most of the time while the volume delivered it. A volume that delivers less is
    /// degraded; one that is being modified has no limit that its sample could tell.
    fn exceeded(&self, bound: f64, delivered: f64, limit: f64) -> f64 {
        let settled = matches!(self.last.modification, ModificationStage::None | ModificationStage::Completed);
        let needed = if settled { THRESHOLDS.delivered_share * limit * bound * self.span.as_secs_f64() } else { 0.0 };
        f64::from(bound >= THRESHOLDS.exceeded_share && delivered >= needed)
    }

    /// Of I/O credits for gp2, of throughput credits for st1 and sc1. A volume whose baseline is no less than its burst has
    /// none: on Nitro it reports nothing, elsewhere that all are left.
    fn burst_balance(&self) -> Option<f64> {
        let credit = |disk: &DiskSample| disk.ios.or(disk.bytes);
        let samples = self.samples.iter().map(|(at, disk)| (*at, credit(disk)));
        mean_balance(samples).or_else(|| (!self.nitro).then_some(100.0))
    }
}

/// The mean over time of what is left, in percent; `None` if there never was a bucket.
pub(super) fn mean_balance(samples: impl Iterator<Item = (Nanos, Option<CreditGauge>)>) -> Option<f64> {
    let (mut area, mut time, mut last) = (0.0, 0.0, None);
    for (at, credit) in samples {
        let now = credit.map(|credit| (at, credit.share()));
        if let (Some((was_at, was)), Some((_, share))) = (last, now) {
            let span = (at - was_at).as_secs_f64();
            area += (was + share) / 2.0 * span;
            time += span;
        }
        last = now;
    }
    (time > 0.0).then(|| (area / time * 100.0).clamp(0.0, 100.0))
}

/// The mean latency in milliseconds; none without operations.
fn latency(done: RequestCounters) -> Option<f64> {
    (done.count > 0).then(|| done.time.as_millis_f64() / done.count as f64)
}
