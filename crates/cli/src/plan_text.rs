//! A plan's answer as text: the answer first, then the evidence.

use std::path::PathBuf;

use plan::{Plan, PlanResult, WhyNot};
use report::words;

use crate::output::bold;
use crate::plan::Planned;
use crate::table::{Table, WIDTH, wrap};

/// Instance families are many: so many of the cheapest are shown.
const FAMILIES: usize = 8;

/// The whole text.
pub(crate) fn text(planned: &Planned, written: &[PathBuf]) -> String {
    let answer = &planned.answer;
    let mut sections = vec![bold(&wrap(&words::headline(answer), WIDTH, 0)) + "\n", asked(planned)];
    if !answer.shortfalls.is_empty() {
        let items = answer.shortfalls.iter().map(|text| format!("- {}\n", wrap(text, WIDTH - 2, 2)));
        sections.push(section("What would have to give", &items.collect::<String>()));
    }
    match (&answer.closest, answer.plans.as_slice()) {
        (Some(closest), []) => sections.push(section("The closest", &ranking(std::slice::from_ref(closest)))),
        (None, []) => {}
        (_, plans) => sections.push(section("Plans", &ranking(plans))),
    }
    if !answer.why_not.is_empty() {
        sections.push(section("Why not", &why_not(&answer.why_not)));
    }
    sections.extend(uncertainty(answer));
    sections.push(foot(planned));
    if let Some(proofs) = planned.proofs.as_deref().filter(|proofs| !proofs.is_empty()) {
        sections.push(crate::plan::prove_text::text(proofs));
    }
    if !written.is_empty() {
        let paths: String = written.iter().map(|path| format!("  {}\n", path.display())).collect();
        sections.push(format!("Written:\n{paths}"));
    }
    sections.join("\n")
}

fn section(title: &str, body: &impl ToString) -> String {
    format!("{}\n{}", bold(title), body.to_string())
}

fn asked(planned: &Planned) -> String {
    let facts = planned.asked.facts.iter().map(|(name, value)| format!("{}: {value}", name.to_lowercase()));
    let facts = facts.collect::<Vec<_>>().join(" · ");
    format!("{}\n", wrap(&format!("{} · {facts}", planned.title), WIDTH, 0))
}

fn ranking(plans: &[Plan]) -> Table {
    let throughput = plans.first().map_or("", |plan| plan.predicted.unit);
    let head = ["", "$/month", "compute", "disks", "transfer", throughput, "p50", "p99", "gives first", "free"];
    let mut table = Table::new(&head, &[0, 1, 2, 3, 4, 5, 6, 7, 9]);
    for (i, plan) in plans.iter().enumerate() {
        table.row([
            (i + 1).to_string(),
            format!("{:.0}", plan.monthly()),
            format!("{:.0}", plan.usd.compute),
            format!("{:.0}", plan.usd.disks),
            format!("{:.0}", plan.usd.transfer),
            words::count(plan.predicted.throughput),
            words::millis(plan.predicted.p50),
            words::millis(plan.predicted.p99),
            words::short(plan.bottleneck).to_owned(),
            words::percent(plan.headroom),
        ]);
        table.note(nodes(plan));
    }
    table
}

/// Machines, disks and settings of each node.
fn nodes(plan: &Plan) -> String {
    let log = words::log_disk(&plan.deployment).unwrap_or_else(|| "on the data disk".to_owned());
    let settings = words::settings(&plan.deployment.settings);
    let settings = if settings.is_empty() { String::new() } else { format!(" · {settings}") };
    format!("{} · data {} · log {log}{settings}", words::machines(&plan.deployment), words::data_disk(&plan.deployment))
}

/// Disk types all, families the nearest first.
fn why_not(all: &[WhyNot]) -> Table {
    let (disks, families) = words::nearest_first(all);
    let mut table = Table::new(&["", "because it"], &[]);
    for why in disks.iter().chain(families.iter().take(FAMILIES)) {
        table.row([words::subject(&why.subject), words::why_not(why)]);
    }
    if let Some(hidden) = families.len().checked_sub(FAMILIES).filter(|hidden| *hidden > 0) {
        table.row(["…".to_owned(), format!("{hidden} more families are in --json and in the report of --out")]);
    }
    table
}

fn uncertainty(answer: &PlanResult) -> Option<String> {
    let uncertainty = answer.uncertainty.as_ref()?;
    let mut table = Table::new(&["", "$/month", "nodes", "odds of missing", "mean regret", ""], &[0, 1, 3, 4]);
    let fates = uncertainty.odds_of_missing.iter().zip(&uncertainty.regret);
    for (i, (plan, (odds, regret))) in answer.plans.iter().zip(fates).enumerate() {
        table.row([
            (i + 1).to_string(),
            format!("{:.0}", plan.monthly()),
            words::machines(&plan.deployment),
            words::odds(*odds),
            format!("{regret:.0}"),
            words::fate(uncertainty, i),
        ]);
    }
    let inputs = uncertainty.inputs.iter().map(|(key, interval)| format!("{key} {interval}"));
    let inputs = inputs.collect::<Vec<_>>().join(", ");
    let intro = format!("{} futures sampled over {inputs}", words::count(f64::from(uncertainty.futures)));
    Some(section("If the inputs turn out otherwise", &format!("{}\n{table}", wrap(&intro, WIDTH, 0))))
}

fn foot(planned: &Planned) -> String {
    let answer = &planned.answer;
    let searched = format!(
        "{} layouts evaluated, {} ruled out by a bound, in {:.0} ms.",
        words::count(answer.considered as f64),
        words::count(answer.pruned as f64),
        planned.elapsed_ms
    );
    let not_covered = format!("Not covered: {}", planned.asked.not_covered.join(" "));
    format!("{}\n{}\n", wrap(&searched, WIDTH, 0), wrap(&not_covered, WIDTH, 0))
}
