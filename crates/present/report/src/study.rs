//! The page of a study: two runs side by side, the answer first.

use timeline::{Series, Timeline};
use units::Nanos;

use crate::html::{escape, table};
use crate::page::shell;
use crate::{ChartLine, LineChart, LineTone};

/// One of the two runs.
#[derive(Debug, Clone, PartialEq)]
pub struct StudySide<'a> {
    /// What it ran on: `gp2`.
    pub name: String,
    /// What was seen.
    pub timeline: &'a Timeline,
    /// Since when it was measured, counted from the Timeline's start.
    pub from: Nanos,
}

/// What the page tells.
#[derive(Debug, Clone, PartialEq)]
pub struct StudyPage<'a> {
    /// Of what.
    pub title: String,
    /// The answer in a sentence.
    pub answer: String,
    /// What was run, and numbers that came of it.
    pub facts: Vec<(String, String)>,
    /// Tables: a heading, the names of the columns, and rows. All columns but the first hold numbers.
    pub tables: Vec<(String, Vec<String>, Vec<Vec<String>>)>,
    /// The runs.
    pub sides: [StudySide<'a>; 2],
    /// How long both were measured.
    pub span: Nanos,
    /// What happened, counted from when they were measured.
    pub events: Vec<(Nanos, String)>,
    /// How far to trust it, a sentence each.
    pub notes: Vec<String>,
}

/// Points of a line: more are no wider than a hair.
const POINTS: u64 = 240;

/// A chart: its heading, the name of its values, the series, whether one of the data disk, and what its values are times.
struct Chart {
    heading: &'static str,
    y: &'static str,
    series: &'static [&'static str],
    of_disk: bool,
    /// Whether the values are amounts, of which a second's share is drawn.
    rate: bool,
    scale: f64,
}

/// The study's charts, in its order.
const CHARTS: [Chart; 8] = [
    chart("Rows added", "rows a minute", &["rows_added_per_second"], false, false, 60.0),
    chart("Requests of the data disk", "IOPS", &["read_ops", "write_ops"], true, true, 1.0),
    chart("Bytes of the data disk", "MB/s", &["read_bytes", "write_bytes"], true, true, 1e-6),
    chart("Queue depth of the data disk", "requests", &["queue_depth"], true, false, 1.0),
    chart("Burst balance of the data disk", "% of a full bucket", &["io_balance"], true, false, 1.0),
    chart("InnoDB's syncs", "a second", &["innodb_fsyncs"], false, true, 1.0),
    chart("Pages that wait to be written", "MiB", &["dirty_bytes"], false, false, 1.0 / (1 << 20) as f64),
    chart("The driver's processor time", "% of the machine", &["driver_cpu"], false, false, 1.0),
];

const fn chart(
    heading: &'static str,
    y: &'static str,
    series: &'static [&'static str],
    of_disk: bool,
    rate: bool,
    scale: f64,
) -> Chart {
    Chart { heading, y, series, of_disk, rate, scale }
}

/// The whole page: one file, nothing fetched.
pub fn study_page(page: &StudyPage<'_>) -> String {
    let mut body =
        format!("<h1>{}</h1>\n<p class=\"answer\">{}</p>\n<dl>\n", escape(&page.title), escape(&page.answer));
    for (name, value) in &page.facts {
        body += &format!("<dt>{}</dt><dd>{}</dd>\n", escape(name), escape(value));
    }
    body += "</dl>\n";
    for (heading, head, rows) in &page.tables {
        let head: Vec<String> = head.iter().map(|name| escape(name)).collect();
        let head: Vec<&str> = head.iter().map(String::as_str).collect();
        let rows: Vec<Vec<String>> = rows.iter().map(|row| row.iter().map(|cell| escape(cell)).collect()).collect();
        let numbers: Vec<usize> = (1..head.len()).collect();
        body += &format!("<h2>{}</h2>\n{}", escape(heading), table(heading, &head, &numbers, &rows));
    }
    for (number, (_, what)) in page.events.iter().enumerate() {
        body += &format!("<p class=\"soft\">{}: {}</p>\n", number + 1, escape(what));
    }
    for chart in &CHARTS {
        body += &drawn(page, chart);
    }
    body += "<footer>\n";
    for note in &page.notes {
        body += &format!("<p>{}</p>\n", escape(note));
    }
    body += "</footer>\n";
    shell(&page.title, &body)
}

/// Both runs in one chart; nothing if neither has the series.
fn drawn(page: &StudyPage<'_>, chart: &Chart) -> String {
    let tones = [LineTone::One, LineTone::Two];
    let lines: Vec<ChartLine> = page
        .sides
        .iter()
        .zip(tones)
        .map(|(side, tone)| ChartLine { name: side.name.clone(), tone, points: points(side, chart, page.span) })
        .filter(|line| line.points.iter().any(|(_, value)| value.is_some()))
        .collect();
    if lines.is_empty() {
        return String::new();
    }
    let marks: Vec<Nanos> = page.events.iter().map(|(at, _)| *at).collect();
    let label = format!("Chart over time since the measuring began: {}.", chart.heading);
    let lines = LineChart { label, y: chart.y.to_owned(), span: page.span, lines, level: None, marks: &marks };
    lines.figure_over(chart.heading, "time")
}

fn points(side: &StudySide<'_>, chart: &Chart, span: Nanos) -> Vec<(Nanos, Option<f64>)> {
    let labels: &[(&str, &str)] = if chart.of_disk { &[("disk", "data")] } else { &[] };
    let series: Vec<&Series> = chart.series.iter().flat_map(|name| side.timeline.select(name, labels)).collect();
    // Whole seconds: the series' own step.
    let step = Nanos::secs(span.0.div_ceil(POINTS).div_ceil(1_000_000_000).max(1));
    let steps = (0..span.0 / step.0).map(|at| (Nanos(at * step.0), Nanos((at + 1) * step.0)));
    let value = |(from, until): (Nanos, Nanos)| {
        let seconds = if chart.rate { (until - from).as_secs_f64() } else { 1.0 };
        let values = series.iter().filter_map(|series| series.value(side.from + from, side.from + until));
        (Nanos(from.0.midpoint(until.0)), values.reduce(|a, b| a + b).map(|value| value * chart.scale / seconds))
    };
    steps.map(value).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use timeline::{MergeRule, SeriesPoint, SeriesPoints, SeriesUnit};

    use super::*;
    use crate::page::tests::{check_alone, check_balance};

    fn timeline(balance: bool) -> Timeline {
        let series = |name: &str, merge, disk: Option<&str>, value: f64| Series {
            name: name.to_owned(),
            labels: disk.map(|disk| ("disk".to_owned(), disk.to_owned())).into_iter().collect::<BTreeMap<_, _>>(),
            unit: SeriesUnit::None,
            points: SeriesPoints::Values(
                merge,
                (0..20).map(|at| SeriesPoint { from: Nanos::secs(at), until: Nanos::secs(at + 1), value }).collect(),
            ),
        };
        let mut all = vec![
            series("rows_added_per_second", MergeRule::Mean, None, 100.0),
            series("read_ops", MergeRule::Sum, Some("data"), 30.0),
            series("write_ops", MergeRule::Sum, Some("data"), 70.0),
            series("write_ops", MergeRule::Sum, Some("redo"), 900.0),
        ];
        if balance {
            all.push(series("io_balance", MergeRule::Mean, Some("data"), 5.0));
        }
        Timeline { series: all, ..Timeline::default() }
    }

    fn page() -> String {
        let (a, b) = (timeline(true), timeline(false));
        let side = |name: &str, timeline| StudySide { name: name.to_owned(), timeline, from: Nanos::secs(5) };
        study_page(&StudyPage {
            title: "gp2 <and> io1".to_owned(),
            answer: "io1 gains.".to_owned(),
            facts: vec![("Clients".to_owned(), "250".to_owned())],
            tables: vec![("Minutes".to_owned(), vec!["".into(), "gp2".into()], vec![vec!["0".into(), "<1>".into()]])],
            sides: [side("gp2", &a), side("io1", &b)],
            span: Nanos::secs(12),
            events: vec![(Nanos::secs(4), "the credits are gone".to_owned())],
            notes: vec!["Scaled.".to_owned()],
        })
    }

    #[test]
    fn the_page_is_one_file_whose_elements_are_closed() {
        check_balance(&page());
        check_alone(&page());
    }

    #[test]
    fn both_runs_are_in_one_chart_and_a_disk_that_does_not_burst_has_no_line() {
        let page = page();
        let figure =
            |heading: &str| page.split(&format!("<h2>{heading}</h2>")).nth(1).unwrap().split("<h2>").next().unwrap();
        assert_eq!(figure("Rows added").matches("class=\"line").count(), 2);
        assert_eq!(figure("Burst balance of the data disk").matches("class=\"line").count(), 1);
        assert!(!page.contains("virtual time") && !page.contains("InnoDB"));
        assert!(page.contains("&lt;1&gt;") && page.contains("1: the credits are gone"));
    }

    #[test]
    fn reads_and_writes_of_the_data_disk_are_added_up_and_other_disks_left_out() {
        let timeline = timeline(true);
        let side = StudySide { name: "a".to_owned(), timeline: &timeline, from: Nanos::secs(5) };
        let points = points(&side, &CHARTS[1], Nanos::secs(12));
        assert_eq!(points.len(), 12);
        assert!(points.iter().all(|(_, value)| value.is_some_and(|value| (value - 100.0).abs() < 1e-9)));
    }
}
