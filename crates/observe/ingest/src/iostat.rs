//! Reports of `iostat -x` as a Timeline: rates over their intervals become sums, under the names of crate `observe`.
//!
//! The first report of a run is of the whole time since the machine started, or with `-y`, which leaves that one out, of an
//! interval as all others are. iostat prints both alike, with the stamp of the instant at which they end, and neither its text nor
//! its JSON says how it was called: only who recorded it knows. What is left out for that is told ([`LEFT_OUT`]).

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::tz::Offset;
use textfile::Text;
use timeline::{SeriesLabels, SeriesPoint, SeriesSpec, Timeline, TimelineBuilder, TimelineInfo, vocabulary};
use units::Nanos;
use workload::{DeviceRates, IncompleteRow, IostatReport, iostat_reports};

use crate::GatherError;
use crate::format::{InputFormat, ReadOptions};
use crate::input::{Glimpse, InputFile};
use crate::stamp;

/// The note of a Timeline in which [`read`] tells of first reports that it left out, and why; there is none where all count.
pub const LEFT_OUT: &str = "left out";

/// Whether the first report of each run of iostat counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FirstReport {
    /// Only where it is alone: else it may be of the whole time since the machine started, and is left out.
    #[default]
    Alone,
    /// Yes: recorded with `-y`.
    Counts,
    /// No: recorded without `-y`.
    SinceStart,
}

/// What a report does not say of itself.
#[derive(Debug, Clone, Default)]
pub struct IostatOptions {
    /// The length of an interval; needed where reports have no time stamps, or a single one.
    pub interval: Option<Nanos>,
    /// The instant at which the first report's interval begins, where reports have no time stamps.
    pub start: Option<Timestamp>,
    /// Whether the first report counts.
    pub first: FirstReport,
    /// The zone of time stamps that name none; none is UTC.
    pub zone: Option<Offset>,
    /// What disks are called by device: `sdb` = `data`. Others keep the device's name.
    pub disks: BTreeMap<String, String>,
    /// The machine, as the label `node`.
    pub node: Option<String>,
}

/// One report and when it was.
struct Timed<'r> {
    from: Nanos,
    until: Nanos,
    report: &'r IostatReport,
}

/// The format of iostat.
#[derive(Debug, Clone, Copy)]
pub struct IostatReports;

impl InputFormat for IostatReports {
    fn name(&self) -> &'static str {
        "iostat"
    }

    fn about(&self) -> &'static str {
        "what `iostat -x` printed"
    }

    fn help(&self) -> &'static str {
        "\
Examples:
  iostat -xty 5 60 > node.txt
  diskwright diagnose iostat node.txt --first-counts --disk sdb=gp3:500GiB
  diskwright diagnose iostat examples/tikv-node-iostat.txt --interval 1s
  iostat -xty -o JSON 1 60 | diskwright diagnose iostat - --first-counts --disk gp2:400GiB
  iostat -xty 5 | diskwright diagnose iostat - --first-counts --watch=30s --disk sdb=gp3:500GiB

Text and JSON of sysstat 9 to 12. Reports without time stamps (-t) need --interval. Of several
reports the first is left out, and the answer says so: without -y it is of all the time since the
machine started, and a report does not say how it was recorded. --first-counts says: with -y."
    }

    fn is_of(&self, glimpse: &Glimpse<'_>) -> bool {
        let is_table = |line: &str| {
            let has = |name: &str| line.split_whitespace().any(|word| word.trim_end_matches(':') == name);
            has("Device")
                && (has("r/s") || has("rkB/s") || has("rMB/s") || has("rsec/s") || has("rrqm/s") || has("aqu-sz"))
        };
        glimpse.is_json() && glimpse.has_all(&["\"sysstat\"", "\"disk_device\""]) || glimpse.any_line(is_table)
    }

    fn has_mapper_names(&self) -> bool {
        true
    }

    fn read(&self, files: &[InputFile], options: &ReadOptions) -> Result<Timeline, GatherError> {
        let [file] = files else { return Err(GatherError::Asked("name one file of iostat's".to_owned())) };
        let options = IostatOptions {
            interval: options.interval,
            start: options.start,
            first: options.first,
            zone: options.zone,
            ..IostatOptions::default()
        };
        let mut timeline = read(&file.text()?, &options)?;
        if let Some(told) = timeline.about.notes.get_mut(LEFT_OUT).filter(|told| told.starts_with(FIRST)) {
            told.push_str("; with --first-counts it counts");
        }
        Ok(timeline)
    }
}

/// How what is told begins where first reports were left out.
const FIRST: &str = "the first report";

/// Reads reports; what it had to leave out, it says in the Timeline's notes.
///
/// # Errors
/// When there is no report, one cannot be read, or nothing tells how long an interval is.
pub fn read(text: &Text, options: &IostatOptions) -> Result<Timeline, GatherError> {
    let reports = iostat_reports(text)?;
    let stamps = reports.iter().map(|report| report.stamp.as_deref());
    let stamps = stamp::read_all(stamps, options.zone.unwrap_or(Offset::UTC));
    let mut about = TimelineInfo { title: format!("iostat, {}", text.path().display()), ..TimelineInfo::default() };
    let told = [left_out(&reports, options.first), incomplete(&reports), doubled(&reports)]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>();
    if !told.is_empty() {
        about.notes.insert(LEFT_OUT.to_owned(), told.join("; "));
    }
    let timed = match stamps.iter().copied().collect::<Option<Vec<Timestamp>>>() {
        Some(ends) => by_stamps(&reports, &ends, options, &mut about),
        None => by_interval(&reports, options, &mut about),
    };
    let timed = timed.ok_or_else(|| GatherError::NoInterval { path: text.path().display().to_string() })?;
    let mut series = TimelineBuilder::default();
    for Timed { from, until, report } in timed {
        for device in &report.devices {
            let disk = options.disks.get(&device.device).unwrap_or(&device.device);
            let mut of_disk = SeriesLabels::from([("disk".to_owned(), disk.clone())]);
            of_disk.extend(options.node.clone().map(|node| ("node".to_owned(), node)));
            add(&mut series, device, &of_disk, (from, until));
        }
    }
    let timeline = Timeline { about, series: series.finish_sorted() };
    timeline.validate()?;
    Ok(timeline)
}

/// Whether a report is left out because it may be of more than its interval.
fn is_since_start(report: &IostatReport, reports: usize, first: FirstReport) -> bool {
    report.first
        && match first {
            FirstReport::Alone => reports > 1,
            FirstReport::Counts => false,
            FirstReport::SinceStart => true,
        }
}

/// What is told of reports that are left out: which, why, and of the disk that was busiest in them if no other report has as much of
/// it, for then they may matter. `None` if none is.
fn left_out(reports: &[IostatReport], first: FirstReport) -> Option<String> {
    let (out, kept): (Vec<_>, Vec<_>) = reports.iter().partition(|report| is_since_start(report, reports.len(), first));
    let which = match out[..] {
        [] => return None,
        [IostatReport { stamp: Some(stamp), .. }] => format!("the first report, of {}", short(stamp)),
        [_] => "the first report".to_owned(),
        _ => format!("the first reports of {} runs", out.len()),
    };
    let moved = |device: &DeviceRates| device.rates.read_bytes + device.rates.write_bytes;
    let most = |of: &[&'_ IostatReport], name: Option<&str>| {
        let devices = of.iter().flat_map(|report| &report.devices);
        let named = devices.filter(|device| name.is_none_or(|name| device.device == name));
        named.map(|device| (moved(device), device.device.clone())).max_by(|a, b| a.0.total_cmp(&b.0))
    };
    let busiest =
        most(&out, None).filter(|(bytes, name)| most(&kept, Some(name)).is_none_or(|(other, _)| other < *bytes));
    let more = busiest.map_or(String::new(), |(bytes, name)| {
        format!("; {} moved {:.0} MiB/s in it, more than in any other", short(&name), bytes / 1_048_576.0)
    });
    let why = "it may be of the whole time since the machine started, unless it was recorded with -y";
    Some(format!("{which}: {why}{more}"))
}

/// What is told of rows without all their columns; `None` if there is none.
fn incomplete(reports: &[IostatReport]) -> Option<String> {
    let mut rows = reports.iter().flat_map(|report| &report.incomplete);
    let IncompleteRow { device, column, .. } = rows.next()?;
    let more = match rows.count() {
        0 => String::new(),
        more => format!(" and {more} more rows"),
    };
    Some(format!("the row of {} without the column {}{more}: it was incomplete", short(device), short(column)))
}

/// What is told of bytes that were printed twice as large as they are; `None` if none were.
fn doubled(reports: &[IostatReport]) -> Option<String> {
    let device = reports.iter().flat_map(|report| &report.devices).find(|device| device.doubled)?;
    let device = short(&device.device);
    Some(format!(
        "half of the bytes that are printed for {device}: its requests times their size are half, a fault of old sysstats' JSON"
    ))
}

/// As much of a text as a note needs, whatever was written there.
fn short(text: &str) -> String {
    text.chars().take(100).collect()
}

/// By the stamps, which are the intervals' ends. A first report's interval, and one after the clock went back, is as long as
/// the most frequent.
fn by_stamps<'r>(
    reports: &'r [IostatReport],
    ends: &[Timestamp],
    options: &IostatOptions,
    about: &mut TimelineInfo,
) -> Option<Vec<Timed<'r>>> {
    let since = |earlier: Timestamp, later: Timestamp| {
        u64::try_from(later.as_nanosecond() - earlier.as_nanosecond()).ok().filter(|nanos| *nanos > 0).map(Nanos)
    };
    let usual = options.interval.or_else(|| {
        let steps = ends.windows(2).zip(&reports[1..]).filter(|(_, later)| !later.first);
        let mut lengths: Vec<Nanos> = steps.filter_map(|(pair, _)| since(pair[0], pair[1])).collect();
        lengths.sort_unstable();
        lengths.get(lengths.len() / 2).copied()
    })?;
    let first = ends.iter().min()?;
    let start = Timestamp::from_nanosecond(first.as_nanosecond() - i128::from(usual.0)).ok()?;
    about.start = Some(start);
    let mut timed = Vec::new();
    for (index, (report, end)) in reports.iter().zip(ends).enumerate() {
        if is_since_start(report, reports.len(), options.first) {
            continue;
        }
        let before = index.checked_sub(1).map(|before| ends[before]).filter(|_| !report.first);
        let length = match before {
            Some(before) if before >= *end => {
                about.notes.insert("clock".to_owned(), format!("went back or stood still before {end}"));
                usual
            }
            Some(before) => since(before, *end)?,
            None => usual,
        };
        let until = since(start, *end)?;
        timed.push(Timed { from: Nanos(until.0.saturating_sub(length.0)), until, report });
    }
    Some(timed)
}

/// One after the other, each as long as said.
fn by_interval<'r>(
    reports: &'r [IostatReport],
    options: &IostatOptions,
    about: &mut TimelineInfo,
) -> Option<Vec<Timed<'r>>> {
    let interval = options.interval.filter(|interval| interval.0 > 0)?;
    about.start = options.start;
    let mut timed = Vec::new();
    for report in reports {
        if is_since_start(report, reports.len(), options.first) {
            continue;
        }
        let from = Nanos(interval.0.checked_mul(timed.len() as u64)?);
        timed.push(Timed { from, until: Nanos(from.0.checked_add(interval.0)?), report });
    }
    Some(timed)
}

/// The points of one device in one report.
fn add(series: &mut TimelineBuilder, device: &DeviceRates, of_disk: &SeriesLabels, (from, until): (Nanos, Nanos)) {
    let seconds = until.0.saturating_sub(from.0) as f64 / 1e9;
    let mut sum = |spec: SeriesSpec, rate: Option<f64>| {
        if let Some(rate) = rate {
            series.value(spec, of_disk, SeriesPoint { from, until, value: rate * seconds });
        }
    };
    let (rates, waits) = (&device.rates, &device.waits);
    let took = |rate: f64, wait: Option<f64>| wait.map(|wait| rate * wait);
    sum(vocabulary::READ_OPS, Some(rates.reads));
    sum(vocabulary::READ_BYTES, Some(rates.read_bytes));
    sum(vocabulary::READ_TIME, took(rates.reads, waits.read));
    sum(vocabulary::WRITE_OPS, Some(rates.writes));
    sum(vocabulary::WRITE_BYTES, Some(rates.write_bytes));
    sum(vocabulary::WRITE_TIME, took(rates.writes, waits.write));
    sum(vocabulary::FLUSH_OPS, device.flushes);
    sum(vocabulary::FLUSH_TIME, took(rates.flushes, waits.flush));
    // Since reads and writes have their own columns, `await` says nothing new.
    let any = waits.any.filter(|_| waits.read.is_none() && waits.write.is_none());
    sum(vocabulary::IO_TIME, took(rates.reads + rates.writes, any));
    sum(vocabulary::DISCARD_OPS, device.discards.map(|(ops, _)| ops));
    sum(vocabulary::DISCARD_BYTES, device.discards.map(|(_, bytes)| bytes));
    sum(vocabulary::DISCARD_TIME, device.discards.and_then(|(ops, _)| took(ops, waits.discard)));
    sum(vocabulary::READ_MERGES, device.merged.map(|(reads, _)| reads));
    sum(vocabulary::WRITE_MERGES, device.merged.map(|(_, writes)| writes));
    sum(vocabulary::BUSY_TIME, device.busy);
    if let Some(value) = device.queue {
        series.value(vocabulary::QUEUE_DEPTH, of_disk, SeriesPoint { from, until, value });
    }
}

#[cfg(test)]
#[path = "iostat_tests.rs"]
mod tests;
