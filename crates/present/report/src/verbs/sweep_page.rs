//! The page of a sweep: what each setting does to throughput, latency and cost.

use catalog::CatalogView;
use simulate::{RunCost, RunSummary, SimulationSetup, SweepRun};

use super::simulate::{TRUST, setup_facts};
use super::sweep::{answer, bound};
use crate::page::{
    AnswerTone, AxisScale, ChartAxis, ChartSeries, Page, PageBlock, PageChart, PageOrigin, PageTable, PriceDates,
    SeriesStyle, TableCell, TableColumn,
};
use crate::words;

/// Prices that differ by no more than this share are the same: then settings are compared by latency.
const SAME_PRICE: f64 = 0.02;

/// A run that was made: its number in the table, the run, its result and its price.
type Made<'a> = (usize, &'a SweepRun, &'a RunSummary, &'a RunCost);

/// The page of a sweep of `base`, titled `title`; prices are those of `view`.
pub fn page(title: String, base: &SimulationSetup, runs: &[SweepRun], view: &CatalogView, origin: PageOrigin) -> Page {
    let made: Vec<Made<'_>> = runs
        .iter()
        .enumerate()
        .filter_map(|(i, run)| run.result.as_ref().ok().map(|(summary, cost)| (i + 1, run, summary, cost)))
        .collect();
    let unit = base.task.profile.unit.name;
    let mut blocks = Vec::new();
    if !made.is_empty() {
        blocks.push(PageBlock::Chart(chart(&made, unit)));
        blocks.push(PageBlock::Heading("The runs".into()));
        blocks.push(PageBlock::Table(table(&made, unit)));
    }
    let refused: Vec<String> =
        runs.iter().filter_map(|run| Some(format!("{}: {}", run.choices(), run.result.as_ref().err()?))).collect();
    if !refused.is_empty() {
        blocks.push(PageBlock::Heading("Runs that could not start".into()));
        blocks.push(PageBlock::List(refused));
    }
    let names: Vec<&str> =
        runs.first().map_or_else(Vec::new, |run| run.variant.choices.iter().map(|(name, _)| *name).collect());
    Page {
        question: format!("What do {} runs with other values of {} do to {title}?", runs.len(), names.join(", ")),
        title,
        answer: answer(runs),
        tone: if runs.iter().any(SweepRun::is_carried) { AnswerTone::Good } else { AnswerTone::Bad },
        facts: setup_facts(base),
        assumed: vec![TRUST.to_owned()],
        origin: PageOrigin {
            as_of: view.date(),
            prices: PriceDates::of(view, runs.iter().map(|run| &run.variant.setup.deployment)),
            ..origin
        },
        blocks,
        ..Page::default()
    }
}

/// Throughput over cost, or over the 99th percentile where all cost about the same; a series for each value of the first setting.
fn chart(made: &[Made<'_>], unit: &str) -> PageChart {
    let costs = || made.iter().map(|(.., cost)| cost.monthly().0);
    let (least, most) = (costs().fold(f64::INFINITY, f64::min), costs().fold(0.0, f64::max));
    let by_cost = most > least * (1.0 + SAME_PRICE);
    let mut series: Vec<ChartSeries> = Vec::new();
    for (number, run, summary, cost) in made {
        let p99 = summary.latency.map(|latency| latency.p99.as_millis_f64());
        let Some(at) = (if by_cost { Some(cost.monthly().0) } else { p99 }) else { continue };
        let name = run.variant.choices.first().map_or_else(String::new, |(name, value)| format!("{name} {value}"));
        let known = series.iter().position(|one| one.name == name).unwrap_or_else(|| {
            series.push(ChartSeries { name, style: SeriesStyle::Points, ..ChartSeries::default() });
            series.len() - 1
        });
        series[known].points.push((at, Some(summary.throughput)));
        let p99 = p99.map_or_else(String::new, |p99| format!(", p99 {} ms", words::count(p99)));
        series[known].notes.push(format!("{number}: {}{p99}", run.choices()));
    }
    for one in &mut series {
        let mut order: Vec<usize> = (0..one.points.len()).collect();
        order.sort_by(|a, b| one.points[*a].0.total_cmp(&one.points[*b].0));
        one.points = order.iter().map(|i| one.points[*i]).collect();
        one.notes = order.iter().map(|i| one.notes[*i].clone()).collect();
    }
    let x = if by_cost { ChartAxis::of("cost", "$ a month") } else { ChartAxis::of("p99", "ms") };
    PageChart {
        heading: "What the settings do".into(),
        caption: "Numbers are those of the table; up and to the left is better.".into(),
        x: Some(x),
        y: ChartAxis::of("throughput", unit).scaled(AxisScale::FromZero),
        series,
        ..PageChart::default()
    }
}

fn table(made: &[Made<'_>], unit: &str) -> PageTable {
    let settings =
        made.first().map_or_else(Vec::new, |(_, run, ..)| run.variant.choices.iter().map(|(name, _)| *name).collect());
    let mut columns: Vec<TableColumn> = ["", "p50, ms", "p99, ms"].map(TableColumn::number).into();
    columns.push(TableColumn::number(unit));
    columns.extend(["$ a month", "$ a million"].map(TableColumn::number));
    columns.extend(settings.into_iter().map(TableColumn::text));
    columns.push(TableColumn::text("Held up most by"));
    let row = |(number, run, summary, cost): &Made<'_>| {
        let millis = |of: fn(&simulate::LatencySummary) -> units::Nanos| {
            summary.latency.as_ref().map_or("–".to_owned(), |latency| words::count(of(latency).as_millis_f64()))
        };
        let mut cells: Vec<TableCell> =
            vec![number.to_string().into(), millis(|l| l.p50).into(), millis(|l| l.p99).into()];
        cells.push(words::count(summary.throughput).into());
        cells.push(words::count(cost.monthly().0).into());
        cells.push(cost.per_million.map_or("–".to_owned(), |usd| words::grouped(usd.0, 3)).into());
        cells.extend(run.variant.choices.iter().map(|(_, value)| TableCell::Code(value.clone())));
        cells.push(bound(summary).into());
        cells
    };
    PageTable { label: "Runs".into(), columns, rows: made.iter().map(row).collect() }
}
