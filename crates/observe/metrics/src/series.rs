//! Samples as our own series: a point for each interval between two samples, labelled `disk` (and `limit`). Rates are left
//! to the reader, for sums merge without loss: IOPS are `read_ops` over the interval. The series are those of disks in
//! [`timeline::vocabulary`].

use limits::BindingLimit;
use timeline::{
    LatencyHistogram, LatencyPoint, SeriesPoint, SeriesSpec, Timeline, TimelineBuilder, TimelineInfo, labels,
    vocabulary,
};
use units::Nanos;

use crate::rates::{DiskRates, rates};
use crate::{CreditGauge, DiskSample, NodeSample};

/// The latencies of a disk's requests since it was attached, in nanoseconds.
#[derive(Debug, Clone, PartialEq)]
pub struct DiskLatencies {
    /// Of reads.
    pub read: LatencyHistogram,
    /// Of writes.
    pub write: LatencyHistogram,
}

/// The samples as series, one point for each interval between two of them; a sample that is not later than the one before
/// is passed over. `latencies` is parallel to `samples`: each entry holds those of the sample's disks in their order, or
/// nothing where they were not taken; their points span from one that was taken to the next.
pub fn timeline(samples: &[NodeSample], latencies: &[Vec<DiskLatencies>], about: TimelineInfo) -> Timeline {
    let mut series = TimelineBuilder::default();
    let order = in_order(samples);
    for pair in order.windows(2) {
        let (before, after) = (&samples[pair[0]], &samples[pair[1]]);
        let rates = rates(before, after);
        instance(&mut series, before.at, after);
        for (now, rates) in after.disks.iter().zip(&rates.disks) {
            if let Some(was) = before.disk(&now.name) {
                disk(&mut series, &Interval { was, now, rates, from: before.at, until: after.at });
            }
        }
    }
    let taken: Vec<usize> = order.into_iter().filter(|i| latencies.get(*i).is_some_and(|l| !l.is_empty())).collect();
    for pair in taken.windows(2) {
        let at = |i: usize| (&samples[i], latencies[i].as_slice());
        histograms(&mut series, at(pair[0]), at(pair[1]));
    }
    Timeline { about, series: series.finish() }
}

/// The samples that are later than all before them.
fn in_order(samples: &[NodeSample]) -> Vec<usize> {
    let mut order: Vec<usize> = Vec::with_capacity(samples.len());
    for (i, sample) in samples.iter().enumerate() {
        if order.last().is_none_or(|last| samples[*last].at < sample.at) {
            order.push(i);
        }
    }
    order
}

/// One disk over one interval.
struct Interval<'a> {
    was: &'a DiskSample,
    now: &'a DiskSample,
    rates: &'a DiskRates,
    from: Nanos,
    until: Nanos,
}

/// The value of a series; `None` where it does not apply to the disk.
type Value = fn(&Interval<'_>) -> Option<f64>;

/// The series with one label, in the order of files.
const SERIES: [(SeriesSpec, Value); 25] = [
    (vocabulary::READ_OPS, |i| Some(i.count(|d| d.read.count))),
    (vocabulary::WRITE_OPS, |i| Some(i.count(|d| d.write.count))),
    (vocabulary::FLUSH_OPS, |i| Some(i.count(|d| d.flush.count))),
    (vocabulary::READ_BYTES, |i| Some(i.count(|d| d.read.bytes.0))),
    (vocabulary::WRITE_BYTES, |i| Some(i.count(|d| d.write.bytes.0))),
    (vocabulary::READ_TIME, |i| Some(i.time(|d| d.read.time))),
    (vocabulary::WRITE_TIME, |i| Some(i.time(|d| d.write.time))),
    (vocabulary::FLUSH_TIME, |i| Some(i.time(|d| d.flush.time))),
    (vocabulary::COUNTED_IOS, |i| Some((i.now.counted - i.was.counted).max(0.0))),
    (vocabulary::ERRORS, |i| Some(i.count(|d| d.errors))),
    (vocabulary::CACHE_HITS, |i| i.now.cache.map(|_| i.count(|d| d.cache.map_or(0, |c| c.hits)))),
    (vocabulary::CACHE_MISSES, |i| i.now.cache.map(|_| i.count(|d| d.cache.map_or(0, |c| c.misses)))),
    (vocabulary::BUSY_TIME, |i| Some(i.time(|d| d.busy))),
    (vocabulary::LATE_TIME, |i| Some(i.time(|d| d.late))),
    (vocabulary::QUEUE_DEPTH, |i| Some(i.rates.queue_depth)),
    (vocabulary::IN_FLIGHT, |i| Some(i.now.in_flight as f64)),
    (vocabulary::IOPS_UTILISATION, |i| i.rates.iops_utilisation.map(percent)),
    (vocabulary::THROUGHPUT_UTILISATION, |i| i.rates.throughput_utilisation.map(percent)),
    (vocabulary::IOPS_LIMIT, |i| i.now.iops_limit.map(|limit| limit.0)),
    (vocabulary::THROUGHPUT_LIMIT, |i| i.now.throughput_limit.map(|limit| limit.0)),
    (vocabulary::IO_CREDITS, |i| i.now.ios.map(|credit| credit.now)),
    (vocabulary::BYTE_CREDITS, |i| i.now.bytes.map(|credit| credit.now)),
    (vocabulary::IO_BALANCE, |i| balance(i.now.ios)),
    (vocabulary::BYTE_BALANCE, |i| balance(i.now.bytes)),
    (vocabulary::SIZE, |i| Some(i.now.size.as_f64())),
];

impl Interval<'_> {
    fn count(&self, of: fn(&DiskSample) -> u64) -> f64 {
        of(self.now).saturating_sub(of(self.was)) as f64
    }

    fn time(&self, of: fn(&DiskSample) -> Nanos) -> f64 {
        (of(self.now) - of(self.was)).as_secs_f64()
    }
}

fn disk(series: &mut TimelineBuilder, interval: &Interval<'_>) {
    let point = |value| SeriesPoint { from: interval.from, until: interval.until, value };
    let of_disk = labels([("disk", interval.now.name.as_str())]);
    for (spec, value) in SERIES {
        if let Some(value) = value(interval) {
            series.value(spec, &of_disk, point(value));
        }
    }
    let mut of_limit = of_disk;
    for limit in BindingLimit::OF_REQUESTS {
        let bound = (interval.now.bound.get(limit) - interval.was.bound.get(limit)).as_secs_f64();
        of_limit.insert("limit".to_owned(), limit.label());
        series.value(vocabulary::BOUND_TIME, &of_limit, point(bound));
    }
}

fn instance(series: &mut TimelineBuilder, from: Nanos, now: &NodeSample) {
    let of_instance = labels([("instance", now.instance.as_deref().unwrap_or_default())]);
    let balances =
        [(vocabulary::INSTANCE_IO_BALANCE, now.instance_ios), (vocabulary::INSTANCE_BYTE_BALANCE, now.instance_bytes)];
    for (spec, credit) in balances {
        if let Some(value) = balance(credit) {
            series.value(spec, &of_instance, SeriesPoint { from, until: now.at, value });
        }
    }
}

/// What a sample and the histograms beside it hold.
type Taken<'a> = (&'a NodeSample, &'a [DiskLatencies]);

fn histograms(series: &mut TimelineBuilder, (before, were): Taken<'_>, (after, are): Taken<'_>) {
    for (disk, now) in after.disks.iter().zip(are) {
        let was = before.disks.iter().zip(were).find(|(d, _)| d.name == disk.name).map(|(_, was)| was);
        let Some(was) = was else { continue };
        let of_disk = labels([("disk", disk.name.as_str())]);
        let both =
            [(vocabulary::READ_LATENCY, &was.read, &now.read), (vocabulary::WRITE_LATENCY, &was.write, &now.write)];
        for (spec, was, now) in both {
            if let Some(histogram) = grown(was, now) {
                let point = LatencyPoint { from: before.at, until: after.at, histogram };
                series.latency(spec, &of_disk, point);
            }
        }
    }
}

/// What was recorded in between; `None` if nothing was, or if the histograms are not of one run.
fn grown(was: &LatencyHistogram, now: &LatencyHistogram) -> Option<LatencyHistogram> {
    let mut grown = timeline::latencies();
    grown.add(now).ok()?;
    grown.subtract(was).ok()?;
    (!grown.is_empty()).then_some(grown)
}

fn balance(credit: Option<CreditGauge>) -> Option<f64> {
    credit.map(|credit| percent(credit.share()))
}

fn percent(share: f64) -> f64 {
    share * 100.0
}

#[cfg(test)]
#[path = "series_tests.rs"]
mod tests;
