//! What this machine's kernel counts of its disks, sampled: /proc/diskstats as a Timeline with the names of crate `observe`.

mod dumps;
mod growth;
mod live;
mod parse;

use std::collections::BTreeMap;

use jiff::Timestamp;
use timeline::{SeriesLabels, SeriesPoint, SeriesSpec, Timeline, TimelineBuilder, TimelineInfo, vocabulary};
use units::Nanos;

use crate::GatherError;
pub use dumps::DiskstatsDumps;
use growth::Growth;
pub use live::{LocalMachine, SampleSchedule, SampleSource, record};
pub use parse::{DeviceLine, KernelCounters};

/// All devices at an instant.
#[derive(Debug, Clone, PartialEq)]
pub struct DiskstatsSample {
    /// Since the first sample, by a clock that nobody sets.
    pub at: Nanos,
    /// By name.
    pub devices: BTreeMap<String, DeviceLine>,
}

/// What the samples do not say of themselves.
#[derive(Debug, Clone, Default)]
pub struct DiskstatsOptions {
    /// The instant of the first sample.
    pub start: Option<Timestamp>,
    /// What disks are called by device: `sdb` = `data`. If it names any, only those are taken.
    pub disks: BTreeMap<String, String>,
    /// The machine, as the label `node`.
    pub node: Option<String>,
}

impl DiskstatsSample {
    /// Reads the text of /proc/diskstats, as kernels since 2.6 write it.
    ///
    /// # Errors
    /// When a line is none of it.
    pub fn parse(text: &str, at: Nanos) -> Result<Self, GatherError> {
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let devices = lines.map(|(index, line)| {
            parse::device(line).ok_or_else(|| {
                let line: String = line.chars().take(80).collect();
                GatherError::Environment(format!(
                    "/proc/diskstats, line {}: `{}` is no device; expected numbers, a name and at least 11 counters",
                    index + 1,
                    line.escape_debug()
                ))
            })
        });
        Ok(Self { at, devices: devices.collect::<Result<_, _>>()? })
    }
}

/// The samples as series, a point for each interval between two in which a device was there at both ends. A device that is
/// gone, and one that another took the place of, has a gap. Devices that never did anything, and parts of disks, are left
/// out unless `options.disks` names them.
///
/// # Errors
/// When the samples are more than a Timeline may have.
pub fn timeline(samples: &[DiskstatsSample], options: &DiskstatsOptions) -> Result<Timeline, GatherError> {
    selected(samples, options, Selection::Whole)
}

/// Which devices are taken where none is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Selection {
    /// Those that are no part of another and ever did anything.
    Whole,
    /// Those that ever did anything.
    Everything,
}

fn selected(
    samples: &[DiskstatsSample],
    options: &DiskstatsOptions,
    selection: Selection,
) -> Result<Timeline, GatherError> {
    let mut series = TimelineBuilder::default();
    let mut later: Vec<&DiskstatsSample> = Vec::with_capacity(samples.len());
    for sample in samples {
        if later.last().is_none_or(|last| last.at < sample.at) {
            later.push(sample);
        }
    }
    for pair in later.windows(2) {
        for (name, now) in &pair[1].devices {
            let Some(was) = pair[0].devices.get(name).filter(|was| was.number == now.number) else { continue };
            let disk = match options.disks.get(name) {
                Some(disk) => disk,
                None if options.disks.is_empty()
                    && now.counters.did_any()
                    && (selection == Selection::Everything || is_whole(name, &pair[1].devices)) =>
                {
                    name
                }
                None => continue,
            };
            let mut of_disk = SeriesLabels::from([("disk".to_owned(), disk.clone())]);
            of_disk.extend(options.node.clone().map(|node| ("node".to_owned(), node)));
            add(&mut series, &of_disk, &Growth::between(&was.counters, &now.counters), (pair[0].at, pair[1].at));
        }
    }
    let about = TimelineInfo { title: "/proc/diskstats".to_owned(), start: options.start, ..TimelineInfo::default() };
    let timeline = Timeline { about, series: series.finish_sorted() };
    timeline.validate()?;
    Ok(timeline)
}

/// Whether a device is no part of another: `sda1` of `sda`, `nvme0n1p2` of `nvme0n1`, `mmcblk0p1` of `mmcblk0`.
fn is_whole(name: &str, all: &BTreeMap<String, DeviceLine>) -> bool {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let is_part = |disk: &str| disk != name && all.contains_key(disk);
    let numbered = stem.strip_suffix('p').filter(|disk| disk.ends_with(|c: char| c.is_ascii_digit()));
    !(stem.len() < name.len() && (is_part(stem) || numbered.is_some_and(is_part)))
}

fn add(series: &mut TimelineBuilder, of_disk: &SeriesLabels, grown: &Growth, (from, until): (Nanos, Nanos)) {
    let mut sum = |spec: SeriesSpec, value: Option<f64>| {
        if let Some(value) = value {
            series.value(spec, of_disk, SeriesPoint { from, until, value });
        }
    };
    let kinds = [
        ([vocabulary::READ_OPS, vocabulary::READ_BYTES, vocabulary::READ_TIME], Some(grown.read)),
        ([vocabulary::WRITE_OPS, vocabulary::WRITE_BYTES, vocabulary::WRITE_TIME], Some(grown.write)),
        ([vocabulary::DISCARD_OPS, vocabulary::DISCARD_BYTES, vocabulary::DISCARD_TIME], grown.discard),
    ];
    for ([ops, bytes, time], done) in kinds {
        sum(ops, done.map(|done| done.count));
        sum(bytes, done.map(|done| done.bytes));
        sum(time, done.map(|done| done.seconds));
    }
    sum(vocabulary::READ_MERGES, Some(grown.read.merges));
    sum(vocabulary::WRITE_MERGES, Some(grown.write.merges));
    sum(vocabulary::FLUSH_OPS, grown.flush.map(|(count, _)| count));
    sum(vocabulary::FLUSH_TIME, grown.flush.map(|(_, seconds)| seconds));
    sum(vocabulary::BUSY_TIME, Some(grown.busy));
    let value = grown.queued / ((until - from).as_secs_f64());
    series.value(vocabulary::QUEUE_DEPTH, of_disk, SeriesPoint { from, until, value });
    let value = grown.in_flight;
    series.value(vocabulary::IN_FLIGHT, of_disk, SeriesPoint { from, until, value });
}

#[cfg(test)]
#[path = "diskstats/tests.rs"]
mod tests;
