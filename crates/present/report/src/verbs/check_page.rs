//! The page of a check: each limit with what is asked and what is delivered.

use catalog::CatalogView;
use deployment::{Deployment, LimitLine};
use workload::Workload;

use super::check::{CheckedDeployment, cost, name, sentence, span, too_few};
use crate::page::{AnswerTone, BarRow, Page, PageBlock, PageOrigin, PageTable, PriceDates};
use crate::words;

/// The page of `checked`: of `deployment` under `workload`, or under what the deployment itself asks.
pub fn page(
    checked: &CheckedDeployment,
    deployment: &Deployment,
    workload: Option<&Workload>,
    view: &CatalogView,
    origin: PageOrigin,
) -> Page {
    let report = &checked.report;
    let asks =
        workload.map_or_else(|| "its own [asks] table asks".to_owned(), |workload| format!("{} asks", workload.name));
    let answer = [
        Some(sentence(report)),
        checked.short.as_ref().map(|(short, task)| too_few(short, task)),
        Some(cost(&checked.monthly)),
    ];
    let log = words::log_disk(deployment).map_or("on the data disk".to_owned(), |log| format!("on {log}"));
    let assumed = match workload {
        Some(_) => "The workload is taken at its target with growth, its intervals at their middle.",
        None => "Each node is asked for what the deployment's [asks] table says.",
    };
    Page {
        title: format!("Check of {}", deployment.name),
        question: format!("Does {} deliver what {asks}?", deployment.name),
        answer: answer.into_iter().flatten().collect::<Vec<_>>().join(" "),
        tone: if checked.delivers() { AnswerTone::Good } else { AnswerTone::Bad },
        facts: vec![
            ("Storage nodes".to_owned(), words::machines(deployment)),
            ("Data disk of each".to_owned(), words::data_disk(deployment)),
            (deployment.engine.facts().log_title.to_owned(), log),
            ("Region".to_owned(), deployment.region.clone()),
        ],
        assumed: vec![assumed.to_owned(), "The price is a list price, without traffic.".to_owned()],
        origin: PageOrigin { as_of: view.date(), prices: PriceDates::of(view, [deployment]), ..origin },
        blocks: vec![
            PageBlock::Heading("Each limit".into()),
            PageBlock::Bars("Share of each limit that is asked for".into(), report.lines.iter().map(bar).collect()),
            PageBlock::Table(table(&report.lines)),
        ],
        ..Page::default()
    }
}

fn bar(line: &LimitLine) -> BarRow {
    BarRow {
        name: format!("{} of {}", name(line), line.instance),
        share: line.utilisation,
        text: words::percent(line.utilisation),
        hot: line.violated(),
    }
}

fn table(lines: &[LimitLine]) -> PageTable {
    let row = |line: &LimitLine| {
        let verdict = match (line.violated(), line.burst_seconds) {
            (true, Some(seconds)) => format!("over; a burst carries it for {}", span(seconds)),
            (true, None) => "over".to_owned(),
            (false, _) if line.tight() => "tight".to_owned(),
            (false, _) => "fine".to_owned(),
        };
        vec![
            name(line),
            words::percent(line.utilisation),
            words::count(line.asked),
            words::count(line.delivered),
            line.unit.to_owned(),
            line.instance.clone(),
            verdict,
        ]
    };
    let head = ["Limit", "Used", "Asked", "Delivered", "Unit", "Of", "Verdict"];
    PageTable::plain("Limits", &head, &[1, 2, 3], lines.iter().map(row).collect())
}
