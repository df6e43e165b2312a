//! CSV: the long format with a header, and what the Timeline is of in the first row of its own column.

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use csv::{ReaderBuilder, StringRecord, Writer};
use textfile::TextPosition;
use units::Nanos;

use super::Fault;
use super::about::Written;
use super::rows::{Row, Rows, What};
use crate::{SeriesPoints, Timeline, histogram};

const COLUMNS: [&str; 9] = ["series", "labels", "unit", "merge", "from_ns", "until_ns", "value", "histogram", "about"];

pub(super) fn encode(timeline: &Timeline) -> Result<Vec<u8>, String> {
    let mut writer = Writer::from_writer(Vec::new());
    let mut about = Written::of(&timeline.about).text()?;
    let mut write = |row: [&str; 9]| writer.write_record(row).map_err(|error| error.to_string());
    write(COLUMNS)?;
    let mut rows = 0;
    for series in &timeline.series {
        let labels = serde_json::to_string(&series.labels).map_err(|error| error.to_string())?;
        let (unit, merge) = (series.unit.name(), series.points.kind());
        let mut point = |from: Nanos, until: Nanos, value: &str, histogram: &str| {
            let (from, until) = (from.0.to_string(), until.0.to_string());
            let about = std::mem::take(&mut about);
            rows += 1;
            write([&series.name, &labels, unit, merge, &from, &until, value, histogram, &about])
        };
        match &series.points {
            // `{:?}` is the shortest text that reads back as the same number.
            SeriesPoints::Values(_, points) => {
                points.iter().try_for_each(|one| point(one.from, one.until, &format!("{:?}", one.value), ""))
            }
            SeriesPoints::Latencies(points) => points
                .iter()
                .try_for_each(|one| point(one.from, one.until, "", &BASE64.encode(histogram::encode(&one.histogram)?))),
        }?;
    }
    if rows == 0 {
        write(["", "", "", "", "", "", "", "", &about])?;
    }
    writer.into_inner().map_err(|error| error.to_string())
}

pub(super) fn decode(bytes: &[u8]) -> Result<Timeline, Fault> {
    let mut reader = ReaderBuilder::new().from_reader(bytes);
    let columns = Columns::of(reader.headers().map_err(fault)?)?;
    let (mut rows, mut about) = (Rows::new(), None);
    let mut record = StringRecord::new();
    while reader.read_record(&mut record).map_err(fault)? {
        take(&columns, &record, &mut rows, &mut about).map_err(|fault| Fault {
            position: record.position().map(|at| TextPosition { line: at.line() as usize, column: 1 }),
            ..fault
        })?;
    }
    let about = about.as_deref().map_or_else(|| Ok(Written::default()), Written::parse)?;
    rows.finish(about.about()?)
}

/// A fault in the grammar.
fn fault(error: csv::Error) -> Fault {
    let position = error.position().map(|at| TextPosition { line: at.line() as usize, column: 1 });
    Fault { message: error.to_string(), position }
}

/// Where each of [`COLUMNS`] is.
struct Columns([Option<usize>; 9]);

impl Columns {
    fn of(header: &StringRecord) -> Result<Self, Fault> {
        let places = COLUMNS.map(|name| header.iter().position(|column| column == name));
        let missing = COLUMNS.iter().zip(&places).take(6).find(|(_, place)| place.is_none());
        match missing {
            Some((name, _)) => Err(format!("has no column `{name}`, expected {}", COLUMNS.join(", ")).into()),
            None => Ok(Self(places)),
        }
    }

    /// The texts in order of [`COLUMNS`]; nothing where a column is not there.
    fn read<'a>(&self, record: &'a StringRecord) -> [&'a str; 9] {
        self.0.map(|place| place.and_then(|place| record.get(place)).unwrap_or_default())
    }
}

fn take(columns: &Columns, record: &StringRecord, rows: &mut Rows, about: &mut Option<String>) -> Result<(), Fault> {
    let [series, labels, unit, merge, from, until, value, histogram, text] = columns.read(record);
    if !text.is_empty() && about.is_none() {
        *about = Some(text.to_owned());
    }
    if [series, from, until, value, histogram].iter().all(|text| text.is_empty()) {
        return Ok(());
    }
    let decoded;
    let what = match (value, histogram) {
        ("", "") => return Err("has neither a value nor a histogram".into()),
        (value, "") => What::Value(value.parse().map_err(|_| format!("`{value}` is no number"))?),
        ("", histogram) => {
            decoded = BASE64.decode(histogram).map_err(|error| format!("the histogram is not base64: {error}"))?;
            What::Histogram(&decoded)
        }
        _ => return Err("has both a value and a histogram, expected one of them".into()),
    };
    rows.push(&Row { series, labels, unit, merge, from: time(from)?, until: time(until)?, what })
}

/// A time in nanoseconds. Data frames write whole numbers with a fraction where a column has a gap: `1000.0`.
fn time(text: &str) -> Result<Nanos, Fault> {
    let whole = text.strip_suffix(".0").unwrap_or(text);
    whole.parse().map(Nanos).map_err(|_| format!("`{text}` is no time, expected whole nanoseconds").into())
}
