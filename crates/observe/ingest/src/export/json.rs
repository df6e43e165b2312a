//! What `aws cloudwatch get-metric-data` and `get-metric-statistics` print, one or several of them in a file.

use jiff::Timestamp;
use jiff::tz::Offset;
use serde_json::Value;
use textfile::{InputError, Text};

use super::known::{self, Statistic};
use super::{Column, Export};
use crate::stamp;

pub(super) fn read(text: &Text, zone: Offset) -> Result<Export, InputError> {
    let mut export = Export::default();
    let content = text.content().trim_start_matches('\u{feff}');
    let mut documents = serde_json::Deserializer::from_str(content).into_iter::<Value>();
    while let Some(document) = documents.next() {
        let offset = documents.byte_offset();
        let document = document.map_err(|error| text.error_at(offset, format!("is not JSON: {error}")))?;
        let wrong = |what: String| text.error_at(offset, what);
        if let Some(results) = document["MetricDataResults"].as_array() {
            for result in results {
                metric_data(&mut export, result, zone).map_err(wrong)?;
            }
            if document["NextToken"].is_string() {
                export.notes.insert("incomplete".to_owned(), "the answer had a NextToken: more follows".to_owned());
            }
        } else if let Some(points) = document["Datapoints"].as_array() {
            let label = document["Label"].as_str().unwrap_or_default();
            metric_statistics(&mut export, label, points, zone).map_err(wrong)?;
        } else {
            let message = "has neither `MetricDataResults` nor `Datapoints`";
            return Err(InputError::new(text.path(), message)
                .help("save what `aws cloudwatch get-metric-data` or `get-metric-statistics` prints"));
        }
    }
    Ok(export)
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

fn metric_data(export: &mut Export, result: &Value, zone: Offset) -> Result<(), String> {
    let (id, label) = (result["Id"].as_str().unwrap_or_default(), result["Label"].as_str().unwrap_or_default());
    let empty = Vec::new();
    let list = |key: &str| result[key].as_array().unwrap_or(&empty);
    let (times, values) = (list("Timestamps"), list("Values"));
    if times.len() != values.len() {
        return Err(format!("`{id}` has {} times and {} values; expected as many", times.len(), values.len()));
    }
    if let Some(status) = result["StatusCode"].as_str().filter(|status| *status != "Complete") {
        export.notes.insert(format!("status of {}", short(label)), short(status));
    }
    let point = |(time, value)| Ok((instant(time, zone)?, number(value)?));
    let points = times.iter().zip(values).map(point).collect::<Result<Vec<_>, String>>()?;
    // One series may be told in several pages.
    let words = words(label);
    match export.columns.iter_mut().find(|column| column.words == words && column.statistic.is_none()) {
        Some(column) => column.points.extend(points),
        None => export.columns.push(Column { words, points, ..Column::default() }),
    }
    Ok(())
}

/// Of the statistics in the points, the one that means something for this metric; else the first.
fn metric_statistics(export: &mut Export, label: &str, points: &[Value], zone: Offset) -> Result<(), String> {
    let words = words(label);
    let has = |statistic: &Statistic| points.iter().any(|point| point.get(statistic.name()).is_some());
    let wanted = known::find(&words, None).map(|metric| metric.statistic).filter(has);
    let Some(statistic) = wanted.or_else(|| Statistic::ALL.into_iter().find(has)) else { return Ok(()) };
    let of = |point: &Value| {
        let value = point.get(statistic.name())?;
        Some(instant(&point["Timestamp"], zone).and_then(|at| Ok((at, number(value)?))))
    };
    let points = points.iter().filter_map(of).collect::<Result<Vec<_>, String>>()?;
    export.columns.push(Column { words, statistic: Some(statistic), points, ..Column::default() });
    Ok(())
}

fn instant(time: &Value, zone: Offset) -> Result<Timestamp, String> {
    let read = match time {
        Value::String(text) => stamp::read(text, zone),
        Value::Number(seconds) => seconds.as_f64().and_then(|seconds| Timestamp::from_second(seconds as i64).ok()),
        _ => None,
    };
    read.ok_or_else(|| format!("`{}` is no time; expected one such as 2026-11-21T19:40:00Z", short(&time.to_string())))
}

fn number(value: &Value) -> Result<f64, String> {
    let number = value.as_f64().filter(|value| value.is_finite());
    number.ok_or_else(|| format!("`{}` is no value; expected a number", short(&value.to_string())))
}

fn short(text: &str) -> String {
    text.chars().take(100).collect()
}
