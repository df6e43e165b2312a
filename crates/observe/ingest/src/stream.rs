//! CloudWatch's metric streams as Firehose delivers them: JSON, a line for each metric, thing and minute.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Deserialize;
use textfile::{InputError, Text};
use timeline::Timeline;
use units::Nanos;

use crate::GatherError;
use crate::export::{self, Column, Export, ExportOptions, Statistic};
use crate::format::{InputFormat, ReadOptions};
use crate::input::{Glimpse, InputFile};
use crate::stamp;

/// The format of metric streams.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MetricStream;

/// One line (AWS, CloudWatch metric streams, JSON format 1.0).
#[derive(Deserialize)]
struct StreamLine {
    #[serde(default)]
    namespace: String,
    metric_name: String,
    #[serde(default)]
    dimensions: BTreeMap<String, String>,
    timestamp: f64,
    value: StreamValue,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum StreamValue {
    Statistics { max: f64, min: f64, sum: f64, count: f64 },
    One(f64),
}

/// Streams are of minutes.
const PERIOD: Nanos = Nanos::secs(60);

impl InputFormat for MetricStream {
    fn name(&self) -> &'static str {
        "stream"
    }

    fn aliases(&self) -> &'static [&'static str] {
        &["metric-stream", "firehose"]
    }

    fn about(&self) -> &'static str {
        "lines of a CloudWatch metric stream"
    }

    fn help(&self) -> &'static str {
        "\
Examples:
  aws s3 cp s3://bucket/2026/11/21/19/stream-1 - | gunzip > stream.jsonl
  diskwright diagnose stream stream.jsonl --disk vol-0a1b2c3d4e5f=gp3:500GiB

The stream's output format is JSON. Metrics of EBS, EC2, RDS and of the CloudWatch agent's
diskio_ebs_* are understood; others are passed over."
    }

    fn is_of(&self, glimpse: &Glimpse<'_>) -> bool {
        glimpse.is_json() && glimpse.has_all(&["\"metric_name\"", "\"namespace\"", "\"dimensions\""])
    }

    fn read(&self, files: &[InputFile], options: &ReadOptions) -> Result<Timeline, GatherError> {
        let [file] = files else { return Err(GatherError::Asked("name one stream".to_owned())) };
        let text = file.text()?;
        let export = columns(&text)?;
        if export.columns.is_empty() {
            let message =
                "has no line of a metric that is known: expected those of AWS/EBS, AWS/EC2, AWS/RDS or diskio_ebs_*";
            return Err(InputError::new(text.path(), message)
                .help("let the stream include the namespace AWS/EBS")
                .into());
        }
        let options = ExportOptions { period: Some(options.interval.unwrap_or(PERIOD)), ..ExportOptions::default() };
        export::timeline(export, &text, &options)
    }
}

/// The lines by metric and thing. Lines of other metrics are passed over, so that a stream of an account does not fill the memory.
fn columns(text: &Text) -> Result<Export, InputError> {
    let mut columns: BTreeMap<Vec<String>, Vec<(Timestamp, f64)>> = BTreeMap::new();
    let mut offset = 0;
    for line in text.content().split_inclusive('\n') {
        let start = offset;
        offset += line.len();
        if line.trim().is_empty() {
            continue;
        }
        let read: StreamLine = match serde_json::from_str(line) {
            Ok(read) => read,
            // The file ends in the middle of a line.
            Err(error) if error.is_eof() && offset == text.content().len() && start > 0 => break,
            Err(error) => return Err(text.error_at(start, format!("is no line of a metric stream: {error}"))),
        };
        let Some(at) = stamp::epoch(read.timestamp) else {
            let message = format!("`timestamp` is {}; expected milliseconds since 1970", read.timestamp);
            return Err(text.error_at(start, message));
        };
        let mut words = vec![read.namespace, read.metric_name];
        words.extend(read.dimensions.iter().map(|(key, value)| format!("{key}:{value}")));
        let is_counter = crate::volume::VolumeCounter::named(&words[1]).is_some();
        let Some(statistic) = export::statistic_of(&words).or_else(|| is_counter.then_some(Statistic::Sum)) else {
            continue;
        };
        let value = match read.value {
            StreamValue::One(value) => value,
            StreamValue::Statistics { max, min, sum, count } => match statistic {
                Statistic::Sum => sum,
                Statistic::Average => sum / count,
                Statistic::Maximum => max,
                Statistic::Minimum => min,
                Statistic::SampleCount => count,
            },
        };
        words.push(statistic.name().to_owned());
        if value.is_finite() {
            columns.entry(words).or_default().push((at, value));
        }
    }
    let columns = columns.into_iter().map(|(words, points)| Column { words, points, ..Column::default() });
    Ok(Export { columns: columns.collect(), notes: BTreeMap::new() })
}

#[cfg(test)]
#[path = "stream/tests.rs"]
mod tests;
