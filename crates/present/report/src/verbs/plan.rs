//! The answer of `plan`: as text, the answer first and then the evidence; and as JSON with stable keys.

use std::path::PathBuf;

use plan::{Plan, PlanResult, PlanUncertainty, RejectedCandidate, RejectionReason, WhyNot};
use reference_store::prove::PlanProof;
use serde_json::{Value, json};

use crate::page::Page;
use crate::text::{Table, bold, line_width, wrap};
use crate::verbs::{prove, prove_json};
use crate::{PageQuestion, words};

/// An answer with what it answers.
#[derive(Debug)]
pub struct PlannedAnswer {
    /// The workload's name.
    pub title: String,
    /// What was asked.
    pub asked: PageQuestion,
    /// The answer.
    pub answer: PlanResult,
    /// How long it took, files read included.
    pub elapsed_ms: f64,
    /// What runs of the best plans showed; `None` without `--prove`.
    pub proofs: Option<Vec<PlanProof>>,
}

/// Instance families are many: so many of the cheapest are shown.
const FAMILIES: usize = 8;

/// The answer as text; `written` are the files that hold it.
pub fn text(planned: &PlannedAnswer, written: &[PathBuf]) -> String {
    let answer = &planned.answer;
    let mut sections = vec![bold(&wrap(&words::headline(answer), line_width(), 0)) + "\n", asked(planned)];
    if !answer.shortfalls.is_empty() {
        let items = answer.shortfalls.iter().map(|text| format!("- {}\n", wrap(text, line_width() - 2, 2)));
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
        sections.push(prove::text(proofs));
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

fn asked(planned: &PlannedAnswer) -> String {
    let facts = planned.asked.facts.iter().map(|(name, value)| format!("{}: {value}", name.to_lowercase()));
    let facts = facts.collect::<Vec<_>>().join(" · ");
    format!("{}\n", wrap(&format!("{} · {facts}", planned.title), line_width(), 0))
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
    Some(section("If the inputs turn out otherwise", &format!("{}\n{table}", wrap(&intro, line_width(), 0))))
}

fn foot(planned: &PlannedAnswer) -> String {
    let answer = &planned.answer;
    let searched = format!(
        "{} layouts evaluated, {} ruled out by a bound, in {:.0} ms.",
        words::count(answer.considered as f64),
        words::count(answer.pruned as f64),
        planned.elapsed_ms
    );
    let not_covered = format!("Not covered: {}", planned.asked.not_covered.join(" "));
    format!("{}\n{}\n", wrap(&searched, line_width(), 0), wrap(&not_covered, line_width(), 0))
}

/// The answer as JSON.
pub fn document(planned: &PlannedAnswer) -> Value {
    let answer = &planned.answer;
    json!({
        "elapsed_ms": planned.elapsed_ms,
        "considered": answer.considered,
        "pruned": answer.pruned,
        "plans": answer.plans.iter().map(plan_document).collect::<Vec<_>>(),
        "why_not": answer.why_not.iter().map(why_not_document).collect::<Vec<_>>(),
        "closest": answer.closest.as_ref().map(plan_document),
        "shortfalls": answer.shortfalls,
        "uncertainty": answer.uncertainty.as_ref().map(uncertainty_document),
        "not_covered": planned.asked.not_covered,
        "prove": planned.proofs.as_deref().map(prove_json::document),
    })
}

fn plan_document(plan: &Plan) -> Value {
    let utilisation = plan.utilisation.iter().map(|(resource, share)| json!({ "resource": resource, "share": share }));
    json!({
        "monthly_usd": plan.monthly().0,
        "usd": {
            "compute": plan.usd.compute.0,
            "disks": plan.usd.disks.0,
            "transfer": plan.usd.transfer.0,
        },
        "predicted": {
            "throughput": plan.predicted.throughput,
            "unit": plan.predicted.unit,
            "p50_ms": plan.predicted.p50.as_millis_f64(),
            "p99_ms": plan.predicted.p99.as_millis_f64(),
        },
        "bottleneck": plan.bottleneck,
        "headroom": plan.headroom,
        "utilisation": utilisation.collect::<Vec<_>>(),
        "deployment": plan.deployment,
    })
}

fn why_not_document(why: &WhyNot) -> Value {
    let (kind, name) = match &why.subject {
        RejectedCandidate::Disk(name) => ("disk", name),
        RejectedCandidate::Family(name) => ("family", name),
    };
    let mut value = json!({ "kind": kind, "name": name });
    match &why.reason {
        RejectionReason::Costs { more, best } => {
            value["more_usd"] = json!(more.0);
            value["best"] = plan_document(best);
        }
        RejectionReason::RuledOut { constraint } => value["ruled_out_by"] = json!(constraint),
    }
    value
}

fn uncertainty_document(uncertainty: &PlanUncertainty) -> Value {
    json!({
        "futures": uncertainty.futures,
        "cheapest": uncertainty.cheapest,
        "least_regret": uncertainty.least_regret,
        "odds_of_missing": uncertainty.odds_of_missing,
        "regret_usd": uncertainty.regret.iter().map(|usd| usd.0).collect::<Vec<_>>(),
        "inputs": uncertainty.inputs,
    })
}

/// The files that `plan --out` writes, by name: `report.html`, which is `page`, and each ranked deployment.
pub fn files(planned: &PlannedAnswer, page: &Page) -> Vec<(String, String)> {
    let mut files = vec![("report.html".to_owned(), page.html())];
    for (i, plan) in planned.answer.plans.iter().enumerate() {
        let name = format!("{}-{}.toml", i + 1, slug(&plan.deployment.name));
        files.push((name, plan.deployment.to_toml()));
    }
    files
}

/// A name as part of a file's name.
fn slug(name: &str) -> String {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slug_has_nothing_that_a_shell_minds() {
        assert_eq!(slug("3 x m5.4xlarge on gp3"), "3-x-m5-4xlarge-on-gp3");
        assert_eq!(slug("../a b/ÄC"), "a-b-c");
    }
}
