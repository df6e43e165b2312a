//! The page of a simulated run.

use std::collections::BTreeMap;

use catalog::{BurstBucket, CatalogView};
use simulate::{HoldUp, SimulationRun, SimulationSetup};
use units::{Iops, Nanos};

use super::simulate::{TRUST, headline, named, setup_facts};
use crate::page::{AnswerTone, ChartMark, MarkKind, Page, PageBlock, PageClock, PageOrigin, PageTable, PriceDates};
use crate::{RoleLimits, RunCharts, TimeScale, words};

/// The page of a run, titled `title`; limits and prices are those of `view`.
pub fn page(
    title: String,
    setup: &SimulationSetup,
    run: &SimulationRun,
    view: &CatalogView,
    origin: PageOrigin,
) -> Page {
    let summary = &run.summary;
    let mut facts = setup_facts(setup);
    facts.push((
        "Measured".to_owned(),
        format!("{:.0} s to {:.0} s", summary.from.as_secs_f64(), summary.until.as_secs_f64()),
    ));
    let span = run.timeline.span().map_or(setup.options.span, |(_, until): (Nanos, Nanos)| until);
    let events: Vec<(Nanos, String)> =
        setup.options.script.marks().into_iter().map(|mark| (mark.at, mark.what)).collect();
    let mut blocks = Vec::new();
    if let Some(latency) = &summary.latency {
        let order = ["p50", "p99", "p99.9", "mean", "longest"];
        let values = named(latency);
        let value = |name: &str| values.iter().find(|(known, _)| *known == name).map_or(Nanos(0), |(_, value)| *value);
        let mut row: Vec<String> = order.iter().map(|name| words::millis(value(name))).collect();
        row.push(words::count(summary.throughput));
        let head: Vec<&str> = order.into_iter().chain([summary.unit]).collect();
        blocks.push(PageBlock::Table(PageTable::plain(
            "Latency and throughput",
            &head,
            &[0, 1, 2, 3, 4, 5],
            vec![row],
        )));
    }
    blocks.extend(events_table(&events, span));
    blocks.extend(bound_table(&summary.bound, span));
    let charts = RunCharts {
        timeline: &run.timeline,
        from: Nanos(0),
        span,
        unit: (summary.unit, setup.task.profile.unit.per_operation),
        target: setup.task.clients.is_none().then_some(setup.task.targets.throughput),
        p99: setup.task.targets.p99,
        limits: limits(setup, view),
    };
    blocks.push(PageBlock::Heading("The run over time".into()));
    blocks.extend(charts.blocks());
    Page {
        title: title.clone(),
        question: format!("What comes of {title}, in {} of virtual time?", setup.options.span),
        answer: headline(summary),
        tone: if summary.saturated.is_none() && summary.full.is_none() { AnswerTone::Good } else { AnswerTone::Bad },
        facts,
        assumed: vec![TRUST.to_owned()],
        origin: PageOrigin { as_of: view.date(), prices: PriceDates::of(view, [&setup.deployment]), ..origin },
        clock: Some(clock("virtual time", span, &events)),
        blocks,
        ..Page::default()
    }
}

/// The clock of a run's charts, with its events.
pub(super) fn clock(name: &str, span: Nanos, events: &[(Nanos, String)]) -> PageClock {
    let mark = |(i, (at, what)): (usize, &(Nanos, String))| ChartMark {
        kind: MarkKind::Event,
        from: at.as_secs_f64(),
        until: None,
        text: what.clone(),
        number: i + 1,
    };
    PageClock {
        name: name.to_owned(),
        span: span.as_secs_f64(),
        start: None,
        marks: events.iter().enumerate().map(mark).collect(),
    }
}

/// What happened, numbered as on the charts.
pub(super) fn events_table(events: &[(Nanos, String)], span: Nanos) -> Vec<PageBlock> {
    if events.is_empty() {
        return Vec::new();
    }
    let clock = TimeScale::of(span);
    let row =
        |(number, (at, what)): (usize, &(Nanos, String))| vec![(number + 1).to_string(), clock.text(*at), what.clone()];
    vec![
        PageBlock::Heading("What happened".into()),
        PageBlock::Table(PageTable::plain(
            "Events",
            &["", "At", "What"],
            &[0, 1],
            events.iter().enumerate().map(row).collect(),
        )),
    ]
}

/// What held operations up.
fn bound_table(bound: &[HoldUp], span: Nanos) -> Vec<PageBlock> {
    if bound.is_empty() {
        return Vec::new();
    }
    let clock = TimeScale::of(span);
    let instant = |at: Option<Nanos>| at.map_or("–".to_owned(), |at| clock.text(at));
    let row = |one: &HoldUp| vec![one.what.clone(), words::percent(one.share), instant(one.from), instant(one.until)];
    let head = ["What", "Share of the time", "From", "Until"];
    vec![
        PageBlock::Heading("What held operations up".into()),
        PageBlock::Table(PageTable::plain(
            "What held operations up",
            &head,
            &[1, 2, 3],
            bound.iter().map(row).collect(),
        )),
    ]
}

/// The limits of the disks of the storage nodes, by role; of several groups the least.
fn limits(setup: &SimulationSetup, view: &CatalogView) -> BTreeMap<String, RoleLimits> {
    let mut limits: BTreeMap<String, RoleLimits> = BTreeMap::new();
    for (_, group) in setup.deployment.storage() {
        let instance = view.instance(&group.instance).ok();
        for (role, disk) in [("data", &group.data), ("log", &group.log)] {
            let Some(found) = disk.as_ref().and_then(|disk| disk.limits(view, instance).ok()) else { continue };
            let found = RoleLimits {
                iops: found.iops,
                burst_iops: found.burst.and_then(burst_iops).filter(|iops| *iops > found.iops),
                throughput: found.throughput,
            };
            let least = limits.entry(role.to_owned()).or_insert(found);
            if found.iops < least.iops {
                *least = found;
            }
        }
    }
    limits
}

/// The I/O rate of a burst that has one.
fn burst_iops(burst: BurstBucket) -> Option<Iops> {
    match burst {
        BurstBucket::IoCredits { iops, .. } | BurstBucket::Timed { iops, .. } => Some(iops),
        BurstBucket::ByteCredits { .. } => None,
    }
}
