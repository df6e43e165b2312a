//! What sysstat's archives tell of disks: `sar -d` as text, and `sadf -j -- -d` as JSON.
//!
//! sar counts transfers of both kinds together. Reads and writes are told apart by their bytes, as if both were of one size; their sum
//! is as counted, and the Timeline's notes say so.

mod json;
mod lines;

use jiff::Timestamp;
use textfile::InputError;
use timeline::{SeriesPoint, SeriesSpec, Timeline, TimelineBuilder, TimelineInfo, vocabulary};
use units::Nanos;

use crate::GatherError;
use crate::format::{InputFormat, ReadOptions};
use crate::input::{Glimpse, InputFile};

/// The format of sar.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SarReport;

/// One device in one interval. Rates are a second.
#[derive(Debug, Clone, PartialEq, Default)]
struct SarRow {
    device: String,
    node: Option<String>,
    /// The end of its interval; `None` where the file has no date.
    at: Option<Timestamp>,
    /// How long the interval was, where the file says.
    length: Option<Nanos>,
    /// Which report of the file it is of.
    report: usize,
    transfers: f64,
    read_bytes: f64,
    write_bytes: f64,
    discard_bytes: Option<f64>,
    queue: Option<f64>,
    /// Mean seconds of a transfer.
    wait: Option<f64>,
    /// Share of the time with a transfer in flight.
    busy: Option<f64>,
}

/// The note on how reads and writes were told apart.
const SPLIT: &str = "left out sar";

impl InputFormat for SarReport {
    fn name(&self) -> &'static str {
        "sar"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["sadf"]
    }

    fn about(&self) -> &'static str {
        "what `sar -d` or `sadf -j -- -d` printed"
    }

    fn help(&self) -> &'static str {
        "\
Examples:
  sar -dp -f /var/log/sysstat/sa21 > sar.txt
  sadf -j /var/log/sysstat/sa21 -- -d > sar.json
  diskwright diagnose sar sar.txt --disk nvme1n1=gp3:500GiB

-p prints names that people know; without it disks are called after their numbers, dev8-16. sar
counts reads and writes together: they are told apart by their bytes."
    }

    fn is_of(&self, glimpse: &Glimpse<'_>) -> bool {
        glimpse.is_json()
            && glimpse.has_all(&["\"sysstat\""])
            && (glimpse.has_all(&["\"disk-device\""])
                || !glimpse.has_all(&["\"disk_device\""]) && glimpse.has_all(&["\"sysdata-version\""]))
            || glimpse.any_line(lines::is_header)
    }

    fn has_mapper_names(&self) -> bool {
        true
    }

    fn read(&self, files: &[InputFile], options: &ReadOptions) -> Result<Timeline, GatherError> {
        let mut rows = Vec::new();
        let path = files.first().map(|file| file.path().display().to_string()).unwrap_or_default();
        for file in files {
            let text = file.text()?;
            let zone = options.zone.unwrap_or(jiff::tz::Offset::UTC);
            let is_json = text.content().trim_start().starts_with('{');
            let read = if is_json { json::read(&text, zone)? } else { lines::read(&text, zone)? };
            if read.is_empty() {
                let message =
                    "has no report of disks: expected a line that begins a table with `DEV`, or `disk` in JSON";
                return Err(InputError::new(text.path(), message)
                    .help("have it printed with `sar -d` or `sadf -j -- -d`")
                    .into());
            }
            rows.extend(read);
        }
        timeline(&rows, &path, options)
    }
}

/// The rows as series.
fn timeline(rows: &[SarRow], path: &str, options: &ReadOptions) -> Result<Timeline, GatherError> {
    let untimed = || GatherError::NoInterval { path: path.to_owned() };
    let usual = usual_length(rows).or(options.interval);
    let first = rows.iter().filter_map(|row| row.at).min();
    let start = match (first, usual) {
        (Some(first), Some(usual)) => Timestamp::from_nanosecond(first.as_nanosecond() - i128::from(usual.0)).ok(),
        _ => None,
    };
    let mut about =
        TimelineInfo { title: format!("sar, {path}"), start: start.or(options.start), ..TimelineInfo::default() };
    about.notes.insert(
        SPLIT.to_owned(),
        "reads and writes are counted together; they are told apart by their bytes, as if both were of one size"
            .to_owned(),
    );
    let mut series = TimelineBuilder::default();
    for row in rows {
        let length = row.length.or(usual).filter(|length| length.0 > 0).ok_or_else(untimed)?;
        let until = match (row.at, start) {
            (Some(at), Some(start)) => Nanos(u64::try_from(at.as_nanosecond() - start.as_nanosecond()).unwrap_or(0)),
            _ => Nanos(length.0.saturating_mul(row.report as u64 + 1)),
        };
        let span = (Nanos(until.0.saturating_sub(length.0)), until);
        put(&mut series, row, span);
    }
    let timeline = Timeline { about, series: series.finish_sorted() };
    timeline.validate()?;
    Ok(timeline)
}

/// How far apart most reports are.
fn usual_length(rows: &[SarRow]) -> Option<Nanos> {
    let mut ends: Vec<i128> = rows.iter().filter_map(|row| Some(row.at?.as_nanosecond())).collect();
    ends.sort_unstable();
    ends.dedup();
    let mut steps: Vec<i128> = ends.windows(2).map(|pair| pair[1] - pair[0]).collect();
    steps.sort_unstable();
    u64::try_from(*steps.get(steps.len() / 2)?).ok().map(Nanos)
}

fn put(series: &mut TimelineBuilder, row: &SarRow, (from, until): (Nanos, Nanos)) {
    let mut labels = timeline::labels([("disk", &row.device)]);
    labels.extend(row.node.clone().map(|node| ("node".to_owned(), node)));
    let seconds = Nanos(until.0 - from.0).as_secs_f64();
    let mut sum = |spec: SeriesSpec, rate: Option<f64>| {
        if let Some(rate) = rate {
            series.value(spec, &labels, SeriesPoint { from, until, value: rate * seconds });
        }
    };
    let bytes = row.read_bytes + row.write_bytes;
    let share = if bytes > 0.0 { row.read_bytes / bytes } else { 0.0 };
    sum(vocabulary::READ_OPS, Some(row.transfers * share));
    sum(vocabulary::WRITE_OPS, Some(row.transfers * (1.0 - share)));
    sum(vocabulary::READ_BYTES, Some(row.read_bytes));
    sum(vocabulary::WRITE_BYTES, Some(row.write_bytes));
    sum(vocabulary::DISCARD_BYTES, row.discard_bytes);
    let waited = row.wait.map(|wait| row.transfers * wait);
    sum(vocabulary::READ_TIME, waited.map(|waited| waited * share));
    sum(vocabulary::WRITE_TIME, waited.map(|waited| waited * (1.0 - share)));
    sum(vocabulary::BUSY_TIME, row.busy);
    if let Some(value) = row.queue {
        series.value(vocabulary::QUEUE_DEPTH, &labels, SeriesPoint { from, until, value });
    }
}

/// A rate from a cell, by what its column is called: the same names in text and JSON, but for `/s` and `%`.
fn cell(row: &mut SarRow, name: &str, value: f64) {
    const SECTOR: f64 = 512.0;
    match name.trim_end_matches("/s") {
        "tps" => row.transfers = value,
        "rkB" => row.read_bytes = value * 1024.0,
        "wkB" => row.write_bytes = value * 1024.0,
        "dkB" => row.discard_bytes = Some(value * 1024.0),
        "rMB" => row.read_bytes = value * 1_048_576.0,
        "wMB" => row.write_bytes = value * 1_048_576.0,
        // Where both units are told, that of kilobytes comes later and is the same.
        "rd_sec" => row.read_bytes = value * SECTOR,
        "wr_sec" => row.write_bytes = value * SECTOR,
        "avgqu-sz" | "aqu-sz" => row.queue = Some(value),
        "await" => row.wait = Some(value / 1e3),
        "%util" | "util-percent" | "util" => row.busy = Some(value / 100.0),
        _ => {}
    }
}

#[cfg(test)]
#[path = "sar/tests.rs"]
mod tests;
