//! A page of every kind: by the program where it makes one in seconds, else by what makes it from runs that were not run.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use bench::compare::{KindSample, RunSample, compare};
use bench::{CpuUsage, KindReport, LatencyHistograms, LoopKind, RunLimits, RunPlan, RunReport, SteadyStateJudge};
use mysql::SqlRun;
use mysql::study::{Study, phases};
use report::page::{
    AxisScale, ChartAxis, ChartLimit, ChartMark, ChartSeries, MarkKind, Page, PageBlock, PageChart, PageClock,
    PageOrigin, PageTable,
};
use report::verbs::{bench_page, compare_page, study_page};
use timeline::{MergeRule, Series, SeriesPoint, SeriesPoints, SeriesUnit, Timeline, latencies};
use units::Nanos;

use crate::end_to_end::common::run;

/// A slow disk and a busy hour.
const EVENTS: &str =
    "[[events]]\nat = \"3s\"\nfault = \"n1/data slow 20x for 15s\"\n[[events]]\nat = \"14s\"\nload = 1.5\n";

/// Pages by name.
pub(super) fn all(folder: &Path) -> Vec<(&'static str, PathBuf)> {
    let simulated = simulated(folder);
    let made = |name: &str, args: &[&str]| {
        let out = folder.join(name);
        let out_text = out.to_str().unwrap();
        let ran = run(&[args, &["--out", out_text]].concat());
        assert!(ran.code < 2, "{args:?}: {}", ran.stderr);
        if out.is_dir() { out.join("report.html") } else { out }
    };
    let timeline = simulated.with_file_name("timeline.parquet");
    let sweep = ["--sweep", "raft-disk=shared,own", "--sweep", "block-size=4KiB,16KiB,64KiB", "--for", "2s"];
    let inserts = ["simulate", "examples/raft-shared.toml", "examples/social-inserts.toml"];
    let diagnose = ["diagnose", "timeline", timeline.to_str().unwrap(), "--on", "examples/raft-dedicated.toml"];
    let cloudwatch = folder.join("cloudwatch.parquet");
    exhausted().write(&cloudwatch).unwrap();
    let disk = ["--disk", "vol-1=gp2:400GiB", "--region", "us-west-2"];
    let spent = [&["diagnose", "timeline", cloudwatch.to_str().unwrap()], &disk[..]].concat();
    let seen = Timeline::read(&timeline).unwrap();
    vec![
        ("plan", made("plan", &["plan", "examples/tpcc-5000.toml", "--futures", "50"])),
        ("check", made("check.html", &["check", "examples/tpcc-5000-m5.2xlarge.toml", "examples/tpcc-5000.toml"])),
        ("simulate", simulated.to_owned()),
        ("sweep", made("sweep", &[&inserts[..], &sweep].concat())),
        ("diagnose", made("diagnosis", &diagnose)),
        ("bench", written(folder, "bench", &benched(&seen))),
        ("compare", written(folder, "compare", &compared())),
        ("study", written(folder, "study", &studied())),
        ("wall-clock", made("wall-clock", &spent)),
        ("hostile", written(folder, "hostile", &hostile())),
    ]
}

/// The page of a run in which one of three disks is 20 times as slow for a while; made once for all tests.
pub(super) fn simulated(folder: &Path) -> &'static Path {
    static PAGE: OnceLock<PathBuf> = OnceLock::new();
    PAGE.get_or_init(|| simulate(folder))
}

fn simulate(folder: &Path) -> PathBuf {
    let events = folder.join("events.toml");
    std::fs::write(&events, EVENTS).unwrap();
    let out = folder.join("run");
    let (events, to) = (events.to_str().unwrap(), out.to_str().unwrap());
    let of = ["simulate", "examples/raft-dedicated.toml", "examples/social-inserts.toml", "--for", "20s"];
    let ran = run(&[&of[..], &["--events", events, "--out", to]].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    out.join("report.html")
}

fn written(folder: &Path, name: &str, page: &Page) -> PathBuf {
    let file = folder.join(format!("{name}.html"));
    std::fs::write(&file, page.html()).unwrap();
    file
}

fn origin() -> PageOrigin {
    PageOrigin {
        command: "diskwright bench mix.toml --on here.toml".into(),
        program: "diskwright".into(),
        ..PageOrigin::default()
    }
}

/// A report of a run that was not run, with two kinds of operation.
fn ran(number: u32, p99: u64) -> RunReport {
    let limits = RunLimits::default();
    let mut run = RunReport::of(number, &SteadyStateJudge::new(limits, 1), &[], &limits, CpuUsage::default(), None);
    let kind = |name: &str, p99_ns: u64| {
        let mut seen = latencies();
        (1..=200).for_each(|i| seen.record(p99_ns * i / 198).unwrap());
        KindReport {
            kind: name.into(),
            operations: 200,
            per_s: 1234.5,
            failures: 0,
            latency: LatencyHistograms::of(&seen),
        }
    };
    run.kinds = vec![kind("read", p99 / 4), kind("update", p99)];
    run
}

fn benched(seen: &Timeline) -> Page {
    let load = LoopKind::Closed { clients: 64, think: Nanos(0) };
    let plan = RunPlan::new("three stores on gp3:1000GiB", "mix of reads and updates", load, Duration::from_secs(1));
    let mut report = plan.report_of(200_000, Vec::new());
    report.runs = vec![ran(1, 20_000_000), ran(2, 24_000_000)];
    let events = [(Nanos::secs(3), "n1/data slow 20x for 15s".to_owned())];
    bench_page::page(&report, Some((seen, Nanos::secs(2))), &events, &["The disks are emulated.".into()], origin())
}

fn compared() -> Page {
    let side = |throughput: f64, p99_ns: f64| -> Vec<RunSample> {
        let kinds = || BTreeMap::from([("update".to_owned(), KindSample { p99_ns, seconds: Vec::new() })]);
        let sample = |run: u32| RunSample {
            run,
            throughput: throughput * (1.0 + 0.01 * f64::from(run)),
            error: None,
            steady: true,
            rejected: None,
            failed: false,
            kinds: kinds(),
        };
        (1..=5).map(sample).collect()
    };
    let (a, b) = (side(8000.0, 2e7), side(9500.0, 1.2e7));
    let found = compare(("one disk for data and log", &a), ("a log disk of its own", &b), 1).unwrap();
    compare_page::page(&found, [&a, &b], origin())
}

fn studied() -> Page {
    let open = &mut |path: &Path| textfile::read_text(path, textfile::LIMIT);
    let file = open(Path::new("../../examples/rds-study/study.toml")).unwrap();
    let study = Study::from_text(&file, open).unwrap();
    let seconds = study.measured().as_secs_f64() as u64;
    let side = |rows: f64, balance: bool| -> SqlRun {
        let series = |name: &str, disk: bool, merge, value: &dyn Fn(u64) -> f64| Series {
            name: name.into(),
            labels: disk.then(|| ("disk".to_owned(), "data".to_owned())).into_iter().collect(),
            unit: SeriesUnit::None,
            points: SeriesPoints::Values(
                merge,
                (0..seconds)
                    .map(|at| SeriesPoint { from: Nanos::secs(at), until: Nanos::secs(at + 1), value: value(at) })
                    .collect(),
            ),
        };
        let left = move |at: u64| 100.0 * (1.0 - at as f64 / (0.6 * seconds as f64)).max(0.0);
        let rate = move |at: u64| if balance && left(at) <= 0.0 { rows * 0.6 } else { rows };
        let mut all = vec![
            series("rows_added_per_second", false, MergeRule::Mean, &rate),
            series("write_ops", true, MergeRule::Sum, &|at| rate(at) / 4.0),
            series("write_bytes", true, MergeRule::Sum, &|at| rate(at) * 4096.0),
            series("queue_depth", true, MergeRule::Mean, &|at| 4.0 + (at % 7) as f64),
        ];
        if balance {
            all.push(series("io_balance", true, MergeRule::Min, &left));
        }
        SqlRun {
            report: ran(1, 20_000_000),
            timeline: Timeline { series: all, ..Timeline::default() },
            from: Nanos(0),
            until: study.measured(),
            used: mysql::SqlCounters::default(),
            ended: None,
            findings: mysql::SqlFindings::default(),
        }
    };
    let pairs = [[side(4000.0, true), side(4300.0, false)]];
    let seen = phases(&pairs);
    study_page::page(&study, &pairs, &seen, origin())
}

/// CloudWatch's series of three days of a volume that runs out of credits every night, with the wall clock's time.
fn exhausted() -> Timeline {
    let night = |minute: u64| (minute / 60 % 24) < 4;
    let series = |name: &str, unit: SeriesUnit, merge: MergeRule, value: &dyn Fn(u64) -> f64| Series {
        name: name.into(),
        labels: [("VolumeId".to_owned(), "vol-1".to_owned())].into(),
        unit,
        points: SeriesPoints::Values(
            merge,
            (0..864)
                .map(|i| SeriesPoint {
                    from: Nanos::secs(i * 300),
                    until: Nanos::secs((i + 1) * 300),
                    value: value(i * 5),
                })
                .collect(),
        ),
    };
    let ops = move |minute: u64| if night(minute) { 1200.0 * 300.0 } else { 300.0 * 300.0 };
    let latency = move |minute: u64| if night(minute) { 0.03 } else { 0.0006 };
    let mut timeline = Timeline {
        series: vec![
            series("VolumeReadOps", SeriesUnit::Count, MergeRule::Sum, &ops),
            series("VolumeReadBytes", SeriesUnit::Bytes, MergeRule::Sum, &|at| ops(at) * 16_384.0),
            series("VolumeTotalReadTime", SeriesUnit::Seconds, MergeRule::Sum, &|at| ops(at) * latency(at)),
            series("BurstBalance", SeriesUnit::Percent, MergeRule::Mean, &|at| if night(at) { 0.0 } else { 60.0 }),
        ],
        ..Timeline::default()
    };
    timeline.about.start = Some("2026-10-30T22:00:00Z".parse().unwrap());
    timeline
}

/// Names without a place to break, markup, many marks at once, values that are none or zero or huge.
fn hostile() -> Page {
    let long = "an-unbroken-name-".repeat(12);
    let mark = |i: usize| ChartMark {
        kind: if i.is_multiple_of(3) { MarkKind::Event } else { MarkKind::Finding },
        from: 40.0 * i as f64,
        until: i.is_multiple_of(2).then_some(40.0 * i as f64 + 700.0),
        text: format!("{i}</script><b>{long}"),
        number: i + 1,
    };
    let value = |i: u32, k: u32| match i % 7 {
        0 => None,
        1 => Some(f64::NAN),
        2 => Some(0.0),
        _ => Some(f64::from(i * k) * 1e9 / 3.0),
    };
    let line = |k: u32| ChartSeries {
        name: format!("{k} <i>{long}"),
        points: (0..3600).map(|i| (f64::from(i), value(i, k))).collect(),
        ..ChartSeries::default()
    };
    let limit = |value: f64| ChartLimit { value, name: format!("limit of {value:e} & </script> more") };
    let chart = |scale: AxisScale| PageChart {
        heading: format!("{scale:?} <u>{long}"),
        y: ChartAxis::of("name & <b>", "MiB/s").scaled(scale),
        series: (1..=6).map(line).collect(),
        limits: vec![limit(4e12), limit(4.01e12), limit(1e20), limit(0.0)],
        ..PageChart::default()
    };
    let flat = PageChart {
        heading: "one value".into(),
        y: ChartAxis::of("", "ms").scaled(AxisScale::Log),
        series: vec![ChartSeries::line("alone", vec![(1800.0, Some(0.0)), (1801.0, Some(3.0))])],
        ..PageChart::default()
    };
    let row = vec!["1".to_owned(), long.clone(), "<td>".to_owned(), long.clone()];
    Page {
        title: format!("</title><script>alert(1)</script>{long}"),
        question: long.clone(),
        answer: format!("{long} {long}"),
        facts: vec![(long.clone(), long.clone()), ("<dt>".into(), "</dd>".into())],
        clock: Some(PageClock { name: "time".into(), span: 3600.0, start: None, marks: (0..60).map(mark).collect() }),
        blocks: vec![
            PageBlock::Chart(chart(AxisScale::FromZero)),
            PageBlock::Chart(chart(AxisScale::Log)),
            PageBlock::Chart(chart(AxisScale::Fitted)),
            PageBlock::Chart(flat),
            PageBlock::Table(PageTable::plain("t", &["", "a", "b", "c"], &[0], vec![row.clone(), row])),
        ],
        ..Page::default()
    }
}
