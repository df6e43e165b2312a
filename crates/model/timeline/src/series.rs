//! The noun: what a Timeline holds.

use std::collections::BTreeMap;

use hdrhistogram::Histogram;
use units::Nanos;

/// Latencies in nanoseconds, to three significant digits.
pub type LatencyHistogram = Histogram<u64>;

/// Everything that was seen of a run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Timeline {
    /// Description.
    pub about: TimelineInfo,
    /// One for each name and set of labels.
    pub series: Vec<Series>,
}

/// Description of a Timeline.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TimelineInfo {
    /// For people.
    pub title: String,
    /// The instant that its times count from; `None` in virtual time.
    pub start: Option<jiff::Timestamp>,
    /// Anything else worth keeping: disks, instance, command, versions.
    pub notes: BTreeMap<String, String>,
}

/// Points of one kind.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Name of the quantity: `VolumeReadOps`, `read_latency`.
    pub name: String,
    /// Subject: `disk` = `data`, `VolumeId` = `vol-…`.
    pub labels: BTreeMap<String, String>,
    /// The unit of its values; latencies are always in nanoseconds.
    pub unit: SeriesUnit,
    /// In order of time, not overlapping.
    pub points: SeriesPoints,
}

/// The units of series, named as CloudWatch names them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SeriesUnit {
    /// A number without unit, or a check that is 0 or 1.
    None,
    /// Things counted.
    Count,
    /// Things counted a second.
    CountPerSecond,
    /// Bytes.
    Bytes,
    /// Bytes a second.
    BytesPerSecond,
    /// Seconds.
    Seconds,
    /// Milliseconds.
    Milliseconds,
    /// 0 to 100.
    Percent,
}

/// The points of a series.
#[derive(Debug, Clone, PartialEq)]
pub enum SeriesPoints {
    /// Numbers, and how two become one.
    Values(MergeRule, Vec<SeriesPoint>),
    /// Histograms, which merge without loss.
    Latencies(Vec<LatencyPoint>),
}

/// How the values of consecutive intervals become that of the whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MergeRule {
    /// They add up.
    Sum,
    /// Their mean, weighted by time.
    Mean,
    /// The largest.
    Max,
    /// The smallest.
    Min,
}

/// A value of an interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SeriesPoint {
    /// Its start.
    pub from: Nanos,
    /// Its end, not part of it.
    pub until: Nanos,
    /// In the series' unit.
    pub value: f64,
}

/// The latencies of an interval.
#[derive(Debug, Clone, PartialEq)]
pub struct LatencyPoint {
    /// Its start.
    pub from: Nanos,
    /// Its end, not part of it.
    pub until: Nanos,
    /// Latencies of requests that completed in the interval, in nanoseconds.
    pub histogram: LatencyHistogram,
}
