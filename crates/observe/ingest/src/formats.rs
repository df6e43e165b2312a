//! The formats that are read: one table, from which files are recognised, subcommands and their help are made, and refusals say
//! what a file seems to be instead.

use jiff::Timestamp;
use textfile::InputError;
use timeline::Timeline;
use units::Nanos;

use crate::GatherError;
use crate::format::{InputFormat, ReadOptions};
use crate::input::InputFile;
use crate::strangers;

/// All formats, in the order in which they are tried.
pub static FORMATS: [&dyn InputFormat; 10] = [
    &crate::timeline_file::TimelineFile,
    &crate::nvme::NvmeStatistics,
    &crate::fio::FioResult,
    &crate::sar::SarReport,
    &crate::iostat::IostatReports,
    &crate::diskstats::DiskstatsDumps,
    &crate::mysql::ServerStatusFile,
    &crate::prometheus::SavedMetrics,
    &crate::stream::MetricStream,
    &crate::export::CloudWatchExport,
];

/// The format with a name, or another name of its.
pub fn named(name: &str) -> Option<&'static dyn InputFormat> {
    FORMATS.into_iter().find(|format| format.name() == name || format.aliases().contains(&name))
}

/// The format that a file is of, as far as its beginning shows.
pub fn recognise(file: &InputFile) -> Option<&'static dyn InputFormat> {
    let glimpse = file.glimpse();
    FORMATS.into_iter().find(|format| format.is_of(&glimpse))
}

/// Reads files of any format.
///
/// # Errors
/// When a file is of no format that is read, files are of different ones, or one cannot be read.
pub fn read_any(
    files: &[InputFile],
    options: &ReadOptions,
) -> Result<(&'static dyn InputFormat, Timeline), GatherError> {
    let mut found: Option<&'static dyn InputFormat> = None;
    for file in files {
        let format = recognise(file).ok_or_else(|| strangers::unknown(file))?;
        if let Some(other) = found.filter(|other| other.name() != format.name()) {
            let message = format!("is {}, and the file before it {}", format.about(), other.about());
            return Err(InputError::new(file.path(), message).help("give files of one kind at once").into());
        }
        found = Some(format);
    }
    let format = found.ok_or_else(|| GatherError::Asked("no file is named".to_owned()))?;
    Ok((format, read(format, files, options)?))
}

/// Reads files as of one format. A refusal says what the file seems to be, if that is another one.
///
/// # Errors
/// When a file cannot be read.
pub fn read(
    format: &'static dyn InputFormat,
    files: &[InputFile],
    options: &ReadOptions,
) -> Result<Timeline, GatherError> {
    if format.samples() || files.len() < 2 {
        return format.read(files, options).map_err(|error| explained(error, format, files));
    }
    let read = |file: &InputFile| {
        let one = std::slice::from_ref(file);
        format.read(one, options).map_err(|error| explained(error, format, one))
    };
    merged(files, files.iter().map(read).collect::<Result<_, _>>()?)
}

/// One Timeline of several files, each at its own time.
fn merged(files: &[InputFile], timelines: Vec<Timeline>) -> Result<Timeline, GatherError> {
    let starts: Vec<Option<Timestamp>> = timelines.iter().map(|timeline| timeline.about.start).collect();
    let known: Vec<Timestamp> = starts.iter().flatten().copied().collect();
    let first = known.iter().min().copied();
    if first.is_some() && known.len() < timelines.len() {
        let index = starts.iter().position(Option::is_none).unwrap_or_default();
        let message = "has no times, and another file has: they cannot be read together";
        return Err(InputError::new(files[index].path(), message).into());
    }
    let mut series = timeline::TimelineBuilder::default();
    let mut about = timelines[0].about.clone();
    about.start = first;
    for mut timeline in timelines {
        let later =
            timeline.about.start.zip(first).map_or(0, |(start, first)| start.as_nanosecond() - first.as_nanosecond());
        let later = Nanos(u64::try_from(later).unwrap_or(0));
        for series in &mut timeline.series {
            delay(&mut series.points, later);
        }
        about.notes.append(&mut timeline.about.notes);
        series.extend(timeline, &timeline::SeriesLabels::new());
    }
    let timeline = Timeline { about, series: series.finish_sorted() };
    timeline.validate()?;
    Ok(timeline)
}

fn delay(points: &mut timeline::SeriesPoints, by: Nanos) {
    let later = |at: &mut Nanos| at.0 = at.0.saturating_add(by.0);
    match points {
        timeline::SeriesPoints::Values(_, points) => points.iter_mut().for_each(|point| {
            later(&mut point.from);
            later(&mut point.until);
        }),
        timeline::SeriesPoints::Latencies(points) => points.iter_mut().for_each(|point| {
            later(&mut point.from);
            later(&mut point.until);
        }),
    }
}

/// A refusal, with what the file seems to be.
fn explained(error: GatherError, format: &dyn InputFormat, files: &[InputFile]) -> GatherError {
    let GatherError::Input(input) = &error else { return error };
    let Some(file) = files.iter().find(|file| !format.is_of(&file.glimpse())) else { return error };
    match recognise(file) {
        Some(other) => {
            let help = format!("it seems to be {}: read it with `diagnose {}`", other.about(), other.name());
            input.clone().help(help).into()
        }
        None => match strangers::seems(file) {
            Some(stranger) => {
                input.clone().help(format!("it seems to be {}; {}", stranger.what, stranger.instead)).into()
            }
            None => error,
        },
    }
}
