//! What people export of CloudWatch: the console's CSV, and what `aws cloudwatch get-metric-data` and
//! `get-metric-statistics` print. Series have CloudWatch's names and labels, and only the statistic that means something:
//! a mean of `VolumeReadOps` is the mean of what the instance reported, not of anything a volume did.

mod json;
mod known;
mod sheet;

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use jiff::tz::Offset;
use textfile::{InputError, Text};
use timeline::{SeriesLabels, SeriesPoint, SeriesSpec, Timeline, TimelineBuilder, TimelineInfo};
use units::Nanos;

use crate::GatherError;
use known::{Metric, Statistic};

/// What an export does not say of itself.
#[derive(Debug, Clone, Default)]
pub struct ExportOptions {
    /// SeriesLabels of series that name none: `VolumeId`, `InstanceId`, `DBInstanceIdentifier`. Without one it is the file's name.
    pub labels: BTreeMap<String, String>,
    /// How far apart points are, where the export does not say; else the shortest distance between two of a series.
    pub period: Option<Nanos>,
    /// The zone of time stamps that name none; none is UTC.
    pub zone: Option<Offset>,
}

/// One series of an export.
#[derive(Debug, Default)]
struct Column {
    /// Everything that the export says of it: metric, dimensions, statistic, period, in any order.
    words: Vec<String>,
    statistic: Option<Statistic>,
    period: Option<Nanos>,
    /// The start of each period and its value.
    points: Vec<(Timestamp, f64)>,
}

/// All that an export holds.
#[derive(Debug, Default)]
struct Export {
    columns: Vec<Column>,
    /// What is wrong with it, for the Timeline's notes.
    notes: BTreeMap<String, String>,
}

/// Reads an export; what it had to leave out, it says in the Timeline's notes.
///
/// # Errors
/// When the text is no export, holds no metric that is known, or holds one twice.
pub fn read(text: &Text, options: &ExportOptions) -> Result<Timeline, GatherError> {
    let zone = options.zone.unwrap_or(Offset::UTC);
    let content = text.content().trim_start_matches('\u{feff}').trim_start();
    let export = if content.starts_with('{') { json::read(text, zone)? } else { sheet::read(text, zone)? };
    let times = export.columns.iter().flat_map(|column| column.points.iter().map(|(at, _)| *at));
    let Some(start) = times.min() else {
        let message = "has no points; expected an export of CloudWatch with values in its range";
        return Err(InputError::new(text.path(), message).help("widen the range").into());
    };
    let title = format!("CloudWatch, {}", text.path().display());
    let mut about = TimelineInfo { title, start: Some(start), notes: export.notes };
    let (mut series, mut seen, mut unknown) = (TimelineBuilder::default(), BTreeSet::new(), BTreeSet::new());
    for column in &export.columns {
        let Some(metric) = known::find(&column.words) else {
            unknown.insert(column.words.join(" "));
            continue;
        };
        let Some(merge) = metric.merge(column.statistic()) else {
            let told = format!("its {} says nothing; export the {}", column.said(), metric.statistic.name());
            about.notes.insert(format!("left out {}", metric.listed.name), told);
            continue;
        };
        let labels = labels(metric, column, text, options);
        if !seen.insert((metric.listed.name, labels.clone())) {
            let of = labels.values().map(String::as_str).collect::<Vec<_>>().join(", ");
            let message = format!("has {} of `{of}` twice; expected it once", metric.listed.name);
            return Err(InputError::new(text.path(), message).help("export labels with their VolumeId").into());
        }
        let period = column.period(options).unwrap_or(metric.listed.period);
        for (at, value) in &column.points {
            let Ok(from) = u64::try_from(at.as_nanosecond() - start.as_nanosecond()) else { continue };
            let point = SeriesPoint { from: Nanos(from), until: Nanos(from.saturating_add(period.0)), value: *value };
            series.value(SeriesSpec::foreign(metric.listed.name, metric.listed.unit, merge), &labels, point);
        }
    }
    let timeline = Timeline { about, series: series.finish_sorted() };
    if timeline.series.is_empty() && timeline.about.notes.is_empty() {
        let names: Vec<&str> = unknown.iter().map(String::as_str).take(3).collect();
        let message = format!("has no metric of disks that is known, only `{}`", names.join("`, `"));
        return Err(InputError::new(text.path(), message)
            .help("export VolumeReadOps, VolumeWriteOps and so on")
            .into());
    }
    let mut timeline = timeline;
    if !unknown.is_empty() {
        let told: String = unknown.into_iter().collect::<Vec<_>>().join("; ").chars().take(1000).collect();
        timeline.about.notes.insert("left out unknown".to_owned(), told);
    }
    timeline.validate()?;
    Ok(timeline)
}

/// The dimensions that name what the metric is of.
fn labels(metric: &Metric, column: &Column, text: &Text, options: &ExportOptions) -> SeriesLabels {
    let value = |dimension: &str| {
        let given = || options.labels.get(dimension).cloned();
        column.dimension(dimension).or_else(given)
    };
    let found = metric.listed.dimensions.split(' ').filter_map(|key| Some((key.to_owned(), value(key)?)));
    let mut labels: SeriesLabels = found.collect();
    // The last names the thing itself; the instance that a volume is attached to may be missing.
    let last = metric.listed.dimensions.rsplit(' ').next().unwrap_or_default();
    let stem = || text.path().file_stem().map_or_else(|| "-".to_owned(), |stem| stem.to_string_lossy().into_owned());
    labels.entry(last.to_owned()).or_insert_with(stem);
    labels
}

impl Column {
    fn statistic(&self) -> Option<Statistic> {
        self.statistic.or_else(|| self.words.iter().find_map(|word| Statistic::read(word)))
    }

    fn said(&self) -> &'static str {
        self.statistic().map_or("statistic", Statistic::name)
    }

    /// The value of a dimension, written `VolumeId:vol-…` or, of volumes and instances, alone.
    fn dimension(&self, key: &str) -> Option<String> {
        let named = self.words.iter().find_map(|word| word.strip_prefix(key)?.strip_prefix(':'));
        let prefix = match key {
            "VolumeId" => "vol-",
            "InstanceId" => "i-",
            _ => "\0",
        };
        let alone = || self.words.iter().map(String::as_str).find(|word| is_id(word, prefix));
        named.or_else(alone).map(str::to_owned)
    }

    fn period(&self, options: &ExportOptions) -> Option<Nanos> {
        let last = self.words.last().filter(|_| self.words.len() > 1);
        let said = last.and_then(|word| word.parse::<u64>().ok()).filter(|seconds| (1..=31_536_000).contains(seconds));
        self.period.or(said.map(Nanos::secs)).or(options.period).or_else(|| {
            let mut times: Vec<i128> = self.points.iter().map(|(at, _)| at.as_nanosecond()).collect();
            times.sort_unstable();
            let steps = times.windows(2).map(|pair| pair[1] - pair[0]).filter(|step| *step > 0);
            steps.min().and_then(|step| u64::try_from(step).ok()).map(Nanos)
        })
    }
}

/// Whether a word is the id of a volume (`vol-`) or an instance (`i-`).
fn is_id(word: &str, prefix: &str) -> bool {
    word.strip_prefix(prefix).is_some_and(|id| id.len() >= 8 && id.chars().all(|c| c.is_ascii_hexdigit()))
}

#[cfg(test)]
#[path = "export/tests.rs"]
mod tests;
