//! The parts of a plan's page, each a function from the answer to HTML.

use plan::{MonthlyCosts, Plan, PlanResult, RejectedCandidate, RejectionReason, WhyNot};
use units::Usd;

use crate::html::{escape, table};
use crate::{ChartPoint, PageQuestion, PointMark, ScatterChart, words};

/// From this share on a resource is shown as nearly full: queues grow steeply beyond it.
const NEARLY_FULL: f64 = 0.9;
/// What was not chosen is drawn up to so many times the dearest plan's price: the plans must stay apart.
const DRAWN_UP_TO: f64 = 2.0;
/// Families shown at once; the others are folded.
const FAMILIES: usize = 10;

pub(crate) fn asked(asked: &PageQuestion) -> String {
    if asked.facts.is_empty() {
        return String::new();
    }
    let facts = asked.facts.iter().map(|(k, v)| format!("<dt>{}</dt><dd>{}</dd>\n", escape(k), escape(v)));
    format!("<dl>\n{}</dl>\n", facts.collect::<String>())
}

/// What falls short, each by itself.
pub(crate) fn shortfalls(answer: &PlanResult) -> String {
    if answer.shortfalls.is_empty() {
        return String::new();
    }
    let items = answer.shortfalls.iter().map(|text| format!("<li>{}</li>\n", escape(text)));
    format!("<h2>What would have to give</h2>\n<ul>\n{}</ul>\n", items.collect::<String>())
}

/// Cost against throughput: the ranked plans, and the best of what was not chosen.
pub(crate) fn front(asked: &PageQuestion, answer: &PlanResult) -> String {
    let plans = answer.plans.iter().enumerate().map(|(i, plan)| {
        let label = format!("{}: {}", i + 1, words::kind(&plan.deployment));
        point(plan, PointMark::Main, label, format!("{}. ", i + 1))
    });
    let most = answer.plans.iter().map(|plan| plan.monthly().0).fold(0.0, f64::max) * DRAWN_UP_TO;
    let others = answer.why_not.iter().filter_map(|why| match &why.reason {
        RejectionReason::Costs { best, .. } if best.monthly().0 <= most && !answer.plans.contains(best) => {
            let (RejectedCandidate::Disk(name) | RejectedCandidate::Family(name)) = &why.subject;
            let subject = words::subject(&why.subject);
            Some(point(best, PointMark::Other, name.clone(), format!("Best with {subject}: ")))
        }
        _ => None,
    });
    let points: Vec<ChartPoint> = plans.chain(others).collect();
    let Some(unit) = answer.plans.first().map(|plan| plan.predicted.unit) else { return String::new() };
    let chart = ScatterChart {
        label: format!(
            "Chart of monthly cost against sustained throughput of {} deployments; the table below has the numbers.",
            points.len()
        ),
        x: "Cost, $ a month".to_owned(),
        y: format!("Sustained throughput, {unit}"),
        points,
        level: asked.target.map(|target| (target, format!("asked: {} {unit}", words::count(target)))),
    };
    format!(
        "<h2>What more money buys</h2>\n<figure>\n{}<figcaption><span class=\"key one\"></span>ranked plans, \
         <span class=\"key two\"></span>the best of what was not chosen, up to twice the price; the stair joins those \
         that nothing cheaper surpasses.</figcaption>\n</figure>\n",
        chart.svg()
    )
}

fn point(plan: &Plan, mark: PointMark, label: String, prefix: String) -> ChartPoint {
    let Plan { predicted, .. } = plan;
    let hover = format!(
        "{prefix}{} a month, {} {}, p99 {}: {}",
        plan.monthly(),
        words::count(predicted.throughput),
        predicted.unit,
        words::millis(predicted.p99),
        words::layout(plan)
    );
    ChartPoint { x: plan.monthly().0, y: predicted.throughput, label, hover, mark }
}

/// The plans with their numbers; without any, the closest.
pub(crate) fn ranking(answer: &PlanResult) -> String {
    let (heading, plans) = match (&answer.closest, answer.plans.is_empty()) {
        (Some(closest), true) => ("The closest", std::slice::from_ref(closest)),
        _ => ("The cheapest deployments", answer.plans.as_slice()),
    };
    let Some(first) = plans.first() else { return String::new() };
    let throughput = format!("Throughput, {}", escape(first.predicted.unit));
    let head = ["", "$ a month", "Storage nodes and their disks", &throughput, "p50", "p99", "Gives first", "Free"];
    let dearest = plans.iter().map(Plan::monthly).fold(Usd(0.0), |a, b| if b > a { b } else { a });
    let rows = plans.iter().enumerate().map(|(i, plan)| {
        vec![
            (i + 1).to_string(),
            format!("{:.0}{}", plan.monthly(), split(plan.usd, dearest)),
            nodes(plan),
            words::count(plan.predicted.throughput),
            words::millis(plan.predicted.p50),
            words::millis(plan.predicted.p99),
            words::resource(plan.bottleneck).to_owned(),
            words::percent(plan.headroom),
        ]
    });
    let rows: Vec<Vec<String>> = rows.collect();
    format!(
        "<h2>{heading}</h2>\n{}<p class=\"soft\">Cost: <span class=\"key one\">compute</span>, \
         <span class=\"key two\">disks</span>, <span class=\"key three\">traffic between zones</span>. Free: share of \
         the resource that gives first still unused at the target.</p>\n",
        table("Ranked deployments", &head, &[0, 1, 3, 4, 5, 7], &rows)
    )
}

/// The machines, and below them their disks and settings.
fn nodes(plan: &Plan) -> String {
    let log = match words::log_disk(&plan.deployment) {
        Some(log) => format!(" for data, <code>{}</code> for the log", escape(&log)),
        None => " for data and log".to_owned(),
    };
    format!(
        "{}<br/><code>{}</code>{log}<div class=\"soft\">{}</div>",
        escape(&words::machines(&plan.deployment)),
        escape(&words::data_disk(&plan.deployment)),
        escape(&words::settings(&plan.deployment.settings))
    )
}

/// A bar of a month's cost by what it pays for, against the dearest plan's.
fn split(usd: MonthlyCosts, dearest: Usd) -> String {
    let mut left = 0.0;
    let mut parts = String::new();
    for (class, part) in [("one", usd.compute), ("two", usd.disks), ("three", usd.transfer)] {
        let width = if dearest.0 > 0.0 { 100.0 * part.0 / dearest.0 } else { 0.0 };
        parts += &format!("<rect class=\"{class}\" x=\"{left:.2}\" width=\"{width:.2}\" height=\"10\"/>");
        left += width;
    }
    let label =
        format!("compute {:.0}, disks {:.0}, traffic between zones {:.0}", usd.compute, usd.disks, usd.transfer);
    format!(
        "<svg class=\"split\" viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{label}\">\
         <title>{label}</title>{parts}</svg>"
    )
}

/// How full each resource of the best plan is at the target load.
pub(crate) fn utilisation(answer: &PlanResult) -> String {
    let Some(best) = answer.plans.first().or(answer.closest.as_ref()) else { return String::new() };
    // A log without a disk of its own takes nothing of one.
    let used = best.utilisation.iter().filter(|(_, share)| *share > 0.0);
    let bars = used.map(|(resource, share)| {
        let (name, text) = (words::resource(*resource), words::percent(*share));
        let class = if *share >= NEARLY_FULL { "hot" } else { "one" };
        let width = 100.0 * share.clamp(0.0, 1.0);
        format!(
            "<span>{name}</span><svg viewBox=\"0 0 100 14\" preserveAspectRatio=\"none\" role=\"img\" \
             aria-label=\"{name} {text} in use\"><rect class=\"track\" width=\"100\" height=\"14\"/>\
             <rect class=\"{class}\" width=\"{width:.1}\" height=\"14\"/></svg><span class=\"n\">{text}</span>\n"
        )
    });
    let bars: String = bars.collect();
    let whose = if answer.plans.is_empty() { "the closest deployment" } else { "the cheapest deployment" };
    format!("<h2>How full {whose} is at the target</h2>\n<div class=\"bars\">\n{bars}</div>\n")
}

pub(crate) fn why_not(answer: &PlanResult) -> String {
    if answer.why_not.is_empty() {
        return String::new();
    }
    let (disks, families) = words::nearest_first(&answer.why_not);
    let (shown, folded) = families.split_at(families.len().min(FAMILIES));
    let rows = |whys: &mut dyn Iterator<Item = &&WhyNot>| -> Vec<Vec<String>> {
        whys.map(|why| vec![escape(&words::subject(&why.subject)), escape(&words::why_not(why))]).collect()
    };
    let head = ["", "Because it"];
    let first = table("What was not chosen, and why", &head, &[], &rows(&mut disks.iter().chain(shown)));
    let rest = match folded.len() {
        0 => String::new(),
        n => {
            let rest = table("More families", &head, &[], &rows(&mut folded.iter()));
            format!("<details>\n<summary>{n} more families</summary>\n{rest}</details>\n")
        }
    };
    format!("<h2>Why not</h2>\n{first}{rest}")
}

/// How the plans fare when the uncertain inputs are sampled.
pub(crate) fn uncertainty(answer: &PlanResult) -> String {
    let Some(uncertainty) = &answer.uncertainty else { return String::new() };
    let inputs = uncertainty.inputs.iter().map(|(key, text)| format!("{key} {text}"));
    let inputs = inputs.collect::<Vec<_>>().join(", ");
    let rows = answer.plans.iter().zip(&uncertainty.odds_of_missing).zip(&uncertainty.regret).enumerate();
    let rows = rows.map(|(i, ((plan, odds), regret))| {
        vec![
            (i + 1).to_string(),
            escape(&words::machines(&plan.deployment)),
            format!("{:.0}", plan.monthly()),
            words::odds(*odds),
            format!("{regret:.0}"),
            words::fate(uncertainty, i),
        ]
    });
    let rows: Vec<Vec<String>> = rows.collect();
    let head = ["", "Storage nodes", "$ a month", "Odds of missing a target", "Mean regret, $ a month", ""];
    format!(
        "<h2>If the inputs turn out otherwise</h2>\n<p>{} futures were sampled over {}.</p>\n{}",
        words::count(f64::from(uncertainty.futures)),
        escape(&inputs),
        table("Plans over sampled futures", &head, &[0, 2, 3, 4], &rows)
    )
}

pub(crate) fn foot(asked: &PageQuestion, answer: &PlanResult) -> String {
    let items = asked.not_covered.iter().map(|text| format!("<li>{}</li>\n", escape(text)));
    format!(
        "<footer>\n<p>{} layouts evaluated, {} ruled out by a bound. Not covered:</p>\n<ul>\n{}</ul>\n</footer>\n",
        words::count(answer.considered as f64),
        words::count(answer.pruned as f64),
        items.collect::<String>()
    )
}
