//! What series are called: by us, by CloudWatch for volumes, and by RDS. A rate is a sum over its period.

use timeline::{Series, SeriesUnit};

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
    /// 0 or 1.
    CheckIops,
    CheckThroughput,
    CheckStalled,
    Cached,
}

/// A name, what it tells, the `limit` label that it must have, and what its values are multiplied with.
type Row = (&'static str, Raw, Option<&'static str>, f64);

/// Percent of a bucket become shares, milliseconds seconds. Metrics of AWS: reference `using_cloudwatch_ebs.md`,
/// `rds-metrics.md` of the AWS documentation; RDS gives latencies in seconds and rates a second.
const ROWS: [Row; 48] = [
    ("read_ops", Raw::Reads, None, 1.0),
    ("write_ops", Raw::Writes, None, 1.0),
    ("read_bytes", Raw::ReadBytes, None, 1.0),
    ("write_bytes", Raw::WriteBytes, None, 1.0),
    ("flush_ops", Raw::Flushes, None, 1.0),
    ("read_time", Raw::ReadTime, None, 1.0),
    ("write_time", Raw::WriteTime, None, 1.0),
    ("queue_depth", Raw::Queue, None, 1.0),
    ("in_flight", Raw::InFlight, None, 1.0),
    ("counted_ios", Raw::Counted, None, 1.0),
    ("io_balance", Raw::IoBalance, None, 0.01),
    ("byte_balance", Raw::ByteBalance, None, 0.01),
    ("iops_limit", Raw::IopsLimit, None, 1.0),
    ("throughput_limit", Raw::ThroughputLimit, None, 1.0),
    ("bound_time", Raw::BoundVolumeIops, Some("volume_iops"), 1.0),
    ("bound_time", Raw::BoundVolumeThroughput, Some("volume_throughput"), 1.0),
    ("bound_time", Raw::BoundInstanceIops, Some("instance_iops"), 1.0),
    ("bound_time", Raw::BoundInstanceThroughput, Some("instance_throughput"), 1.0),
    ("bound_time", Raw::BoundFault, Some("fault"), 1.0),
    ("cache_hits", Raw::Cached, None, 1.0),
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
    ("read_iops", Raw::Reads, None, 1.0),
    ("write_iops", Raw::Writes, None, 1.0),
    ("flush_iops", Raw::Flushes, None, 1.0),
    ("read_bytes_per_second", Raw::ReadBytes, None, 1.0),
    ("write_bytes_per_second", Raw::WriteBytes, None, 1.0),
    ("read_await", Raw::ReadLatency, None, 1.0),
    ("write_await", Raw::WriteLatency, None, 1.0),
];

/// A column and what its series is called.
#[derive(Debug, Clone)]
pub(super) struct Column {
    pub(super) series: String,
    pub(super) values: Vec<Option<f64>>,
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
            let is = |series: &&&Series| {
                series.name == *name && limit.is_none_or(|limit| series.labels.get("limit").is_some_and(|l| l == limit))
            };
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
            let tells = |row: &Row| row.0 == series.name && matches!(row.1, Raw::Reads | Raw::Writes | Raw::IoBalance);
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
