//! What series are called: by us, by CloudWatch for volumes, and by RDS. A rate is a sum over its period.

use limits::BindingLimit;
use timeline::{Series, SeriesUnit, vocabulary};

use super::IntervalGrid;

/// What a series tells of a disk, whatever it is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Raw {
    Reads,
    Writes,
    ReadBytes,
    WriteBytes,
    Flushes,
    /// Seconds of requests, a second.
    ReadTime,
    WriteTime,
    /// Seconds a request.
    ReadLatency,
    WriteLatency,
    Queue,
    Counted,
    InFlight,
    /// A share of the full bucket.
    IoBalance,
    ByteBalance,
    /// The sustained limits.
    IopsLimit,
    ThroughputLimit,
    /// A share of the time.
    BoundVolumeIops,
    BoundVolumeThroughput,
    BoundInstanceIops,
    BoundInstanceThroughput,
    BoundFault,
    /// Time over what is provisioned, as the volume and its instance count it; a share.
    ExceededIops,
    ExceededThroughput,
    ExceededInstanceIops,
    ExceededInstanceThroughput,
    /// 0 or 1.
    CheckIops,
    CheckThroughput,
    CheckStalled,
    Cached,
}

/// A name, what it tells, the `limit` label that it must have, and what its values are multiplied with.
type Row = (&'static str, Raw, Option<BindingLimit>, f64);

/// Percent of a bucket become shares, milliseconds seconds. Metrics of AWS: reference `using_cloudwatch_ebs.md`,
/// `rds-metrics.md` of the AWS documentation; RDS gives latencies in seconds and rates a second.
const ROWS: [Row; 52] = [
    (vocabulary::READ_OPS.name, Raw::Reads, None, 1.0),
    (vocabulary::WRITE_OPS.name, Raw::Writes, None, 1.0),
    (vocabulary::READ_BYTES.name, Raw::ReadBytes, None, 1.0),
    (vocabulary::WRITE_BYTES.name, Raw::WriteBytes, None, 1.0),
    (vocabulary::FLUSH_OPS.name, Raw::Flushes, None, 1.0),
    (vocabulary::READ_TIME.name, Raw::ReadTime, None, 1.0),
    (vocabulary::WRITE_TIME.name, Raw::WriteTime, None, 1.0),
    (vocabulary::QUEUE_DEPTH.name, Raw::Queue, None, 1.0),
    (vocabulary::IN_FLIGHT.name, Raw::InFlight, None, 1.0),
    (vocabulary::COUNTED_IOS.name, Raw::Counted, None, 1.0),
    (vocabulary::IO_BALANCE.name, Raw::IoBalance, None, 0.01),
    (vocabulary::BYTE_BALANCE.name, Raw::ByteBalance, None, 0.01),
    (vocabulary::IOPS_LIMIT.name, Raw::IopsLimit, None, 1.0),
    (vocabulary::THROUGHPUT_LIMIT.name, Raw::ThroughputLimit, None, 1.0),
    (vocabulary::BOUND_TIME.name, Raw::BoundVolumeIops, Some(BindingLimit::VolumeIops), 1.0),
    (vocabulary::BOUND_TIME.name, Raw::BoundVolumeThroughput, Some(BindingLimit::VolumeThroughput), 1.0),
    (vocabulary::BOUND_TIME.name, Raw::BoundInstanceIops, Some(BindingLimit::InstanceIops), 1.0),
    (vocabulary::BOUND_TIME.name, Raw::BoundInstanceThroughput, Some(BindingLimit::InstanceThroughput), 1.0),
    (vocabulary::BOUND_TIME.name, Raw::BoundFault, Some(BindingLimit::Fault), 1.0),
    (vocabulary::VOLUME_IOPS_EXCEEDED.name, Raw::ExceededIops, None, 1.0),
    (vocabulary::VOLUME_THROUGHPUT_EXCEEDED.name, Raw::ExceededThroughput, None, 1.0),
    (vocabulary::INSTANCE_IOPS_EXCEEDED.name, Raw::ExceededInstanceIops, None, 1.0),
    (vocabulary::INSTANCE_THROUGHPUT_EXCEEDED.name, Raw::ExceededInstanceThroughput, None, 1.0),
    (vocabulary::CACHE_HITS.name, Raw::Cached, None, 1.0),
    ("VolumeReadOps", Raw::Reads, None, 1.0),
    ("VolumeWriteOps", Raw::Writes, None, 1.0),
    ("VolumeReadBytes", Raw::ReadBytes, None, 1.0),
    ("VolumeWriteBytes", Raw::WriteBytes, None, 1.0),
    ("VolumeTotalReadTime", Raw::ReadTime, None, 1.0),
    ("VolumeTotalWriteTime", Raw::WriteTime, None, 1.0),
    ("VolumeAvgReadLatency", Raw::ReadLatency, None, 1e-3),
    ("VolumeAvgWriteLatency", Raw::WriteLatency, None, 1e-3),
    ("VolumeQueueLength", Raw::Queue, None, 1.0),
    ("VolumeConsumedReadWriteOps", Raw::Counted, None, 1.0),
    ("VolumeIOPSExceededCheck", Raw::CheckIops, None, 1.0),
    ("VolumeThroughputExceededCheck", Raw::CheckThroughput, None, 1.0),
    ("VolumeStalledIOCheck", Raw::CheckStalled, None, 1.0),
    ("ReadIOPS", Raw::Reads, None, 1.0),
    ("WriteIOPS", Raw::Writes, None, 1.0),
    ("ReadThroughput", Raw::ReadBytes, None, 1.0),
    ("WriteThroughput", Raw::WriteBytes, None, 1.0),
    ("ReadLatency", Raw::ReadLatency, None, 1.0),
    ("WriteLatency", Raw::WriteLatency, None, 1.0),
    ("DiskQueueDepth", Raw::Queue, None, 1.0),
    // Of gp2 the I/O credits, of st1 and sc1 those of bytes: which bucket it is, the disk's kind decides.
    ("BurstBalance", Raw::IoBalance, None, 0.01),
    // As iostat and node_exporter may give them.
    (vocabulary::READ_IOPS.name, Raw::Reads, None, 1.0),
    (vocabulary::WRITE_IOPS.name, Raw::Writes, None, 1.0),
    (vocabulary::FLUSH_IOPS.name, Raw::Flushes, None, 1.0),
    (vocabulary::READ_BYTES_PER_SECOND.name, Raw::ReadBytes, None, 1.0),
    (vocabulary::WRITE_BYTES_PER_SECOND.name, Raw::WriteBytes, None, 1.0),
    (vocabulary::READ_AWAIT.name, Raw::ReadLatency, None, 1.0),
    (vocabulary::WRITE_AWAIT.name, Raw::WriteLatency, None, 1.0),
];

/// What a grid is laid by.
const PACES: [Raw; 7] = [
    Raw::Reads,
    Raw::Writes,
    Raw::IoBalance,
    Raw::ExceededIops,
    Raw::ExceededThroughput,
    Raw::ExceededInstanceIops,
    Raw::ExceededInstanceThroughput,
];

/// A column and what its series is called.
#[derive(Debug, Clone)]
pub(super) struct Column {
    pub(super) series: String,
    pub(super) values: Vec<Option<f64>>,
}

/// The limit that a series is labelled with.
fn limit_of(series: &Series) -> Option<BindingLimit> {
    series.labels.get("limit").and_then(|label| BindingLimit::named(label))
}

/// What the series of a disk tell, each brought to the grid when it is asked for.
pub(super) struct Told<'t> {
    pub(super) series: &'t [&'t Series],
    pub(super) grid: IntervalGrid,
}

impl Told<'_> {
    /// What is told under any of the names.
    pub(super) fn get(&self, raw: Raw) -> Option<Column> {
        let (series, factor) = ROWS.iter().filter(|row| row.1 == raw).find_map(|(name, _, limit, factor)| {
            let is =
                |series: &&&Series| series.name == *name && limit.is_none_or(|limit| limit_of(series) == Some(limit));
            self.series.iter().find(is).map(|series| (*series, *factor))
        })?;
        let factor = factor * millis(series, raw);
        let values = self.grid.column(series).into_iter().map(|value| value.map(|value| value * factor)).collect();
        let limit = series.labels.get("limit").map_or_else(String::new, |limit| format!("{{limit={limit}}}"));
        Some(Column { series: format!("{}{limit}", series.name), values })
    }

    /// The names that rates are read from, to lay the grid by.
    pub(super) fn paces<'s>(series: &'s [&'s Series]) -> impl Iterator<Item = &'s Series> + Clone {
        let of_rates = |series: &&&Series| {
            let tells = |row: &Row| row.0 == series.name && PACES.contains(&row.1);
            ROWS.iter().any(tells)
        };
        series.iter().filter(of_rates).copied()
    }
}

/// Latencies that are told in milliseconds under a name that has them in seconds.
fn millis(series: &Series, raw: Raw) -> f64 {
    let in_seconds = matches!(raw, Raw::ReadLatency | Raw::WriteLatency) && !series.name.starts_with("VolumeAvg");
    if in_seconds && series.unit == SeriesUnit::Milliseconds { 1e-3 } else { 1.0 }
}
