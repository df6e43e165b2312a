//! The charts of a run, simulated or measured, from its Timeline: load, latency, disks with their limits, credits, debt.

use std::collections::BTreeMap;

use timeline::{Series, Timeline, vocabulary};
use units::{BytesPerSec, Iops, Nanos};

use crate::page::{AxisScale, ChartAxis, ChartLimit, ChartSeries, PageBlock, PageChart};
use crate::series::{Points, TimelineView, combined, largest, mean};
use crate::words;

/// Lines of one chart: more cannot be told apart.
pub(crate) const LINES: usize = 6;
const MIB: f64 = 1.0 / (1u64 << 20) as f64;
const GIB: f64 = 1.0 / (1u64 << 30) as f64;

/// What a disk of a role sustains, and what it does in a burst.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RoleLimits {
    /// Sustained I/Os a second.
    pub iops: Iops,
    /// I/Os a second while burst credits last.
    pub burst_iops: Option<Iops>,
    /// Sustained bytes a second.
    pub throughput: BytesPerSec,
}

/// What charts of a run are drawn from.
#[derive(Debug, Clone, PartialEq)]
pub struct RunCharts<'a> {
    /// What was seen.
    pub timeline: &'a Timeline,
    /// Where the page's time begins, on the Timeline's clock.
    pub from: Nanos,
    /// How long the run was from there.
    pub span: Nanos,
    /// The unit of throughput, and how many of it an operation a second is.
    pub unit: (&'a str, f64),
    /// The throughput that was asked for, in the unit.
    pub target: Option<f64>,
    /// The largest 99th percentile that was asked for.
    pub p99: Option<Nanos>,
    /// The limits of the disks by role (`data`, `log`); of other disks those that the Timeline tells.
    pub limits: BTreeMap<String, RoleLimits>,
}

impl RunCharts<'_> {
    /// All charts that have something to draw.
    pub fn blocks(&self) -> Vec<PageBlock> {
        let mut charts = vec![self.throughput(), self.latency(), self.disk_latency(), self.held_up()];
        for role in self.roles() {
            charts.extend([self.iops(role), self.bytes(role), self.credits(role)]);
        }
        charts.extend([self.instance_credits(), self.debt(), self.level0(), self.processors()]);
        charts.into_iter().filter(PageChart::has_values).map(PageBlock::Chart).collect()
    }

    fn view(&self) -> TimelineView<'_> {
        TimelineView { timeline: self.timeline, from: self.from, span: self.span }
    }

    fn most(&self, name: &str, labels: &[(&str, &str)], scale: f64) -> Points {
        self.view().folded(name, labels, f64::max, scale)
    }

    fn throughput(&self) -> PageChart {
        let (unit, each) = self.unit;
        let target = self
            .target
            .map(|target| ChartLimit { value: target, name: format!("asked: {} {unit}", words::count(target)) });
        PageChart {
            heading: "Throughput".to_owned(),
            y: ChartAxis::of("", unit),
            series: self.of_operations(vocabulary::OPERATIONS_PER_SECOND.name, |series, name| {
                vec![ChartSeries::line(name, self.view().fold(&[series], f64::max, each))]
            }),
            limits: target.into_iter().collect(),
            ..PageChart::default()
        }
    }

    fn latency(&self) -> PageChart {
        let limit = self.p99.map(|p99| ChartLimit {
            value: p99.as_millis_f64(),
            name: format!("p99 asked: {} at most", words::millis(p99)),
        });
        let lines = |series: &Series, name: &str| {
            let of = if name == "operations" { String::new() } else { format!(", {name}") };
            [("p50", 0.5), ("p99", 0.99)]
                .map(|(percentile, share)| {
                    ChartSeries::line(format!("{percentile}{of}"), self.view().percentile(series, share))
                })
                .into()
        };
        PageChart {
            heading: "Latency of operations".to_owned(),
            y: ChartAxis::of("", "ms").scaled(AxisScale::Log),
            series: self.of_operations(vocabulary::LATENCY.name, lines),
            limits: limit.into_iter().collect(),
            ..PageChart::default()
        }
    }

    /// Lines of each kind of operation; where all of them together are told, of these alone.
    fn of_operations(&self, name: &str, lines: impl Fn(&Series, &str) -> Vec<ChartSeries>) -> Vec<ChartSeries> {
        let all: Vec<&Series> = self.timeline.select(name, &[]).collect();
        let whole = |series: &&&Series| series.labels.get("kind").is_none_or(|kind| kind == "operation");
        if let Some(series) = all.iter().find(whole) {
            return lines(series, "operations");
        }
        all.iter().flat_map(|series| lines(series, &series.labels["kind"])).take(LINES).collect()
    }

    /// The mean latency of each disk: one that is far slower than the others stands out.
    fn disk_latency(&self) -> PageChart {
        let view = self.view();
        let sum = |name: &str, labels: &[(&str, &str)]| view.folded(name, labels, |a, b| a + b, 1.0);
        let mut lines: Vec<(String, Points)> = Vec::new();
        for series in self.timeline.select(vocabulary::WRITE_OPS.name, &[]) {
            let labels: Vec<(&str, &str)> =
                series.labels.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
            let both = |reads: &str, writes: &str| {
                let (reads, writes) = (sum(reads, &labels), sum(writes, &labels));
                if reads.is_empty() { writes } else { combined(&writes, &reads, |a, b| a + b) }
            };
            let ops = both(vocabulary::READ_OPS.name, vocabulary::WRITE_OPS.name);
            let time = both(vocabulary::READ_TIME.name, vocabulary::WRITE_TIME.name);
            let name = [series.labels.get("node"), series.labels.get("disk")];
            let name: Vec<&str> = name.into_iter().flatten().map(String::as_str).collect();
            let name = if name.is_empty() { "disk".to_owned() } else { name.join("/") };
            lines.push((name, combined(&time, &ops, |time, ops| 1e3 * time / ops)));
        }
        let (series, left_out) = slowest(lines);
        PageChart {
            heading: "Latency of each disk".to_owned(),
            caption: format!("Mean of reads and writes.{left_out}"),
            y: ChartAxis::of("mean", "ms").scaled(AxisScale::Log),
            series,
            ..PageChart::default()
        }
    }

    /// What held operations up, and when, on the node where it did most.
    fn held_up(&self) -> PageChart {
        let view = self.view();
        let causes = view.label_values(vocabulary::HELD_UP_TIME.name, "by");
        let line = |cause: &str| (cause.to_owned(), self.most(vocabulary::HELD_UP_TIME.name, &[("by", cause)], 100.0));
        let mut lines: Vec<(String, Points)> = causes.into_iter().map(line).collect();
        // A cause is told only of where it held something up: elsewhere in the run its share is zero.
        let steps = self.most(vocabulary::OPERATIONS_PER_SECOND.name, &[], 1.0);
        for (_, points) in &mut lines {
            *points = filled(points, &steps);
        }
        lines.retain(|(_, points)| largest(points) >= 1.0);
        lines.sort_by(|a, b| mean(&b.1).total_cmp(&mean(&a.1)));
        PageChart {
            heading: "What held operations up, and when".to_owned(),
            caption: "Share of the time, on the node where it was largest.".to_owned(),
            y: ChartAxis::of("", "%"),
            series: lines.into_iter().take(LINES).map(|(name, points)| ChartSeries::line(name, points)).collect(),
            ..PageChart::default()
        }
    }

    /// Which disks there are: `data`, `log`.
    fn roles(&self) -> Vec<&str> {
        self.view().label_values(vocabulary::WRITE_OPS.name, "disk")
    }

    /// The largest limit that the Timeline tells of the disks of a role.
    fn told(&self, name: &str, role: &str) -> Option<f64> {
        Some(largest(&self.most(name, &[("disk", role)], 1.0))).filter(|limit| *limit > 0.0)
    }

    fn iops(&self, role: &str) -> PageChart {
        let sustained = self.limits.get(role).map(|limits| limits.iops.0);
        let sustained = sustained.or_else(|| self.told(vocabulary::IOPS_LIMIT.name, role));
        let burst = self.limits.get(role).and_then(|limits| limits.burst_iops).map(|iops| iops.0);
        let limits = [("limit", sustained), ("in a burst", burst)].into_iter().filter_map(|(name, limit)| {
            limit.map(|limit| ChartLimit { value: limit, name: format!("{name}: {} IOPS", words::count(limit)) })
        });
        let heading = format!("I/Os of the {role} disk a second, on the node that uses most");
        self.rate(
            role,
            (heading, "IOPS"),
            &vocabulary::IOPS_UTILISATION,
            (sustained, 1.0),
            [vocabulary::READ_OPS, vocabulary::WRITE_OPS],
            limits.collect(),
        )
    }

    fn bytes(&self, role: &str) -> PageChart {
        let sustained = self.limits.get(role).map(|limits| limits.throughput.0);
        let sustained = sustained.or_else(|| self.told(vocabulary::THROUGHPUT_LIMIT.name, role));
        let limit = sustained.map(|limit| ChartLimit {
            value: limit * MIB,
            name: format!("limit: {} MiB/s", words::count(limit * MIB)),
        });
        let heading = format!("Throughput of the {role} disk, on the node that uses most");
        self.rate(
            role,
            (heading, "MiB/s"),
            &vocabulary::THROUGHPUT_UTILISATION,
            (sustained, MIB),
            [vocabulary::READ_BYTES, vocabulary::WRITE_BYTES],
            limit.into_iter().collect(),
        )
    }

    /// What a limit counts, where the Timeline tells its use; else what was asked of the disk.
    fn rate(
        &self,
        role: &str,
        (heading, unit): (String, &str),
        used: &timeline::SeriesSpec,
        (limit, scale): (Option<f64>, f64),
        plain: [timeline::SeriesSpec; 2],
        limits: Vec<ChartLimit>,
    ) -> PageChart {
        let labels = [("disk", role)];
        let share = self.most(used.name, &labels, 1.0);
        let (series, unit, limits) = match (limit, share.is_empty()) {
            (Some(limit), false) => (
                vec![ChartSeries::line(
                    "as the limit counts them",
                    self.most(used.name, &labels, limit * scale / 100.0),
                )],
                unit,
                limits,
            ),
            (None, false) => {
                let limit = ChartLimit { value: 100.0, name: "the sustained limit; over it, a burst".to_owned() };
                (vec![ChartSeries::line("of the sustained limit", share)], "%", vec![limit])
            }
            (_, true) => {
                let line = |spec: &timeline::SeriesSpec, name: &str| {
                    ChartSeries::line(name, self.most(spec.name, &labels, scale))
                };
                (vec![line(&plain[0], "reads"), line(&plain[1], "writes")], unit, limits)
            }
        };
        PageChart { heading, y: ChartAxis::of("", unit), series, limits, ..PageChart::default() }
    }

    fn balance(&self, heading: String, ios: Points, bytes: Points) -> PageChart {
        let mut series = vec![ChartSeries::line("I/Os", ios), ChartSeries::line("bytes", bytes)];
        // A bucket that is never touched, or that the disk does not have, tells nothing.
        series.retain(|line| line.points.iter().any(|(_, value)| value.is_some_and(|value| value < 99.95)));
        PageChart {
            heading,
            caption: "Of the full bucket, on the node that has least.".to_owned(),
            y: ChartAxis::of("left", "%"),
            series,
            ..PageChart::default()
        }
    }

    fn credits(&self, role: &str) -> PageChart {
        let least = |name: &str| self.view().folded(name, &[("disk", role)], f64::min, 1.0);
        let heading = format!("Burst credits of the {role} disk");
        self.balance(heading, least(vocabulary::IO_BALANCE.name), least(vocabulary::BYTE_BALANCE.name))
    }

    fn instance_credits(&self) -> PageChart {
        let least = |name: &str| self.view().folded(name, &[], f64::min, 1.0);
        let heading = "Burst credits of the instance's link to its disks".to_owned();
        self.balance(
            heading,
            least(vocabulary::INSTANCE_IO_BALANCE.name),
            least(vocabulary::INSTANCE_BYTE_BALANCE.name),
        )
    }

    fn debt(&self) -> PageChart {
        PageChart {
            heading: "Bytes that wait for compaction, on the node where most do".to_owned(),
            y: ChartAxis::of("", "GiB"),
            series: vec![ChartSeries::line("pending", self.most(vocabulary::PENDING_COMPACTION_BYTES.name, &[], GIB))],
            ..PageChart::default()
        }
    }

    fn level0(&self) -> PageChart {
        PageChart {
            heading: "Files on level 0, on the node where most are".to_owned(),
            y: ChartAxis::of("", "files"),
            series: vec![ChartSeries::line("files", self.most(vocabulary::LEVEL0_FILES.name, &[], 1.0))],
            ..PageChart::default()
        }
    }

    fn processors(&self) -> PageChart {
        let view = self.view();
        let name = vocabulary::CPU_TIME.name;
        let each = view.label_values(name, "node").into_iter().map(|node| {
            let busy = view.folded(name, &[("node", node)], |a, b| a + b, 1.0);
            (mean(&busy), node, busy)
        });
        let busiest = each.max_by(|a, b| a.0.total_cmp(&b.0));
        PageChart {
            heading: "Busy threads of the processors, on the busiest node".to_owned(),
            y: ChartAxis::of("", "threads"),
            series: busiest.into_iter().map(|(_, node, busy)| ChartSeries::line(node, busy)).collect(),
            ..PageChart::default()
        }
    }
}

/// The points, and zero at every other known step.
fn filled(points: &Points, steps: &Points) -> Points {
    let known = points.iter().filter(|(_, value)| value.is_some());
    let zero = steps.iter().filter(|(_, value)| value.is_some()).map(|(at, _)| (*at, Some(0.0)));
    let mut all: Points = known.copied().chain(zero).collect();
    // Known points come before the zero of the same step.
    all.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.partial_cmp(&a.1).expect("values are finite")));
    all.dedup_by(|later, first| later.0 == first.0);
    all
}

/// The slowest of many lines, and a sentence on those that are left out.
fn slowest(mut lines: Vec<(String, Points)>) -> (Vec<ChartSeries>, String) {
    lines.retain(|(_, points)| points.iter().any(|(_, value)| value.is_some()));
    let all = lines.len();
    if all > LINES {
        lines.sort_by(|a, b| largest(&b.1).total_cmp(&largest(&a.1)));
        lines.truncate(LINES);
    }
    let left_out = if all > LINES { format!(" The slowest {LINES} of {all} disks.") } else { String::new() };
    (lines.into_iter().map(|(name, points)| ChartSeries::line(name, points)).collect(), left_out)
}

#[cfg(test)]
mod tests {
    use timeline::{MergeRule, SeriesPoint, SeriesPoints, SeriesUnit};

    use super::*;

    fn series(name: &str, labels: &[(&str, &str)], merge: MergeRule, values: &[(u64, f64)]) -> Series {
        let point = |(at, value): &(u64, f64)| SeriesPoint {
            from: Nanos::secs(*at),
            until: Nanos::secs(at + 1),
            value: *value,
        };
        let labels = labels.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let points = SeriesPoints::Values(merge, values.iter().map(point).collect());
        Series { name: name.to_owned(), labels, unit: SeriesUnit::None, points }
    }

    fn steady(value: f64) -> Vec<(u64, f64)> {
        (0..20).map(|at| (at, value)).collect()
    }

    /// A run of 20 s on `disks`, each with the seconds that its I/Os of a second take together.
    fn timeline(disks: &[(&str, f64)]) -> Timeline {
        let mut all = vec![
            series("operations_per_second", &[("kind", "operation")], MergeRule::Mean, &steady(100.0)),
            series("held_up_time", &[("by", "CPU"), ("node", "n1")], MergeRule::Sum, &[(3, 0.5), (4, 0.5), (9, 0.7)]),
        ];
        for (node, time) in disks {
            let labels = [("node", *node), ("disk", "data")];
            all.push(series("write_ops", &labels, MergeRule::Sum, &steady(100.0)));
            all.push(series("write_time", &labels, MergeRule::Sum, &steady(*time)));
            all.push(series("iops_utilisation", &labels, MergeRule::Mean, &steady(40.0)));
        }
        Timeline { series: all, ..Timeline::default() }
    }

    fn charts(timeline: &Timeline, limits: BTreeMap<String, RoleLimits>) -> Vec<PageChart> {
        let run = RunCharts {
            timeline,
            from: Nanos(0),
            span: Nanos::secs(20),
            unit: ("ops/s", 1.0),
            target: None,
            p99: None,
            limits,
        };
        run.blocks()
            .into_iter()
            .filter_map(|b| if let PageBlock::Chart(chart) = b { Some(chart) } else { None })
            .collect()
    }

    fn named<'c>(charts: &'c [PageChart], heading: &str) -> &'c PageChart {
        charts.iter().find(|chart| chart.heading.starts_with(heading)).unwrap_or_else(|| panic!("no {heading}"))
    }

    #[test]
    fn a_disk_that_is_20_times_as_slow_stays_on_a_chart_with_the_others() {
        let timeline = timeline(&[("n1", 0.1), ("n2", 0.1), ("n3", 2.0)]);
        let charts = charts(&timeline, BTreeMap::new());
        let chart = named(&charts, "Latency of each disk");
        assert_eq!(chart.y.scale, AxisScale::Log);
        let largest: Vec<f64> = chart.series.iter().map(|line| largest(&line.points).round()).collect();
        assert_eq!(largest, [1.0, 1.0, 20.0]);
    }

    #[test]
    fn of_many_disks_the_slowest_are_drawn_and_the_page_says_of_how_many() {
        let names: Vec<String> = (0..9).map(|i| format!("n{i}")).collect();
        let disks: Vec<(&str, f64)> = names.iter().zip(1..).map(|(name, i)| (name.as_str(), f64::from(i))).collect();
        let timeline = timeline(&disks);
        let charts = charts(&timeline, BTreeMap::new());
        let chart = named(&charts, "Latency of each disk");
        assert_eq!((chart.series.len(), chart.series[0].name.as_str()), (LINES, "n8/data"));
        assert!(chart.caption.contains("slowest 6 of 9"));
    }

    #[test]
    fn a_known_limit_is_a_line_in_its_own_unit() {
        let limits = RoleLimits { iops: Iops(3000.0), burst_iops: None, throughput: BytesPerSec::mib(125.0) };
        let timeline = timeline(&[("n1", 0.1)]);
        let known = charts(&timeline, BTreeMap::from([("data".to_owned(), limits)]));
        let chart = named(&known, "I/Os of the data disk");
        assert_eq!((chart.y.unit.as_str(), chart.limits[0].value), ("IOPS", 3000.0));
        assert_eq!(chart.series[0].points[0].1, Some(1200.0), "40 % of 3,000");
        let unknown = charts(&timeline, BTreeMap::new());
        let chart = named(&unknown, "I/Os of the data disk");
        assert_eq!((chart.y.unit.as_str(), chart.limits[0].value), ("%", 100.0));
    }

    #[test]
    fn what_held_nothing_up_for_a_while_is_at_zero_there() {
        let timeline = timeline(&[("n1", 0.1)]);
        let charts = charts(&timeline, BTreeMap::new());
        let points = &named(&charts, "What held operations up").series[0].points;
        let at = |second: f64| points.iter().find(|(at, _)| *at == second).and_then(|(_, value)| *value);
        assert_eq!((points.len(), at(3.5), at(6.5), at(9.5)), (20, Some(50.0), Some(0.0), Some(70.0)));
    }
}
