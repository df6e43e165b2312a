//! The page of a benchmark: the runs with their latencies, and the last of them over time.

use std::collections::BTreeMap;

use bench::{BenchReport, KindReport, RunReport};
use timeline::{Series, Timeline, vocabulary};
use units::Nanos;

use super::bench::{how, remarks, unsteady};
use super::simulate_page::{clock, events_table};
use crate::page::{AnswerTone, Page, PageBlock, PageOrigin, PageTable};
use crate::{RunCharts, words};

/// The page of a benchmark; `last` is the Timeline of its last run, with the start of what was measured, and what happened.
pub fn page(
    report: &BenchReport,
    last: Option<(&Timeline, Nanos)>,
    events: &[(Nanos, String)],
    notes: &[String],
    origin: PageOrigin,
) -> Page {
    let mut facts = vec![
        ("Load".to_owned(), how(&report.load, report.threads)),
        ("Rows".to_owned(), words::count(report.rows_loaded as f64)),
    ];
    if let Some(times) = report.data_over_memory {
        facts.push(("Data on a node".to_owned(), format!("{times:.2} times the memory that it may take")));
    }
    facts.push(("Seed".to_owned(), report.seed.to_string()));
    let minded: Vec<String> = report
        .runs
        .iter()
        .flat_map(|run| {
            let failed = (!run.rejected.is_empty())
                .then(|| format!("it failed, whatever it measured: {}", run.rejected.join("; ")));
            let said = failed.into_iter().chain(unsteady(run)).chain(remarks(run));
            said.map(|line| format!("Run {}: {line}.", run.run)).collect::<Vec<_>>()
        })
        .collect();
    let mut blocks = Vec::new();
    if !minded.is_empty() {
        blocks.push(PageBlock::Heading("To mind".into()));
        blocks.push(PageBlock::List(minded));
    }
    blocks.push(PageBlock::Heading("The runs".into()));
    blocks.push(PageBlock::Table(table(report)));
    let mut page_clock = None;
    if let Some((timeline, measured)) = last {
        // Before the first operation rows are loaded; instants of events count from the start of the warm-up.
        let begun = timeline.select(vocabulary::OPERATIONS_PER_SECOND.name, &[]).filter_map(Series::span);
        let from = begun.map(|(from, _)| from).min().unwrap_or_default();
        let span = timeline.span().map_or(Nanos(0), |(_, until)| Nanos(until.0.saturating_sub(from.0)));
        let mut marks = vec![(Nanos(measured.0.saturating_sub(from.0)), "measured from here".to_owned())];
        marks.extend(events.iter().cloned());
        marks.sort_by_key(|(at, _)| *at);
        blocks.extend(events_table(&marks, span));
        page_clock = Some(clock("time from the start of the warm-up", span, &marks));
        blocks.push(PageBlock::Heading("The last run over time".into()));
        let unit = ("operations/s", 1.0);
        let charts = RunCharts { timeline, from, span, unit, target: None, p99: None, limits: BTreeMap::new() };
        blocks.extend(charts.blocks());
    }
    let good = report.runs.iter().all(|run| run.rejected.is_empty());
    Page {
        title: format!("{} on {}", report.workload, report.title),
        question: format!("How fast is {} on {}, measured?", report.workload, report.title),
        answer: answer(report),
        tone: if good { AnswerTone::Good } else { AnswerTone::Bad },
        facts,
        assumed: report.notes.iter().map(|(name, value)| format!("{name}: {value}")).collect(),
        origin,
        clock: page_clock,
        blocks,
        notes: notes.to_vec(),
    }
}

/// The runs in a sentence.
fn answer(report: &BenchReport) -> String {
    let failed = report.runs.iter().filter(|run| !run.rejected.is_empty()).count();
    let stands: Vec<&RunReport> = report.runs.iter().filter(|run| run.rejected.is_empty()).collect();
    let rates = || stands.iter().filter_map(|run| run.throughput).map(|found| found.mean);
    let known = rates().count();
    let mut sentence = match known {
        0 => "No run measured a throughput.".to_owned(),
        known => {
            let mean = rates().sum::<f64>() / known as f64;
            let runs = if known == 1 { "one run".to_owned() } else { format!("the mean of {known} runs") };
            format!("{} operations a second ({runs}).", words::count(mean))
        }
    };
    let slowest = stands
        .iter()
        .flat_map(|run| &run.kinds)
        .filter_map(|kind| kind.latency.map(|l| (l.p99_ns, l.p50_ns, &kind.kind)));
    if let Some((p99, p50, kind)) = slowest.max_by_key(|(p99, ..)| *p99) {
        sentence += &format!(" {kind}: p50 {}, p99 {}.", words::millis(Nanos(p50)), words::millis(Nanos(p99)));
    }
    if failed > 0 {
        sentence += &format!(" {failed} of {} runs failed.", report.runs.len());
    }
    sentence
}

fn table(report: &BenchReport) -> PageTable {
    let head = ["Run", "Kind", "p50, ms", "p99, ms", "p95, ms", "p99.9, ms", "Operations/s", "95 % interval"];
    let row = |(run, kind, first): (&RunReport, &KindReport, bool)| {
        let at = |pick: fn(&bench::LatencyHistograms) -> u64| {
            kind.latency.as_ref().map_or("–".to_owned(), |latency| words::count(Nanos(pick(latency)).as_millis_f64()))
        };
        let interval = match (&run.throughput, run.kinds.len()) {
            (Some(found), 1) => format!("{:.0} to {:.0}", found.low, found.high),
            (Some(found), _) if first => format!("all {:.0} to {:.0}", found.low, found.high),
            _ => String::new(),
        };
        vec![
            if first { run.run.to_string() } else { String::new() },
            kind.kind.clone(),
            at(|l| l.p50_ns),
            at(|l| l.p99_ns),
            at(|l| l.p95_ns),
            at(|l| l.p999_ns),
            words::count(kind.per_s),
            interval,
        ]
    };
    let rows =
        report.runs.iter().flat_map(|run| run.kinds.iter().enumerate().map(move |(i, kind)| (run, kind, i == 0)));
    PageTable::plain("Runs, each with its kinds of operation", &head, &[0, 2, 3, 4, 5, 6, 7], rows.map(row).collect())
}
