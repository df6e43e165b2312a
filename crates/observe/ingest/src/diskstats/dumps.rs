//! Saved dumps of /proc/diskstats: two or more of them, in one file or several, with or without times between them.

use jiff::Timestamp;
use jiff::tz::Offset;
use textfile::{InputError, Text};
use timeline::{SeriesPoint, Timeline, TimelineBuilder, TimelineInfo, vocabulary};
use units::Nanos;

use super::{DiskstatsOptions, DiskstatsSample, Selection, parse, selected};
use crate::GatherError;
use crate::format::{InputFormat, ReadOptions};
use crate::input::{Glimpse, InputFile};
use crate::stamp;

/// The format of dumps of /proc/diskstats.
#[derive(Debug, Clone, Copy)]
pub struct DiskstatsDumps;

/// One dump and when it was taken.
struct Dump {
    at: Option<Timestamp>,
    sample: DiskstatsSample,
}

impl InputFormat for DiskstatsDumps {
    fn name(&self) -> &'static str {
        "diskstats"
    }

    fn about(&self) -> &'static str {
        "dumps of /proc/diskstats"
    }

    fn help(&self) -> &'static str {
        "\
Examples:
  for i in 1 2 3; do date -Is; cat /proc/diskstats; sleep 60; done > node.txt
  diskwright diagnose diskstats node.txt --disk nvme1n1=gp3:500GiB
  diskwright diagnose diskstats before.txt after.txt --interval 60s

What the kernel counted between two dumps, so two are needed. Without times between them say with
--interval how far apart they are."
    }

    fn is_of(&self, glimpse: &Glimpse<'_>) -> bool {
        let mut devices = glimpse.text().lines().filter(|line| parse::device(line).is_some());
        devices.next().is_some()
    }

    fn samples(&self) -> bool {
        true
    }

    fn read(&self, files: &[InputFile], options: &ReadOptions) -> Result<Timeline, GatherError> {
        let zone = options.zone.unwrap_or(Offset::UTC);
        let mut dumps: Vec<Dump> = Vec::new();
        let path = files.first().map(|file| file.path().display().to_string()).unwrap_or_default();
        for file in files {
            dumps.extend(read(&file.text()?, zone)?);
        }
        if let [only] = dumps.as_slice() {
            let length = options.interval.unwrap_or(Nanos::secs(60));
            return Ok(one_dump(
                &only.sample,
                length,
                TimelineInfo {
                    title: format!("/proc/diskstats, {path}"),
                    start: only.at.or(options.start),
                    ..TimelineInfo::default()
                },
            ));
        }
        if dumps.is_empty() {
            let path = files.first().map(InputFile::path).unwrap_or_else(|| std::path::Path::new("-"));
            let message =
                "has no device of /proc/diskstats: expected lines of numbers, a name and at least 11 counters";
            return Err(InputError::new(path, message).into());
        }
        let told = dumps.iter().map(|dump| dump.at).collect::<Option<Vec<Timestamp>>>();
        let told = told.filter(|times| times.windows(2).all(|pair| pair[0] < pair[1]));
        let start = told.as_ref().map(|times| times[0]);
        for (index, dump) in dumps.iter_mut().enumerate() {
            dump.sample.at = match (&told, start) {
                (Some(times), Some(start)) => {
                    Nanos(u64::try_from(times[index].as_nanosecond() - start.as_nanosecond()).unwrap_or(0))
                }
                _ => {
                    let every = options.interval.ok_or_else(|| GatherError::NoInterval { path: path.clone() })?;
                    Nanos(every.0.saturating_mul(index as u64))
                }
            };
        }
        let samples: Vec<DiskstatsSample> = dumps.into_iter().map(|dump| dump.sample).collect();
        let of_all = DiskstatsOptions { start: start.or(options.start), ..DiskstatsOptions::default() };
        let mut timeline = selected(&samples, &of_all, Selection::Everything)?;
        timeline.about.title = format!("/proc/diskstats, {path}");
        Ok(timeline)
    }
}

/// What one dump tells: what was in flight, and nothing of what its counters count, which is of all the time since the machine started.
fn one_dump(dump: &DiskstatsSample, length: Nanos, mut about: TimelineInfo) -> Timeline {
    let mut series = TimelineBuilder::default();
    for (name, device) in dump.devices.iter().filter(|(_, device)| device.counters.did_any()) {
        let labels = timeline::labels([("disk", name)]);
        let point = SeriesPoint { from: Nanos(0), until: length, value: device.counters.in_flight as f64 };
        series.value(vocabulary::IN_FLIGHT, &labels, point);
    }
    about.notes.insert(
        crate::error::ONE_SAMPLE.to_owned(),
        crate::error::one_sample("dump of /proc/diskstats", "the machine"),
    );
    Timeline { about, series: series.finish_sorted() }
}

/// The dumps of a text: a device that the dump has already is of the next, and so is what comes after a time.
fn read(text: &Text, zone: Offset) -> Result<Vec<Dump>, InputError> {
    let mut dumps: Vec<Dump> = Vec::new();
    let (mut at, mut offset, mut anew) = (None, 0, true);
    for line in text.content().split_inclusive('\n') {
        let start = offset;
        offset += line.len();
        let is_whole = line.ends_with('\n') || offset < text.content().len();
        if let Some((name, device)) = parse::device(line) {
            if anew || dumps.last().is_some_and(|dump| dump.sample.devices.contains_key(&name)) {
                dumps.push(Dump {
                    at: at.take(),
                    sample: DiskstatsSample { at: Nanos(0), devices: Default::default() },
                });
                anew = false;
            }
            if let Some(dump) = dumps.last_mut() {
                dump.sample.devices.insert(name, device);
            }
        } else if let Some(found) = stamp::found(line, zone) {
            (at, anew) = (Some(found), true);
        } else if parse::begins(line) && is_whole {
            let line: String = line.trim().chars().take(80).collect();
            let message =
                format!("`{}` is no device; expected numbers, a name and at least 11 counters", line.escape_debug());
            return Err(text.error_at(start, message));
        }
        // Any other line is a prompt, a command or a heading.
    }
    Ok(dumps)
}
