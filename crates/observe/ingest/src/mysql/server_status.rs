//! What a server counted until an instant (`SHOW GLOBAL STATUS`), as series.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use jiff::Timestamp;
use timeline::{MergeRule, Series, SeriesPoint, SeriesPoints, SeriesUnit, Timeline, TimelineInfo};
use units::Nanos;

#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    /// It only grows, until the server starts anew: the growth.
    Counter,
    /// The value at the end.
    Gauge,
}

#[derive(Debug, serde::Deserialize)]
struct Row {
    status: String,
    series: String,
    unit: String,
    kind: Kind,
    #[serde(rename = "meaning")]
    _meaning: String,
}

static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let table = include_str!("../../tables/mysql-status.csv");
    let rows = csv::Reader::from_reader(table.as_bytes()).into_deserialize();
    rows.collect::<Result<_, _>>().expect("a table of this crate, which tests read")
});

/// What a server counted until an instant.
#[derive(Debug, Clone, PartialEq)]
pub struct ServerStatus {
    /// When.
    pub at: Timestamp,
    /// Seconds since the server started; `None` where it does not tell.
    uptime: Option<f64>,
    /// Of each row of the table; `None` where the server does not tell.
    values: Vec<Option<f64>>,
}

impl ServerStatus {
    /// From the answer's names and values, which are passed over where they are no numbers.
    pub fn of<N: AsRef<str>, V: AsRef<str>>(at: Timestamp, answer: impl IntoIterator<Item = (N, V)>) -> Self {
        let number = |(name, value): (N, V)| Some((name.as_ref().to_ascii_lowercase(), value.as_ref().parse().ok()?));
        let told: BTreeMap<String, f64> = answer.into_iter().filter_map(number).collect();
        let finite = |name: &str| told.get(name).copied().filter(|value: &f64| value.is_finite() && *value >= 0.0);
        let value = |row: &Row| finite(&row.status.to_ascii_lowercase());
        Self { at, uptime: finite("uptime"), values: ROWS.iter().map(value).collect() }
    }

    /// Seconds since the server started; `None` where it does not tell.
    pub fn uptime(&self) -> Option<f64> {
        self.uptime
    }

    /// The same at another instant.
    #[must_use]
    pub fn moved_to(self, at: Timestamp) -> Self {
        Self { at, ..self }
    }

    /// Whether it tells nothing that is known.
    pub fn is_empty(&self) -> bool {
        self.values.iter().all(Option::is_none)
    }

    /// A value by the name of its series.
    pub fn get(&self, series: &str) -> Option<f64> {
        self.values[ROWS.iter().position(|row| row.series == series)?]
    }
}

/// How often the server started anew while it was looked at. Behind one address there may be several servers: only one that
/// started since the first look counts.
pub fn restarts(samples: &[ServerStatus]) -> u32 {
    /// Uptimes are whole seconds, and answers take a moment.
    const LEEWAY: f64 = 2.0;
    let Some(first) = samples.first().map(|sample| sample.at) else { return 0 };
    let mut started = LEEWAY;
    let mut restarts = 0;
    for sample in samples {
        let Some(uptime) = sample.uptime else { continue };
        let since = (sample.at.as_nanosecond() - first.as_nanosecond()) as f64 / 1e9 - uptime;
        if since > started {
            restarts += 1;
            started = since + LEEWAY;
        }
    }
    restarts
}

/// The samples as series, one point for each interval between two; times count from the first.
pub fn timeline(samples: &[ServerStatus]) -> Timeline {
    let Some(start) = samples.first().map(|sample| sample.at) else { return Timeline::default() };
    let since = |at: Timestamp| Nanos(u64::try_from(at.as_nanosecond() - start.as_nanosecond()).unwrap_or(0));
    let series = ROWS.iter().enumerate().map(|(at, row)| {
        let points = samples.windows(2).filter_map(|pair| {
            let (from, until) = (since(pair[0].at), since(pair[1].at));
            let now = pair[1].values[at]?;
            let value = match (row.kind, pair[0].values[at]) {
                // Less than before: it started anew.
                (Kind::Counter, Some(was)) if now >= was => now - was,
                _ => now,
            };
            (until > from).then_some(SeriesPoint { from, until, value })
        });
        let merge = if row.kind == Kind::Counter { MergeRule::Sum } else { MergeRule::Mean };
        Series {
            name: row.series.clone(),
            labels: BTreeMap::new(),
            unit: row.unit.parse().unwrap_or(SeriesUnit::None),
            points: SeriesPoints::Values(merge, points.collect()),
        }
    });
    let series = series.filter(|series| !series.points.is_empty()).collect();
    Timeline { about: TimelineInfo { start: Some(start), ..TimelineInfo::default() }, series }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(second: i64, fsyncs: i64, running: i64) -> ServerStatus {
        let answer = [
            ("Innodb_data_fsyncs", fsyncs.to_string()),
            ("Threads_running", running.to_string()),
            ("Rsa_public_key", "-----BEGIN".to_owned()),
        ];
        ServerStatus::of(Timestamp::from_second(second).unwrap(), answer)
    }

    #[test]
    fn counters_become_growth_also_over_a_restart_and_gauges_stay() {
        let timeline = timeline(&[status(1, 100, 5), status(2, 130, 7), status(4, 10, 2)]);
        timeline.validate().unwrap();
        let values = |name: &str| -> Vec<f64> {
            timeline.find(name, &[]).unwrap().points().iter().map(|point| point.value).collect()
        };
        assert_eq!(values("innodb_fsyncs"), [30.0, 10.0]);
        assert_eq!(values("threads_running"), [7.0, 2.0]);
        assert!(timeline.find("redo_bytes", &[]).is_none(), "what a server does not tell is no series");
    }

    #[test]
    fn a_server_that_started_anew_is_seen_and_another_behind_the_same_address_is_none() {
        let up = |second: i64, uptime: i64| {
            ServerStatus::of(Timestamp::from_second(second).unwrap(), [("Uptime", uptime.to_string())])
        };
        assert_eq!(restarts(&[up(0, 100), up(1, 101), up(2, 102)]), 0);
        assert_eq!(restarts(&[up(0, 9000), up(1, 50), up(2, 9002), up(30, 79)]), 0, "two servers in turn");
        assert_eq!(restarts(&[up(0, 100), up(10, 110), up(20, 1), up(21, 2), up(40, 5)]), 2);
        assert_eq!(restarts(&[status(1, 0, 0), status(9, 0, 0)]), 0, "one that does not tell");
    }

    #[test]
    fn every_row_has_a_unit_a_meaning_and_a_name_of_its_own() {
        let mut names: Vec<_> = ROWS.iter().map(|row| &row.series).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), ROWS.len());
        assert!(ROWS.iter().all(|row| row.unit.parse::<SeriesUnit>().is_ok() && !row._meaning.is_empty()));
    }
}
