//! A page of every kind: by the program where it makes one in seconds, else by what makes it from runs that were not run.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bench::compare::{KindSample, RunSample, compare};
use bench::{CpuUsage, KindReport, LatencyHistograms, LoopKind, RunLimits, RunPlan, RunReport, SteadyStateJudge};
use mysql::SqlRun;
use mysql::study::{Study, phases};
use report::page::{Page, PageOrigin};
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
    let seen = Timeline::read(&timeline).unwrap();
    vec![
        ("plan", made("plan", &["plan", "examples/tpcc-5000.toml", "--futures", "50"])),
        ("check", made("check.html", &["check", "examples/tpcc-5000-m5.2xlarge.toml", "examples/tpcc-5000.toml"])),
        ("simulate", simulated),
        ("sweep", made("sweep", &[&inserts[..], &sweep].concat())),
        ("diagnose", made("diagnosis", &diagnose)),
        ("bench", written(folder, "bench", &benched(&seen))),
        ("compare", written(folder, "compare", &compared())),
        ("study", written(folder, "study", &studied())),
    ]
}

/// The page of a run in which one of three disks is 20 times as slow for a while.
pub(super) fn simulated(folder: &Path) -> PathBuf {
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
