//! Rows on their way to series, in whatever order they come.

use std::collections::BTreeMap;

use units::Nanos;

use super::Fault;
use crate::names::HISTOGRAM;
use crate::validate::{LONGEST_LABELS, MOST_POINTS};
use crate::{
    LatencyPoint, MergeRule, Series, SeriesPoint, SeriesPoints, SeriesUnit, Timeline, TimelineInfo, histogram,
};

/// Most memory of one file's histograms, in bytes. One that reaches to a second takes 172 kB.
const HISTOGRAM_MEMORY: u64 = 8 << 30;

/// The longest text of labels: JSON writes a control character in six bytes, and six more around each label.
const LONGEST_TEXT: usize = 16 * LONGEST_LABELS;

/// One point as a file holds it.
pub(super) struct Row<'a> {
    /// The series' name.
    pub(super) series: &'a str,
    /// Its labels as JSON; nothing stands for none.
    pub(super) labels: &'a str,
    /// Its unit.
    pub(super) unit: &'a str,
    /// How its points merge.
    pub(super) merge: &'a str,
    /// The point's start.
    pub(super) from: Nanos,
    /// Its end.
    pub(super) until: Nanos,
    /// Kind of the row.
    pub(super) what: What<'a>,
}

/// A number or a histogram.
pub(super) enum What<'a> {
    Value(f64),
    Histogram(&'a [u8]),
}

/// Gathers rows.
pub(super) struct Rows {
    series: Vec<Series>,
    /// Where each series is, by name and labels.
    places: BTreeMap<(String, BTreeMap<String, String>), usize>,
    /// Name, labels as text and place of the last row's series: the next is most likely of the same.
    last: (String, String, usize),
    points: u64,
    memory: u64,
}

impl Rows {
    pub(super) fn new() -> Self {
        let last = (String::new(), String::new(), usize::MAX);
        Self { series: Vec::new(), places: BTreeMap::new(), last, points: 0, memory: HISTOGRAM_MEMORY }
    }

    /// Takes a row.
    pub(super) fn push(&mut self, row: &Row<'_>) -> Result<(), Fault> {
        self.points += 1;
        if self.points > MOST_POINTS {
            return Err(format!("holds more than {MOST_POINTS} points").into());
        }
        let series = self.series_of(row)?;
        let (from, until) = (row.from, row.until);
        let fault = |series: &Series, what: &str| Fault::from(format!("{series}: the point from {from} {what}"));
        match (&mut self.series[series].points, &row.what) {
            (SeriesPoints::Values(_, points), What::Value(value)) => {
                points.push(SeriesPoint { from, until, value: *value })
            }
            (SeriesPoints::Latencies(points), What::Histogram(bytes)) => {
                match histogram::decode(bytes, &mut self.memory) {
                    Ok(histogram) => points.push(LatencyPoint { from, until, histogram }),
                    Err(message) => {
                        return Err(fault(&self.series[series], &format!("has a histogram that {message}")));
                    }
                }
            }
            (SeriesPoints::Values(..), What::Histogram(_)) => {
                return Err(fault(&self.series[series], "is a histogram, expected a value"));
            }
            (SeriesPoints::Latencies(_), What::Value(_)) => {
                return Err(fault(&self.series[series], "is a value, expected a histogram"));
            }
        }
        Ok(())
    }

    /// The place of a row's series, which its first row brings into being.
    fn series_of(&mut self, row: &Row<'_>) -> Result<usize, Fault> {
        // Data frames take the word `None` for a gap.
        let unit = if row.unit.is_empty() { SeriesUnit::None } else { row.unit.parse()? };
        let place = match &self.last {
            (name, labels, place) if name == row.series && labels == row.labels && *place != usize::MAX => *place,
            _ => self.find(row, unit)?,
        };
        let series = &self.series[place];
        if series.unit != unit || series.points.kind() != row.merge {
            let (first, kind) = (series.unit, series.points.kind());
            return Err(format!("{series} is {unit} ({}) here and {first} ({kind}) before", row.merge).into());
        }
        Ok(place)
    }

    fn find(&mut self, row: &Row<'_>, unit: SeriesUnit) -> Result<usize, Fault> {
        if row.labels.len() > LONGEST_TEXT {
            return Err(format!("{}: labels are longer than {LONGEST_TEXT} bytes", shorten(row.series)).into());
        }
        let labels: BTreeMap<String, String> = match row.labels {
            "" => BTreeMap::new(),
            text => serde_json::from_str(text)
                .map_err(|error| format!("{}: labels are not a JSON object of texts: {error}", shorten(row.series)))?,
        };
        let key = (row.series.to_owned(), labels);
        let place = match self.places.get(&key) {
            Some(place) => *place,
            None => {
                let points = match row.merge {
                    HISTOGRAM => SeriesPoints::Latencies(Vec::new()),
                    merge => SeriesPoints::Values(merge.parse::<MergeRule>()?, Vec::new()),
                };
                self.series.push(Series { name: key.0.clone(), labels: key.1.clone(), unit, points });
                self.places.insert(key, self.series.len() - 1);
                self.series.len() - 1
            }
        };
        self.last = (row.series.to_owned(), row.labels.to_owned(), place);
        Ok(place)
    }

    /// All rows as a Timeline, each series in order of time.
    pub(super) fn finish(mut self, about: TimelineInfo) -> Result<Timeline, Fault> {
        for series in &mut self.series {
            match &mut series.points {
                SeriesPoints::Values(_, points) => points.sort_by_key(|point| point.from),
                SeriesPoints::Latencies(points) => points.sort_by_key(|point| point.from),
            }
        }
        let timeline = Timeline { about, series: self.series };
        timeline.validate()?;
        Ok(timeline)
    }
}

/// A point's time in nanoseconds, from a number that must not be negative.
pub(super) fn time(nanos: i64) -> Result<Nanos, Fault> {
    u64::try_from(nanos).map(Nanos).map_err(|_| format!("a point is at {nanos} ns, expected no time before 0").into())
}

/// The start of a text, for messages.
fn shorten(text: &str) -> String {
    text.chars().take(100).collect()
}
