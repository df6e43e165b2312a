//! The page of a run, simulated or measured: the answer first, then what its Timeline shows.

use timeline::{Series, Timeline};
use units::Nanos;

use crate::html::{escape, table};
use crate::page::shell;
use crate::{ChartLine, LineChart, LineTone, StripChart, TimeScale, words};

/// Points of a line: more are no wider than a hair.
const POINTS: u64 = 240;

/// What held a run up.
#[derive(Debug, Clone, PartialEq)]
pub struct HoldUpShare {
    /// `data disk: volume IOPS`, `CPU`.
    pub what: String,
    /// Share of the measured time, on the node where it was largest.
    pub share: f64,
    /// From when to when it did for half of the time or more.
    pub between: Option<(Nanos, Nanos)>,
}

/// What a page tells.
#[derive(Debug, Clone, PartialEq)]
pub struct RunPage<'a> {
    /// Of what.
    pub title: String,
    /// The answer in a sentence.
    pub answer: String,
    /// Whether it is a good one.
    pub good: bool,
    /// What was run, and numbers that came of it: `("p99", "16 ms")`.
    pub facts: Vec<(String, String)>,
    /// The unit of throughput and how many of it an operation a second is.
    pub unit: (&'a str, f64),
    /// What was seen.
    pub timeline: &'a Timeline,
    /// How long the run was.
    pub span: Nanos,
    /// What happened beside the load, in order of time.
    pub events: Vec<(Nanos, String)>,
    /// What held it up, the most first.
    pub held: Vec<HoldUpShare>,
    /// How far to trust it, a sentence each.
    pub notes: Vec<String>,
}

/// How values of several nodes become one.
type Fold = fn(f64, f64) -> f64;

/// The whole page: one file, nothing fetched.
pub fn run_page(page: &RunPage<'_>) -> String {
    let class = if page.good { "answer" } else { "answer no" };
    let mut body =
        format!("<h1>{}</h1>\n<p class=\"{class}\">{}</p>\n<dl>\n", escape(&page.title), escape(&page.answer));
    for (name, value) in &page.facts {
        body += &format!("<dt>{}</dt><dd>{}</dd>\n", escape(name), escape(value));
    }
    body += "</dl>\n";
    let charts = Charts::new(page);
    body += &charts.events(page);
    body += &charts.load(page);
    body += &charts.held_up();
    body += &held(page);
    body += &charts.disks();
    body += &charts.credits();
    body += &charts.debt();
    body += &charts.processors();
    body += "<footer>\n";
    for note in &page.notes {
        body += &format!("<p>{}</p>\n", escape(note));
    }
    body += "</footer>\n";
    shell(&page.title, &body)
}

/// What held it up, as a table.
fn held(page: &RunPage<'_>) -> String {
    if page.held.is_empty() {
        return String::new();
    }
    let clock = TimeScale::of(page.span);
    let row = |held: &HoldUpShare| {
        let (from, until) = held
            .between
            .map_or(("-".to_owned(), "-".to_owned()), |(from, until)| (clock.text(from), clock.text(until)));
        vec![escape(&held.what), words::percent(held.share), from, until]
    };
    let rows: Vec<Vec<String>> = page.held.iter().map(row).collect();
    table("What held operations up", &["", "Share of the time", "From", "Until"], &[1, 2, 3], &rows)
}

/// A Timeline on the page's time axis.
struct Charts<'a> {
    timeline: &'a Timeline,
    span: Nanos,
    step: Nanos,
    marks: Vec<Nanos>,
}

impl<'a> Charts<'a> {
    fn new(page: &RunPage<'a>) -> Self {
        // Whole multiples of the Timeline's own step: a point is in one interval only.
        let values = page.timeline.series.iter().filter_map(|series| series.points().first());
        let own = values.map(|point| point.until - point.from).min().unwrap_or(page.span).0.max(1);
        let step = Nanos(own * page.span.0.div_ceil(POINTS).div_ceil(own).max(1));
        let marks = page.events.iter().map(|(at, _)| *at).collect();
        Self { timeline: page.timeline, span: page.span, step, marks }
    }

    fn intervals(&self) -> impl Iterator<Item = (Nanos, Nanos)> + '_ {
        (0..self.span.0.div_ceil(self.step.0))
            .map(|number| (Nanos(number * self.step.0), Nanos((number + 1) * self.step.0).min(self.span)))
    }

    /// The middle of an interval with what all series of a name and labels amount to there.
    fn folded(
        &self,
        name: &str,
        labels: &[(&str, &str)],
        fold: Fold,
        scale: f64,
        rate: bool,
    ) -> Vec<(Nanos, Option<f64>)> {
        let series: Vec<&Series> = self.timeline.select(name, labels).collect();
        let at = |(from, until): (Nanos, Nanos)| {
            let seconds = if rate { (until - from).as_secs_f64() } else { 1.0 };
            let values = series.iter().filter_map(|series| series.value(from, until));
            (Nanos(from.0.midpoint(until.0)), values.reduce(fold).map(|value| value * scale / seconds))
        };
        self.intervals().map(at).collect()
    }

    fn chart(&self, heading: &str, y: &str, level: Option<(f64, String)>, lines: Vec<ChartLine>) -> String {
        let lines: Vec<ChartLine> =
            lines.into_iter().filter(|line| line.points.iter().any(|(_, value)| value.is_some())).collect();
        if lines.is_empty() {
            return String::new();
        }
        let label = format!("Chart over virtual time: {heading}.");
        LineChart { label, y: y.to_owned(), span: self.span, lines, level, marks: &self.marks }.figure(heading)
    }

    fn events(&self, page: &RunPage<'_>) -> String {
        if page.events.is_empty() {
            return String::new();
        }
        let clock = TimeScale::of(self.span);
        let row = |(number, (at, what)): (usize, &(Nanos, String))| {
            vec![(number + 1).to_string(), clock.text(*at), escape(what)]
        };
        let rows: Vec<Vec<String>> = page.events.iter().enumerate().map(row).collect();
        format!("<h2>What happened</h2>\n{}", table("Events", &["", "At", "What"], &[0, 1], &rows))
    }

    fn load(&self, page: &RunPage<'_>) -> String {
        let (unit, each) = page.unit;
        let throughput = line(unit, LineTone::One, self.folded("operations_per_second", &[], f64::max, each, false));
        let mut out = self.chart("Throughput", unit, None, vec![throughput]);
        let latency = |share: f64| {
            let of = self.timeline.select("latency", &[("kind", "operation")]).next();
            let at = |(from, until): (Nanos, Nanos)| {
                let value = of.and_then(|series| series.percentile(share, from, until));
                value.map(|value| (Nanos(from.0.midpoint(until.0)), Some(value.as_millis_f64())))
            };
            self.intervals().filter_map(at).collect()
        };
        out += &self.chart(
            "Latency",
            "ms",
            None,
            vec![line("p50", LineTone::One, latency(0.5)), line("p99", LineTone::Two, latency(0.99))],
        );
        out
    }

    /// Which disks there are: `data`, `log`.
    fn roles(&self) -> Vec<&'a str> {
        let mut roles: Vec<&str> = self
            .timeline
            .select("write_ops", &[])
            .filter_map(|series| series.labels.get("disk"))
            .map(String::as_str)
            .collect();
        roles.sort_unstable();
        roles.dedup();
        roles
    }

    fn disks(&self) -> String {
        let one = |role: &str| {
            let labels = [("disk", role)];
            let most = |name| self.folded(name, &labels, f64::max, 1.0, false);
            self.chart(
                &format!("Use of the {role} disk's limits, on the node that uses most"),
                "% of the sustained limit",
                Some((100.0, "the limit; over it, burst".to_owned())),
                vec![
                    line("I/Os a second", LineTone::One, most("iops_utilisation")),
                    line("bytes a second", LineTone::Two, most("throughput_utilisation")),
                ],
            )
        };
        self.roles().into_iter().map(one).collect()
    }

    fn credits(&self) -> String {
        let least = |name, labels: &[(&str, &str)]| self.folded(name, labels, f64::min, 1.0, false);
        let disk = |role: &str| {
            self.chart(
                &format!("Burst credits of the {role} disk, on the node that has least"),
                "% of the full bucket",
                None,
                vec![
                    line("I/Os", LineTone::One, least("io_balance", &[("disk", role)])),
                    line("bytes", LineTone::Two, least("byte_balance", &[("disk", role)])),
                ],
            )
        };
        let disks: String = self.roles().into_iter().map(disk).collect();
        let instance = self.chart(
            "Burst credits of the instance's link to its disks, on the node that has least",
            "% of the full bucket",
            None,
            vec![
                line("I/Os", LineTone::One, least("instance_io_balance", &[])),
                line("bytes", LineTone::Two, least("instance_byte_balance", &[])),
            ],
        );
        disks + &instance
    }

    fn debt(&self) -> String {
        const GIB: f64 = 1.0 / (1u64 << 30) as f64;
        let most = |name, scale| self.folded(name, &[], f64::max, scale, false);
        let pending = line("bytes", LineTone::One, most("pending_compaction_bytes", GIB));
        let files = line("files", LineTone::One, most("level0_files", 1.0));
        self.chart("Bytes that wait for compaction, on the node where most do", "GiB", None, vec![pending])
            + &self.chart("Files on level 0, on the node where most are", "files", None, vec![files])
    }

    fn processors(&self) -> String {
        let nodes: Vec<&str> = {
            let labels = self.timeline.select("cpu_time", &[]).filter_map(|series| series.labels.get("node"));
            let mut nodes: Vec<&str> = labels.map(String::as_str).collect();
            nodes.sort_unstable();
            nodes.dedup();
            nodes
        };
        let sum: Fold = |a, b| a + b;
        let each: Vec<_> =
            nodes.iter().map(|node| self.folded("cpu_time", &[("node", node)], sum, 1.0, true)).collect();
        let most = each.into_iter().reduce(|all, node| {
            let larger = |(a, b): ((Nanos, Option<f64>), (Nanos, Option<f64>))| {
                (a.0, a.1.into_iter().chain(b.1).reduce(f64::max))
            };
            all.into_iter().zip(node).map(larger).collect()
        });
        let lines = most.map(|points| vec![line("threads", LineTone::One, points)]).unwrap_or_default();
        self.chart("Busy threads of the processors, on the busiest node", "threads", None, lines)
    }

    /// What held operations up, and when.
    fn held_up(&self) -> String {
        let mut names: Vec<&str> = self
            .timeline
            .select("held_up_time", &[])
            .filter_map(|series| series.labels.get("by"))
            .map(String::as_str)
            .collect();
        names.sort_unstable();
        names.dedup();
        if names.is_empty() {
            return String::new();
        }
        let row = |name: &str| {
            let shares = self.folded("held_up_time", &[("by", name)], f64::max, 1.0, true);
            let shares =
                self.intervals().zip(shares).map(|((from, until), (_, share))| (from, until, share.unwrap_or(0.0)));
            (name.to_owned(), shares.collect::<Vec<_>>())
        };
        let mut rows: Vec<_> = names.into_iter().map(row).collect();
        let total = |shares: &[(Nanos, Nanos, f64)]| shares.iter().map(|(.., share)| share).sum::<f64>();
        rows.sort_by(|(_, a), (_, b)| total(b).total_cmp(&total(a)));
        let label = "Chart over virtual time: what held operations up; the table below has the numbers.".to_owned();
        let chart = StripChart { label, span: self.span, rows, marks: &self.marks };
        format!(
            "<h2>What held operations up, and when</h2>\n<figure>\n{}<figcaption>The darker, the larger the share of the \
             time, on the node where it was largest.</figcaption>\n</figure>\n",
            chart.svg()
        )
    }
}

fn line(name: &str, tone: LineTone, points: Vec<(Nanos, Option<f64>)>) -> ChartLine {
    ChartLine { name: name.to_owned(), tone, points }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use timeline::{LatencyPoint, MergeRule, SeriesPoint, SeriesPoints, SeriesUnit, latencies};

    use super::*;
    use crate::page::tests::{check_alone, check_balance};

    fn series(name: &str, labels: &[(&str, &str)], value: f64) -> Series {
        let point = |second| SeriesPoint { from: Nanos::secs(second), until: Nanos::secs(second + 1), value };
        let labels: BTreeMap<_, _> = labels.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        let points = SeriesPoints::Values(MergeRule::Mean, (0..20).map(point).collect());
        Series { name: name.to_owned(), labels, unit: SeriesUnit::None, points }
    }

    fn timeline() -> Timeline {
        let mut histogram = latencies();
        histogram.record(2_000_000).unwrap();
        let point = LatencyPoint { from: Nanos(0), until: Nanos::secs(10), histogram };
        let mut latency = series("latency", &[("kind", "operation")], 0.0);
        latency.points = SeriesPoints::Latencies(vec![point]);
        Timeline {
            series: vec![
                latency,
                series("operations_per_second", &[], 100.0),
                series("write_ops", &[("disk", "data"), ("node", "n1")], 1.0),
                series("iops_utilisation", &[("disk", "data"), ("node", "n1")], 40.0),
                series("iops_utilisation", &[("disk", "data"), ("node", "n2")], 60.0),
                series("held_up_time", &[("by", "data disk: <stall>"), ("node", "n1")], 0.5),
            ],
            ..Timeline::default()
        }
    }

    fn page() -> String {
        let timeline = timeline();
        run_page(&RunPage {
            title: "a <run>".to_owned(),
            answer: "Carried.".to_owned(),
            good: true,
            facts: vec![("p99".to_owned(), "16 ms".to_owned())],
            unit: ("tpmC", 27.0),
            timeline: &timeline,
            span: Nanos::secs(20),
            events: vec![(Nanos::secs(5), "n1/data stall 10s".to_owned())],
            held: vec![HoldUpShare { what: "data disk: <stall>".to_owned(), share: 0.5, between: None }],
            notes: vec!["Not held against anything.".to_owned()],
        })
    }

    #[test]
    fn the_page_is_one_file_whose_elements_are_closed() {
        check_balance(&page());
        check_alone(&page());
    }

    #[test]
    fn what_is_known_is_drawn_and_nothing_else() {
        let page = page();
        for part in ["Throughput", "Latency", "Use of the data disk", "and when", "n1/data stall 10s", "a &lt;run&gt;"]
        {
            assert!(page.contains(part), "{part}");
        }
        for absent in ["Burst credits", "log disk", "compaction", "<stall>"] {
            assert!(!page.contains(absent), "{absent}");
        }
    }

    #[test]
    fn the_answer_comes_before_the_charts() {
        let page = page();
        assert!(page.find("Carried.").unwrap() < page.find("<svg").unwrap());
    }
}
