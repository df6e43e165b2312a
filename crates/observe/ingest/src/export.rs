//! What people export of CloudWatch: the console's CSV, and what `aws cloudwatch get-metric-data` and
//! `get-metric-statistics` print. Series have CloudWatch's names and labels, and only the statistic that means something:
//! a mean of `VolumeReadOps` is the mean of what the instance reported, not of anything a volume did.

mod json;
mod known;
mod labels;
mod sheet;
mod words;

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use jiff::tz::Offset;
use textfile::{InputError, Text};
use timeline::{MergeRule, SeriesPoint, SeriesSpec, Timeline, TimelineBuilder, TimelineInfo};
use units::Nanos;

use crate::GatherError;
use crate::format::{InputFormat, ReadOptions};
use crate::input::{Glimpse, InputFile};
use crate::volume::VolumeCounter;
use known::Metric;
pub(crate) use known::{Statistic, statistic_of};
use labels::OnlyOnes;

/// What an export does not say of itself.
#[derive(Debug, Clone, Default)]
pub struct ExportOptions {
    /// SeriesLabels of series that name none: `VolumeId`, `InstanceId`, `DBInstanceIdentifier`. Without one it is the file's name.
    pub labels: BTreeMap<String, String>,
    /// How far apart points are, where the export does not say; else the shortest distance between two of a series.
    pub period: Option<Nanos>,
    /// The zone of time stamps that name none; none is UTC.
    pub zone: Option<Offset>,
    /// What columns with names of their own are: `db write iops` = `WriteIOPS DBInstanceIdentifier:orders`.
    pub columns: BTreeMap<String, String>,
}

/// One series of an export.
#[derive(Debug, Default)]
pub(crate) struct Column {
    /// Everything that the export says of it: metric, dimensions, statistic, period, in any order.
    pub(crate) words: Vec<String>,
    pub(crate) statistic: Option<Statistic>,
    pub(crate) period: Option<Nanos>,
    /// The start of each period and its value.
    pub(crate) points: Vec<(Timestamp, f64)>,
}

/// All that an export holds.
#[derive(Debug, Default)]
pub(crate) struct Export {
    pub(crate) columns: Vec<Column>,
    /// What is wrong with it, for the Timeline's notes.
    pub(crate) notes: BTreeMap<String, String>,
}

/// The format of CloudWatch's exports.
#[derive(Debug, Clone, Copy)]
pub struct CloudWatchExport;

impl InputFormat for CloudWatchExport {
    fn name(&self) -> &'static str {
        "export"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["csv", "grafana"]
    }

    fn about(&self) -> &'static str {
        "metrics that CloudWatch or Grafana exported, as CSV or JSON"
    }

    fn help(&self) -> &'static str {
        "\
Examples:
  diskwright diagnose export vol-0a1b.csv --disk vol-0a1b=gp2:400GiB
  aws cloudwatch get-metric-data … > data.json
  diskwright diagnose export data.json --disk gp3:500GiB
  diskwright diagnose export panel.csv --map 'db write iops=WriteIOPS DBInstanceIdentifier:orders'

CSV of the console and of Grafana, with commas or semicolons, and the JSON of get-metric-data and
get-metric-statistics. A series without the id of its volume is of the only one that the file
names, else of the one that the file is named after. Columns with names of their own are told what
they are by --map, with the metric's name and, if need be, its dimensions and statistic. Other
series are called read_iops, write_iops, read_bytes_per_second, write_bytes_per_second, read_await,
write_await and queue_depth, with disk:NAME and node:NAME."
    }

    fn is_of(&self, glimpse: &Glimpse<'_>) -> bool {
        if glimpse.is_json() {
            return glimpse.has_all(&["\"MetricDataResults\""]) || glimpse.has_all(&["\"Datapoints\""]);
        }
        sheet::is_sheet(glimpse)
    }

    fn read(&self, files: &[InputFile], options: &ReadOptions) -> Result<Timeline, GatherError> {
        let [file] = files else { return Err(GatherError::Asked("name one export".to_owned())) };
        let options = ExportOptions {
            period: options.interval,
            zone: options.zone,
            columns: options.columns.clone(),
            ..ExportOptions::default()
        };
        read(&file.text()?, &options)
    }
}

/// Reads an export; what it had to leave out, it says in the Timeline's notes.
///
/// # Errors
/// When the text is no export, holds no metric that is known, or holds one twice.
pub fn read(text: &Text, options: &ExportOptions) -> Result<Timeline, GatherError> {
    let zone = options.zone.unwrap_or(Offset::UTC);
    let content = text.content().trim_start_matches('\u{feff}').trim_start();
    let mut export = if content.starts_with('{') { json::read(text, zone)? } else { sheet::read(text, zone)? };
    rename(&mut export, text, options)?;
    timeline(export, text, options)
}

/// Gives columns with names of their own the names that were said.
fn rename(export: &mut Export, text: &Text, options: &ExportOptions) -> Result<(), InputError> {
    for (label, meant) in &options.columns {
        let wanted: Vec<String> = label.split_whitespace().map(str::to_lowercase).collect();
        let is_called = |column: &&mut Column| {
            let words: Vec<String> = column.words.iter().map(|word| word.to_lowercase()).collect();
            !wanted.is_empty() && words.windows(wanted.len()).any(|window| *window == wanted[..])
        };
        let mut found = false;
        for column in export.columns.iter_mut().filter(is_called) {
            found = true;
            let period = column.words.pop_if(|word| word.parse::<u64>().is_ok());
            column.words = meant.split_whitespace().map(str::to_owned).chain(column.words.drain(..)).collect();
            column.words.extend(period);
        }
        if !found {
            let names: Vec<String> = export.columns.iter().map(|column| column.words.join(" ")).take(10).collect();
            let message = format!("has no column `{label}`; its columns are `{}`", names.join("`, `"));
            return Err(InputError::new(text.path(), message).help("give --map LABEL=METRIC with a label of the file"));
        }
    }
    Ok(())
}

/// What a column is.
enum Meaning {
    /// A metric of CloudWatch.
    Listed(&'static Metric, MergeRule),
    /// A counter of a volume that an agent read.
    Counter(VolumeCounter),
    /// A series of the vocabulary, as it was said with `--map`.
    Ours(SeriesSpec),
}

/// The columns as series.
pub(crate) fn timeline(export: Export, text: &Text, options: &ExportOptions) -> Result<Timeline, GatherError> {
    let times = export.columns.iter().flat_map(|column| column.points.iter().map(|(at, _)| *at));
    let Some(start) = times.min() else {
        let message = "has no points; expected an export of CloudWatch with values in its range";
        return Err(InputError::new(text.path(), message).help("widen the range").into());
    };
    let title = format!("CloudWatch, {}", text.path().display());
    let mut about = TimelineInfo { title, start: Some(start), notes: export.notes };
    let (mut series, mut seen, mut unknown) = (TimelineBuilder::default(), BTreeSet::new(), BTreeSet::new());
    let only = OnlyOnes::of(&export.columns);
    let namespace = known::common_namespace(export.columns.iter().map(|column| column.words.as_slice()));
    for column in &export.columns {
        let Some(meaning) = meaning(column, namespace, &mut about) else {
            if known::find(&column.words, namespace).is_none() {
                unknown.insert(column.words.join(" "));
            }
            continue;
        };
        let (name, labels, usual) = match &meaning {
            Meaning::Listed(metric, _) => {
                (metric.listed.name, labels::of_metric(metric, column, text, options, &only), metric.listed.period)
            }
            Meaning::Counter(counter) => (counter.series().name, labels::of_counter(column, text, &only), MINUTE),
            Meaning::Ours(spec) => (spec.name, labels::of_ours(column, text, &only), MINUTE),
        };
        if !seen.insert((name, labels.clone())) {
            let of = labels.values().map(String::as_str).collect::<Vec<_>>().join(", ");
            let message = format!("has {name} of `{of}` twice; expected it once");
            return Err(InputError::new(text.path(), message).help("export labels with their VolumeId").into());
        }
        let period = column.period(options).unwrap_or(usual);
        let unit = agent_unit(&export.columns, period);
        for (at, value) in &column.points {
            let Ok(from) = u64::try_from(at.as_nanosecond() - start.as_nanosecond()) else { continue };
            let (from, until) = (Nanos(from), Nanos(from.saturating_add(period.0)));
            let value = match &meaning {
                Meaning::Counter(counter) if counter.is_time() => *value / unit,
                _ => *value,
            };
            let point = SeriesPoint { from, until, value };
            match &meaning {
                Meaning::Listed(metric, merge) => {
                    series.value(SeriesSpec::foreign(metric.listed.name, metric.listed.unit, *merge), &labels, point);
                }
                Meaning::Counter(counter) => series.value(counter.series(), &labels, point),
                Meaning::Ours(spec) => series.value(*spec, &labels, point),
            }
        }
    }
    let mut timeline = Timeline { about, series: series.finish_sorted() };
    if timeline.series.is_empty() && timeline.about.notes.is_empty() {
        let names: Vec<&str> = unknown.iter().map(String::as_str).take(3).collect();
        let message = format!("has no metric of disks that is known, only `{}`", names.join("`, `"));
        let example = names.first().copied().unwrap_or("db write iops").trim();
        let help = format!(
            "export VolumeReadOps, VolumeWriteOps and so on, or say what a column is: --map '{example}=WriteIOPS'"
        );
        return Err(InputError::new(text.path(), message).help(help).into());
    }
    if !unknown.is_empty() {
        let told: String = unknown.into_iter().collect::<Vec<_>>().join("; ").chars().take(1000).collect();
        timeline.about.notes.insert("left out unknown".to_owned(), told);
    }
    timeline.validate()?;
    Ok(timeline)
}

/// Period of points that nothing tells.
const MINUTE: Nanos = Nanos::secs(60);

/// What a column is; `None` where it is unknown, or its statistic says nothing, which is noted.
fn meaning(column: &Column, namespace: Option<&str>, about: &mut TimelineInfo) -> Option<Meaning> {
    if let Some(metric) = known::find(&column.words, namespace) {
        if let Some(merge) = metric.merge(column.statistic()) {
            return Some(Meaning::Listed(metric, merge));
        }
        let told = format!("its {} says nothing; export the {}", column.said(), metric.statistic.name());
        about.notes.insert(format!("left out {}", metric.listed.name), told);
        return None;
    }
    let is_agent =
        |word: &&String| word.contains("total_") || word.contains("_exceeded_") || word.contains("queue_length");
    if let Some(counter) = column.words.iter().filter(is_agent).find_map(|word| VolumeCounter::named(word)) {
        return Some(Meaning::Counter(counter));
    }
    let spec = column.words.iter().find_map(|word| SeriesSpec::named(word).filter(|spec| spec.merge().is_some()));
    if spec.is_some() {
        return spec.map(Meaning::Ours);
    }
    let guessed = words::guess(&column.words)?;
    let told =
        format!("`{}` was taken for {} by its words; --map says otherwise", column.words.join(" "), guessed.name);
    about.notes.entry(TAKEN.to_owned()).and_modify(|note| *note += &format!("; {told}")).or_insert(told);
    Some(Meaning::Ours(guessed))
}

/// The note that tells which columns were understood by their words.
const TAKEN: &str = "left out names";

/// Units of an agent's times a second. Its documentation says microseconds; newer releases send nanoseconds, which shows where a limit
/// would have been exceeded for longer than the period is (amazon-cloudwatch-agent, receiver/awsnvmereceiver).
fn agent_unit(columns: &[Column], period: Nanos) -> f64 {
    let is_time = |column: &&Column| {
        column.words.iter().any(|word| matches!(VolumeCounter::named(word), Some(VolumeCounter::Exceeded(_))))
    };
    let longest =
        columns.iter().filter(is_time).flat_map(|column| &column.points).map(|(_, value)| *value).fold(0.0, f64::max);
    if longest / 1e6 > period.as_secs_f64() * 1.1 { 1e9 } else { 1e6 }
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
