//! Samples as our own series: a point for each interval between two samples, labelled `disk` (and `limit`). Rates are left
//! to the reader, for sums merge without loss: IOPS are `read_ops` over the interval.
//!
//! | series | unit | merge | is |
//! |---|---|---|---|
//! | `read_ops` `write_ops` `flush_ops` | Count | Sum | requests that completed |
//! | `read_bytes` `write_bytes` | Bytes | Sum | what they moved |
//! | `read_time` `write_time` `flush_time` | Seconds | Sum | their latencies, added up |
//! | `counted_ios` | Count | Sum | I/Os as the volumes' limits count them |
//! | `errors` | Count | Sum | requests that ended with an error |
//! | `cache_hits` `cache_misses` | Count | Sum | reads of a cached disk |
//! | `busy_time` `late_time` | Seconds | Sum | time with requests in flight; lateness of answers |
//! | `bound_time` by `limit` | Seconds | Sum | time in which the limit held up requests |
//! | `queue_depth` | None | Mean | requests in flight on average |
//! | `in_flight` | None | Max | requests in flight at the end |
//! | `iops_utilisation` `throughput_utilisation` | Percent | Mean | of the sustained limit; over 100 in a burst |
//! | `iops_limit` | CountPerSecond | Mean | the sustained limit |
//! | `throughput_limit` | BytesPerSecond | Mean | the sustained limit |
//! | `io_credits` `byte_credits` | Count, Bytes | Min | burst credits left at the end |
//! | `io_balance` `byte_balance` | Percent | Min | the same, of a full bucket |
//! | `instance_io_balance` `instance_byte_balance` | Percent | Min | those of the instance, labelled `instance` |
//! | `size` | Bytes | Max | of the disk |
//! | `read_latency` `write_latency` | nanoseconds | histogram | latencies, where they were taken |

use limits::BindingLimit;
use timeline::{LatencyHistogram, LatencyPoint, MergeRule, SeriesPoint, SeriesUnit, Timeline, TimelineInfo};
use units::Nanos;

use crate::collect::{Collect, labels};
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
    let mut series = Collect::default();
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

/// The series with one label, as the table above has them.
const SERIES: [(&str, SeriesUnit, MergeRule, Value); 25] = [
    ("read_ops", SeriesUnit::Count, MergeRule::Sum, |i| Some(i.count(|d| d.read.count))),
    ("write_ops", SeriesUnit::Count, MergeRule::Sum, |i| Some(i.count(|d| d.write.count))),
    ("flush_ops", SeriesUnit::Count, MergeRule::Sum, |i| Some(i.count(|d| d.flush.count))),
    ("read_bytes", SeriesUnit::Bytes, MergeRule::Sum, |i| Some(i.count(|d| d.read.bytes.0))),
    ("write_bytes", SeriesUnit::Bytes, MergeRule::Sum, |i| Some(i.count(|d| d.write.bytes.0))),
    ("read_time", SeriesUnit::Seconds, MergeRule::Sum, |i| Some(i.time(|d| d.read.time))),
    ("write_time", SeriesUnit::Seconds, MergeRule::Sum, |i| Some(i.time(|d| d.write.time))),
    ("flush_time", SeriesUnit::Seconds, MergeRule::Sum, |i| Some(i.time(|d| d.flush.time))),
    ("counted_ios", SeriesUnit::Count, MergeRule::Sum, |i| Some((i.now.counted - i.was.counted).max(0.0))),
    ("errors", SeriesUnit::Count, MergeRule::Sum, |i| Some(i.count(|d| d.errors))),
    ("cache_hits", SeriesUnit::Count, MergeRule::Sum, |i| {
        i.now.cache.map(|_| i.count(|d| d.cache.map_or(0, |c| c.hits)))
    }),
    ("cache_misses", SeriesUnit::Count, MergeRule::Sum, |i| {
        i.now.cache.map(|_| i.count(|d| d.cache.map_or(0, |c| c.misses)))
    }),
    ("busy_time", SeriesUnit::Seconds, MergeRule::Sum, |i| Some(i.time(|d| d.busy))),
    ("late_time", SeriesUnit::Seconds, MergeRule::Sum, |i| Some(i.time(|d| d.late))),
    ("queue_depth", SeriesUnit::None, MergeRule::Mean, |i| Some(i.rates.queue_depth)),
    ("in_flight", SeriesUnit::None, MergeRule::Max, |i| Some(i.now.in_flight as f64)),
    ("iops_utilisation", SeriesUnit::Percent, MergeRule::Mean, |i| i.rates.iops_utilisation.map(percent)),
    ("throughput_utilisation", SeriesUnit::Percent, MergeRule::Mean, |i| i.rates.throughput_utilisation.map(percent)),
    ("iops_limit", SeriesUnit::CountPerSecond, MergeRule::Mean, |i| i.now.iops_limit.map(|limit| limit.0)),
    ("throughput_limit", SeriesUnit::BytesPerSecond, MergeRule::Mean, |i| i.now.throughput_limit.map(|limit| limit.0)),
    ("io_credits", SeriesUnit::Count, MergeRule::Min, |i| i.now.ios.map(|credit| credit.now)),
    ("byte_credits", SeriesUnit::Bytes, MergeRule::Min, |i| i.now.bytes.map(|credit| credit.now)),
    ("io_balance", SeriesUnit::Percent, MergeRule::Min, |i| balance(i.now.ios)),
    ("byte_balance", SeriesUnit::Percent, MergeRule::Min, |i| balance(i.now.bytes)),
    ("size", SeriesUnit::Bytes, MergeRule::Max, |i| Some(i.now.size.as_f64())),
];

impl Interval<'_> {
    fn count(&self, of: fn(&DiskSample) -> u64) -> f64 {
        of(self.now).saturating_sub(of(self.was)) as f64
    }

    fn time(&self, of: fn(&DiskSample) -> Nanos) -> f64 {
        (of(self.now) - of(self.was)).as_secs_f64()
    }
}

fn disk(series: &mut Collect, interval: &Interval<'_>) {
    let point = |value| SeriesPoint { from: interval.from, until: interval.until, value };
    let of_disk = labels([("disk", interval.now.name.as_str())]);
    for (name, unit, merge, value) in SERIES {
        if let Some(value) = value(interval) {
            series.value(name, &of_disk, (unit, merge), point(value));
        }
    }
    let mut of_limit = of_disk;
    for limit in BindingLimit::OF_REQUESTS {
        let bound = (interval.now.bound.get(limit) - interval.was.bound.get(limit)).as_secs_f64();
        of_limit.insert("limit".to_owned(), limit.label());
        series.value("bound_time", &of_limit, (SeriesUnit::Seconds, MergeRule::Sum), point(bound));
    }
}

fn instance(series: &mut Collect, from: Nanos, now: &NodeSample) {
    let of_instance = labels([("instance", now.instance.as_deref().unwrap_or_default())]);
    let balances = [("instance_io_balance", now.instance_ios), ("instance_byte_balance", now.instance_bytes)];
    for (name, credit) in balances {
        if let Some(value) = balance(credit) {
            series.value(
                name,
                &of_instance,
                (SeriesUnit::Percent, MergeRule::Min),
                SeriesPoint { from, until: now.at, value },
            );
        }
    }
}

/// What a sample and the histograms beside it hold.
type Taken<'a> = (&'a NodeSample, &'a [DiskLatencies]);

fn histograms(series: &mut Collect, (before, were): Taken<'_>, (after, are): Taken<'_>) {
    for (disk, now) in after.disks.iter().zip(are) {
        let was = before.disks.iter().zip(were).find(|(d, _)| d.name == disk.name).map(|(_, was)| was);
        let Some(was) = was else { continue };
        let of_disk = labels([("disk", disk.name.as_str())]);
        for (name, was, now) in [("read_latency", &was.read, &now.read), ("write_latency", &was.write, &now.write)] {
            if let Some(histogram) = grown(was, now) {
                let point = LatencyPoint { from: before.at, until: after.at, histogram };
                series.latency(name, &of_disk, point);
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
