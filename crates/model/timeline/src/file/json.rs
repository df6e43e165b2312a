//! JSON, with keys that stay.

use std::borrow::Cow;
use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::ser::{Error, SerializeSeq};
use serde::{Deserialize, Serialize, Serializer};
use textfile::TextPosition;
use units::Nanos;

use super::Fault;
use super::about::Written;
use super::rows::{Row, Rows, What};
use crate::{SeriesPoints, Timeline, histogram};

#[derive(Serialize)]
struct File<'a> {
    about: Written<'a>,
    series: Vec<WrittenSeries<'a>>,
}

#[derive(Serialize)]
struct WrittenSeries<'a> {
    name: &'a str,
    labels: &'a BTreeMap<String, String>,
    unit: &'static str,
    merge: &'static str,
    points: WrittenPoints<'a>,
}

struct WrittenPoints<'a>(&'a SeriesPoints);

#[derive(Serialize)]
struct WrittenPoint<'a> {
    from_ns: u64,
    until_ns: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    histogram: Option<&'a str>,
}

impl Serialize for WrittenPoints<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut all = serializer.serialize_seq(Some(self.0.len()))?;
        match self.0 {
            SeriesPoints::Values(_, points) => points.iter().try_for_each(|point| {
                let (from_ns, until_ns, value) = (point.from.0, point.until.0, Some(point.value));
                all.serialize_element(&WrittenPoint { from_ns, until_ns, value, histogram: None })
            }),
            SeriesPoints::Latencies(points) => points.iter().try_for_each(|point| {
                let text = BASE64.encode(histogram::encode(&point.histogram).map_err(S::Error::custom)?);
                let (from_ns, until_ns, histogram) = (point.from.0, point.until.0, Some(text.as_str()));
                all.serialize_element(&WrittenPoint { from_ns, until_ns, value: None, histogram })
            }),
        }?;
        all.end()
    }
}

pub(super) fn encode(timeline: &Timeline) -> Result<Vec<u8>, String> {
    let series = timeline.series.iter().filter(|series| !series.points.is_empty()).map(|series| WrittenSeries {
        name: &series.name,
        labels: &series.labels,
        unit: series.unit.name(),
        merge: series.points.kind(),
        points: WrittenPoints(&series.points),
    });
    let file = File { about: Written::of(&timeline.about), series: series.collect() };
    let mut bytes = serde_json::to_vec(&file).map_err(|error| error.to_string())?;
    bytes.push(b'\n');
    Ok(bytes)
}

#[derive(Deserialize)]
struct ReadFile<'a> {
    #[serde(default, borrow)]
    about: Written<'a>,
    #[serde(borrow)]
    series: Vec<ReadSeries<'a>>,
}

#[derive(Deserialize)]
struct ReadSeries<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(default)]
    labels: BTreeMap<String, String>,
    #[serde(borrow)]
    unit: Cow<'a, str>,
    #[serde(borrow)]
    merge: Cow<'a, str>,
    #[serde(borrow)]
    points: Vec<ReadPoint<'a>>,
}

#[derive(Deserialize)]
struct ReadPoint<'a> {
    from_ns: u64,
    until_ns: u64,
    value: Option<f64>,
    #[serde(borrow)]
    histogram: Option<Cow<'a, str>>,
}

pub(super) fn decode(bytes: &[u8]) -> Result<Timeline, Fault> {
    let file: ReadFile<'_> = serde_json::from_slice(bytes).map_err(|error| Fault {
        message: error.to_string(),
        position: Some(TextPosition { line: error.line(), column: error.column() }),
    })?;
    let mut rows = Rows::new();
    for series in file.series {
        let labels = serde_json::to_string(&series.labels)?;
        for point in series.points {
            let decoded;
            let what = match (point.value, point.histogram) {
                (Some(value), None) => What::Value(value),
                (None, Some(text)) => {
                    decoded = BASE64
                        .decode(text.as_bytes())
                        .map_err(|error| format!("{}: a histogram is not base64: {error}", series.name))?;
                    What::Histogram(&decoded)
                }
                _ => return Err(format!("{}: expected a value or a histogram in every point", series.name).into()),
            };
            rows.push(&Row {
                series: &series.name,
                labels: &labels,
                unit: &series.unit,
                merge: &series.merge,
                from: Nanos(point.from_ns),
                until: Nanos(point.until_ns),
                what,
            })?;
        }
    }
    rows.finish(file.about.about()?)
}
