//! The page of a plan: the answer, what more or less throughput costs, the plans, and why not the others.

use plan::{CostCurve, MonthlyCosts, Plan, PlanResult, WhyNot};
use units::Usd;

use super::plan::PlannedAnswer;
use crate::page::{
    AnswerTone, AxisScale, BarRow, ChartAxis, ChartMark, ChartSeries, MarkKind, Page, PageBlock, PageChart, PageOrigin,
    PageTable, SeriesStyle, TableCell, TableColumn,
};
use crate::words;

/// From this share on a resource is shown as nearly full: queues grow steeply beyond it.
const NEARLY_FULL: f64 = 0.9;
/// Families shown at once; the others are folded.
const FAMILIES: usize = 10;
/// Lines of the cost curve; the cheapest at the target come first.
const LINES: usize = 8;

/// The page of `planned`, made by `origin`, with the curve of what throughput costs.
pub fn page(planned: &PlannedAnswer, curve: Option<&CostCurve>, origin: PageOrigin) -> Page {
    let (asked, answer) = (&planned.asked, &planned.answer);
    let targets = asked.facts.iter().find(|(name, _)| name == "Targets").map(|(_, targets)| format!(" ({targets})"));
    let mut blocks = shortfalls(answer);
    blocks.extend(curve.and_then(|curve| cost_curve(planned, curve)));
    blocks.extend(ranking(answer));
    blocks.extend(utilisation(answer));
    blocks.extend(why_not(&answer.why_not));
    blocks.extend(uncertainty(answer));
    let searched = format!(
        "{} layouts evaluated, {} ruled out by a bound.",
        words::count(answer.considered as f64),
        words::count(answer.pruned as f64)
    );
    Page {
        title: planned.title.clone(),
        question: format!("Which deployment meets the targets{} at the lowest price?", targets.unwrap_or_default()),
        answer: words::headline(answer),
        tone: if answer.plans.is_empty() { AnswerTone::Bad } else { AnswerTone::Good },
        facts: asked.facts.clone(),
        assumed: asked.not_covered.clone(),
        origin,
        blocks,
        notes: vec![searched],
        ..Page::default()
    }
}

/// What falls short, each by itself.
fn shortfalls(answer: &PlanResult) -> Vec<PageBlock> {
    if answer.shortfalls.is_empty() {
        return Vec::new();
    }
    vec![PageBlock::Heading("What would have to give".into()), PageBlock::List(answer.shortfalls.clone())]
}

/// The best price over throughput, a line for each kind of disk.
fn cost_curve(planned: &PlannedAnswer, curve: &CostCurve) -> Option<PageBlock> {
    let plans = || curve.lines.iter().flat_map(|line| line.best.iter().flatten());
    let unit = plans().next()?.predicted.unit;
    // The cheapest around the target first: its colour is the first one.
    let middle = curve.throughputs.len() / 2;
    let price = |best: &[Option<Plan>]| {
        let near = best[middle].as_ref().or_else(|| best.iter().flatten().next());
        near.map_or(f64::INFINITY, |plan| plan.monthly().0)
    };
    let mut lines: Vec<_> = curve.lines.iter().collect();
    lines.sort_by(|a, b| price(&a.best).total_cmp(&price(&b.best)).then_with(|| a.disk.cmp(&b.disk)));
    let series = lines.iter().take(LINES).map(|line| {
        let points = curve.throughputs.iter().zip(&line.best);
        ChartSeries {
            name: line.disk.clone(),
            style: SeriesStyle::Marked,
            points: points.map(|(at, plan)| (*at, plan.as_ref().map(|plan| plan.monthly().0))).collect(),
            notes: line.best.iter().map(|plan| plan.as_ref().map_or_else(String::new, words::layout)).collect(),
        }
    });
    let target = planned.asked.target.map(|target| ChartMark {
        kind: MarkKind::Target,
        from: target,
        until: None,
        text: format!("asked: {} {unit}", words::count(target)),
        number: 0,
    });
    let more = lines.len().saturating_sub(LINES);
    let left_out = if more > 0 { format!(" The {more} dearest kinds are left out.") } else { String::new() };
    Some(PageBlock::Chart(PageChart {
        heading: "What throughput costs, by kind of disk".into(),
        caption: format!(
            "The cheapest deployment that meets all targets at each throughput. A line ends where its disk no longer does.{left_out}"
        ),
        x: Some(ChartAxis::of("throughput", unit).scaled(AxisScale::Log)),
        y: ChartAxis::of("cost", "$ a month").scaled(AxisScale::Log),
        series: series.collect(),
        marks: target.into_iter().collect(),
        ..PageChart::default()
    }))
}

/// The plans with their numbers; without any, the closest.
fn ranking(answer: &PlanResult) -> Vec<PageBlock> {
    let (heading, plans) = match (&answer.closest, answer.plans.is_empty()) {
        (Some(closest), true) => ("The closest", std::slice::from_ref(closest)),
        _ => ("The cheapest deployments", answer.plans.as_slice()),
    };
    let Some(first) = plans.first() else { return Vec::new() };
    let dearest = plans.iter().map(Plan::monthly).fold(Usd(0.0), |a, b| if b > a { b } else { a });
    let row = |(i, plan): (usize, &Plan)| {
        vec![
            (i + 1).to_string().into(),
            split(plan.usd, dearest),
            words::millis(plan.predicted.p50).into(),
            words::millis(plan.predicted.p99).into(),
            words::count(plan.predicted.throughput).into(),
            words::resource(plan.bottleneck).into(),
            words::percent(plan.headroom).into(),
            nodes(plan),
        ]
    };
    let columns = vec![
        TableColumn::number(""),
        TableColumn::number("$ a month"),
        TableColumn::number("p50"),
        TableColumn::number("p99"),
        TableColumn::number(format!("Throughput, {}", first.predicted.unit)),
        TableColumn::text("Bottleneck"),
        TableColumn::number("Headroom"),
        TableColumn::text("Storage nodes and their disks"),
    ];
    let rows = plans.iter().enumerate().map(row).collect();
    vec![
        PageBlock::Heading(heading.into()),
        PageBlock::Table(PageTable { label: "Ranked deployments".into(), columns, rows }),
        PageBlock::Text(
            "Under each price its parts: compute, disks, traffic between zones. Headroom is the share of the bottleneck that is \
             unused at the target."
                .into(),
        ),
    ]
}

/// The machines, their disks, and settings.
fn nodes(plan: &Plan) -> TableCell {
    let disks = match words::log_disk(&plan.deployment) {
        Some(log) => vec![format!("data {}", words::data_disk(&plan.deployment)), format!("log {log}")],
        None => vec![format!("data and log {}", words::data_disk(&plan.deployment))],
    };
    let lines = std::iter::once(words::machines(&plan.deployment)).chain(disks).collect();
    TableCell::Lines(lines, words::settings(&plan.deployment.settings))
}

/// A month's price over a bar of what it pays for, as a share of the dearest plan's.
fn split(usd: MonthlyCosts, dearest: Usd) -> TableCell {
    let parts = [("compute", usd.compute), ("disks", usd.disks), ("traffic between zones", usd.transfer)];
    let share = |part: Usd| if dearest.0 > 0.0 { part.0 / dearest.0 } else { 0.0 };
    let total = usd.compute + usd.disks + usd.transfer;
    TableCell::Split(
        format!("{total:.0}"),
        parts.into_iter().map(|(name, part)| (format!("{name} {part:.0}"), share(part))).collect(),
    )
}

/// How full each resource of the best plan is at the target load.
fn utilisation(answer: &PlanResult) -> Vec<PageBlock> {
    let Some(best) = answer.plans.first().or(answer.closest.as_ref()) else { return Vec::new() };
    // A log without a disk of its own takes nothing of one.
    let used = best.utilisation.iter().filter(|(_, share)| *share > 0.0);
    let bar = |(resource, share): &(engine::Resource, f64)| BarRow {
        name: words::resource(*resource).into(),
        share: *share,
        text: words::percent(*share),
        hot: *share >= NEARLY_FULL,
    };
    let whose = if answer.plans.is_empty() { "the closest deployment" } else { "the cheapest deployment" };
    vec![
        PageBlock::Heading(format!("How full {whose} is at the target")),
        PageBlock::Bars("Share of each resource in use".into(), used.map(bar).collect()),
    ]
}

fn why_not(all: &[WhyNot]) -> Vec<PageBlock> {
    if all.is_empty() {
        return Vec::new();
    }
    let (disks, families) = words::nearest_first(all);
    let (shown, folded) = families.split_at(families.len().min(FAMILIES));
    let table = |label: &str, whys: &[&WhyNot]| {
        let rows = whys.iter().map(|why| vec![words::subject(&why.subject), words::why_not(why)]).collect();
        PageBlock::Table(PageTable::plain(label, &["", "Because it"], &[], rows))
    };
    let mut blocks = vec![
        PageBlock::Heading("Why not".into()),
        table("What was not chosen, and why", &[&disks[..], shown].concat()),
    ];
    if !folded.is_empty() {
        blocks.push(PageBlock::Folded(format!("{} more families", folded.len()), vec![table("More families", folded)]));
    }
    blocks
}

/// How the plans fare when the uncertain inputs are sampled.
fn uncertainty(answer: &PlanResult) -> Vec<PageBlock> {
    let Some(uncertainty) = &answer.uncertainty else { return Vec::new() };
    let inputs = uncertainty.inputs.iter().map(|(key, text)| format!("{key} {text}"));
    let inputs = inputs.collect::<Vec<_>>().join(", ");
    let rows = answer.plans.iter().zip(&uncertainty.odds_of_missing).zip(&uncertainty.regret).enumerate();
    let rows = rows.map(|(i, ((plan, odds), regret))| {
        vec![
            (i + 1).to_string(),
            format!("{:.0}", plan.monthly()),
            words::odds(*odds),
            format!("{regret:.0}"),
            words::machines(&plan.deployment),
            words::fate(uncertainty, i),
        ]
    });
    let head = ["", "$ a month", "Odds of missing a target", "Mean regret, $ a month", "Storage nodes", ""];
    vec![
        PageBlock::Heading("If the inputs turn out otherwise".into()),
        PageBlock::Text(format!(
            "{} futures were sampled over {inputs}.",
            words::count(f64::from(uncertainty.futures))
        )),
        PageBlock::Table(PageTable::plain("Plans over sampled futures", &head, &[0, 1, 2, 3], rows.collect())),
    ]
}

#[cfg(test)]
mod tests {
    use plan::CostLine;

    use super::*;
    use crate::sample;

    fn planned(answer: PlanResult) -> PlannedAnswer {
        PlannedAnswer { title: "TPC-C <5000>".into(), asked: sample::asked(), answer, elapsed_ms: 1.0, proofs: None }
    }

    fn curve() -> CostCurve {
        let plans = sample::answer().plans;
        let line = |disk: &str, best: [Option<usize>; 3]| CostLine {
            disk: disk.into(),
            best: best.map(|plan| plan.map(|plan| plans[plan].clone())).into(),
        };
        CostCurve {
            throughputs: vec![25_000.0, 50_000.0, 100_000.0],
            lines: vec![line("io2", [Some(2), Some(2), Some(2)]), line("gp3", [Some(0), Some(0), None])],
        }
    }

    fn charts(page: &Page) -> Vec<&PageChart> {
        page.blocks
            .iter()
            .filter_map(|block| if let PageBlock::Chart(chart) = block { Some(chart) } else { None })
            .collect()
    }

    #[test]
    fn the_curve_has_a_line_for_each_kind_of_disk_that_ends_where_the_disk_does() {
        let page = page(&planned(sample::answer()), Some(&curve()), PageOrigin::default());
        let chart = charts(&page)[0];
        let names: Vec<&str> = chart.series.iter().map(|series| series.name.as_str()).collect();
        assert_eq!(names, ["gp3", "io2"], "the cheapest at the target first");
        assert_eq!(chart.series[0].points, [(25_000.0, Some(1234.0)), (50_000.0, Some(1234.0)), (100_000.0, None)]);
        assert!(chart.series[0].notes[0].contains("m5.4xlarge") && chart.series[0].notes[2].is_empty());
        assert_eq!(chart.marks[0].text, "asked: 50,000 tpmC");
    }

    #[test]
    fn the_first_columns_of_the_ranking_are_price_and_latency() {
        let page = page(&planned(sample::answer()), None, PageOrigin::default());
        let table =
            page.blocks.iter().find_map(|block| if let PageBlock::Table(table) = block { Some(table) } else { None });
        let names: Vec<&str> = table.unwrap().columns.iter().map(|column| column.name.as_str()).collect();
        assert_eq!(names[..4], ["", "$ a month", "p50", "p99"]);
    }

    #[test]
    fn out_of_reach_says_what_would_have_to_give() {
        let page = page(&planned(sample::out_of_reach()), None, PageOrigin::default());
        assert_eq!(page.tone, AnswerTone::Bad);
        assert!(page.answer.starts_with("No deployment in the catalogue"));
        assert!(matches!(&page.blocks[1], PageBlock::List(items) if items[0].contains("48.7 ms")));
    }

    #[test]
    fn the_page_as_html_has_texts_from_outside_as_text() {
        let html = page(&planned(sample::answer()), Some(&curve()), PageOrigin::default()).html();
        assert!(html.contains("TPC-C &lt;5000&gt;") && !html.contains("<5000>"));
    }
}
