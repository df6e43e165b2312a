//! What a cloud volume counts of itself, whichever tool tells it: the counters of the EBS NVMe log page under all their names.

use std::collections::BTreeMap;

use jiff::Timestamp;
use limits::BindingLimit;
use timeline::{SeriesLabels, SeriesPoint, SeriesSpec, Timeline, TimelineBuilder, TimelineInfo, vocabulary};
use units::Nanos;

/// A counter of a volume.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum VolumeCounter {
    ReadOps,
    WriteOps,
    ReadBytes,
    WriteBytes,
    ReadTime,
    WriteTime,
    /// Time in which more was asked for than a limit lets through.
    Exceeded(BindingLimit),
    /// Requests in flight at the instant; no counter.
    Queue,
}

use VolumeCounter::{Exceeded, Queue, ReadBytes, ReadOps, ReadTime, WriteBytes, WriteOps, WriteTime};

/// The counters in the order of the log page (AWS, Amazon EBS detailed performance statistics; nvme-cli
/// plugins/amzn/amzn-nvme.c), with what names of other tools end in: `nvme amzn stats -o json`, `ebsnvme stats`, the CloudWatch agent
/// (`diskio_ebs_…`, `node_diskio_ebs_…`).
pub(crate) const PAGE: [(VolumeCounter, &[&str]); 11] = [
    (ReadOps, &["total_read_ops"]),
    (WriteOps, &["total_write_ops"]),
    (ReadBytes, &["total_read_bytes"]),
    (WriteBytes, &["total_write_bytes"]),
    (ReadTime, &["total_read_time"]),
    (WriteTime, &["total_write_time"]),
    (Exceeded(BindingLimit::VolumeIops), &["volume_performance_exceeded_iops"]),
    (
        Exceeded(BindingLimit::VolumeThroughput),
        &["volume_performance_exceeded_tp", "volume_performance_exceeded_throughput"],
    ),
    (
        Exceeded(BindingLimit::InstanceIops),
        &["instance_performance_exceeded_iops", "instance_ebs_performance_exceeded_iops"],
    ),
    (
        Exceeded(BindingLimit::InstanceThroughput),
        &[
            "instance_performance_exceeded_tp",
            "instance_ebs_performance_exceeded_tp",
            "instance_ebs_performance_exceeded_throughput",
        ],
    ),
    (Queue, &["volume_queue_length"]),
];

impl VolumeCounter {
    /// The counter that a tool's name stands for.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let name = name.trim().to_ascii_lowercase();
        PAGE.iter().find(|(_, ends)| ends.iter().any(|end| name.ends_with(end))).map(|(counter, _)| *counter)
    }

    /// The counter that a series is of.
    pub(crate) fn of_series(spec: SeriesSpec) -> Option<Self> {
        PAGE.iter().map(|(counter, _)| *counter).find(|counter| counter.series() == spec)
    }

    /// Whether it is a time over a limit.
    pub(crate) fn is_exceeded(self) -> bool {
        matches!(self, Exceeded(_))
    }

    /// Whether it is a time, which the log page has in microseconds.
    pub(crate) fn is_time(self) -> bool {
        matches!(self, ReadTime | WriteTime | Exceeded(_))
    }

    /// Its series.
    pub(crate) fn series(self) -> SeriesSpec {
        match self {
            ReadOps => vocabulary::READ_OPS,
            WriteOps => vocabulary::WRITE_OPS,
            ReadBytes => vocabulary::READ_BYTES,
            WriteBytes => vocabulary::WRITE_BYTES,
            ReadTime => vocabulary::READ_TIME,
            WriteTime => vocabulary::WRITE_TIME,
            Exceeded(BindingLimit::VolumeIops) => vocabulary::VOLUME_IOPS_EXCEEDED,
            Exceeded(BindingLimit::InstanceIops) => vocabulary::INSTANCE_IOPS_EXCEEDED,
            Exceeded(BindingLimit::VolumeThroughput) => vocabulary::VOLUME_THROUGHPUT_EXCEEDED,
            Exceeded(_) => vocabulary::INSTANCE_THROUGHPUT_EXCEEDED,
            Queue => vocabulary::IN_FLIGHT,
        }
    }
}

/// What a volume told at an instant. Times are in seconds.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct VolumeSample {
    /// Its name.
    pub(crate) disk: String,
    /// When; in the order of the samples where it is not told.
    pub(crate) at: Option<Timestamp>,
    pub(crate) values: BTreeMap<VolumeCounter, f64>,
}

/// The note that tells what single samples leave open.
const SINGLE: &str = "left out one sample";

/// The samples of volumes as series. Two samples of a volume tell what happened between them; where each is less than the one before
/// in some counter, they tell of their intervals, as tools print them that count for themselves. One sample alone is of all the time
/// since the volume was attached: of that it tells how long a limit was exceeded, and no rate.
pub(crate) fn timeline(
    title: String,
    samples: &[VolumeSample],
    interval: Option<Nanos>,
    start: Option<Timestamp>,
) -> Result<Timeline, Untimed> {
    let mut by_disk: BTreeMap<&str, Vec<&VolumeSample>> = BTreeMap::new();
    for sample in samples {
        by_disk.entry(&sample.disk).or_default().push(sample);
    }
    let timed = samples.iter().all(|sample| sample.at.is_some());
    let first = if timed { samples.iter().filter_map(|sample| sample.at).min() } else { None };
    let mut about = TimelineInfo { title, start: first.or(start), ..TimelineInfo::default() };
    let mut series = TimelineBuilder::default();
    for (disk, samples) in by_disk {
        let labels = timeline::labels([("disk", disk)]);
        if let [one] = samples.as_slice() {
            about.notes.insert(SINGLE.to_owned(), single(&mut series, &labels, one, interval));
            continue;
        }
        let at = |index: usize| -> Option<Nanos> {
            match (samples[index].at, first) {
                (Some(at), Some(first)) => u64::try_from(at.as_nanosecond() - first.as_nanosecond()).ok().map(Nanos),
                _ => interval.map(|interval| Nanos(interval.0.saturating_mul(index as u64))),
            }
        };
        let fell = |pair: &[&VolumeSample]| {
            pair[0]
                .values
                .iter()
                .any(|(counter, was)| *counter != Queue && pair[1].values.get(counter).is_some_and(|now| now < was))
        };
        let each_of_its_own = samples.windows(2).any(fell);
        for (index, pair) in samples.windows(2).enumerate() {
            let (from, until) = (at(index).ok_or(Untimed)?, at(index + 1).ok_or(Untimed)?);
            for (counter, now) in &pair[1].values {
                let was = if each_of_its_own || *counter == Queue {
                    0.0
                } else {
                    *pair[0].values.get(counter).unwrap_or(now)
                };
                series.value(counter.series(), &labels, SeriesPoint { from, until, value: now - was });
            }
        }
    }
    Ok(Timeline { about, series: series.finish_sorted() })
}

/// Samples without times and no interval between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Untimed;

/// What one sample tells: for how long which limit was exceeded, in a span that is at least as long. With an interval, what happened
/// in it.
fn single(
    series: &mut TimelineBuilder,
    labels: &SeriesLabels,
    sample: &VolumeSample,
    interval: Option<Nanos>,
) -> String {
    let exceeded = sample.values.iter().filter(|(counter, _)| matches!(counter, Exceeded(_)));
    let longest = exceeded.map(|(_, seconds)| *seconds).fold(0.0, f64::max);
    let span = interval.unwrap_or_else(|| Nanos::from_secs_f64(longest.max(1.0)));
    for (counter, value) in &sample.values {
        if interval.is_some() || matches!(counter, Exceeded(_)) {
            series.value(counter.series(), labels, SeriesPoint { from: Nanos(0), until: span, value: *value });
        }
    }
    let times: Vec<String> = sample
        .values
        .iter()
        .filter_map(|(counter, seconds)| match counter {
            Exceeded(limit) if *seconds > 0.0 => Some(format!("{seconds:.1} s over the {limit}")),
            _ => None,
        })
        .collect();
    let times = if times.is_empty() { "over no limit".to_owned() } else { times.join(", ") };
    match interval {
        Some(interval) => format!("of {}: {times}, in the last {interval} as was said", sample.disk),
        None => format!(
            "of {}: {times} since it was attached; when that was is not told, so shares of the time are of the {span} over a limit \
             alone: two samples some minutes apart tell rates",
            sample.disk
        ),
    }
}
