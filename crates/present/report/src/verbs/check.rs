//! The answer of `check`: which limits a deployment is asked more of than they deliver.

use deployment::{CheckReport, DeploymentCosts, DeploymentError, LimitLine, RatesInVain};
use engine::ClosedLoop;
use serde_json::{Value, json};
use workload::Task;

use crate::text::{Table, bold, green, line_width, red, wrap, yellow};
use crate::words;

/// A deployment held to what is asked of it.
#[derive(Debug)]
pub struct CheckedDeployment {
    /// Each limit with what is asked and what is delivered.
    pub report: CheckReport,
    /// Its price a month, or why that is not known.
    pub monthly: Result<DeploymentCosts, DeploymentError>,
    /// The workload's clients, where they are too few for its target.
    pub short: Option<(ClosedLoop, Task)>,
    /// Volumes that sell more than their instance lets through.
    pub in_vain: Vec<RatesInVain>,
    /// Up to how many times what was measured was asked for, where it was measured at a full disk.
    pub at_least: Option<f64>,
    /// Whether nothing is asked: then it is told whether volumes and instances fit.
    pub nothing_asked: bool,
}

impl CheckedDeployment {
    /// Whether it delivers what is asked.
    pub fn delivers(&self) -> bool {
        self.report.deliverable && self.short.is_none() && !(self.nothing_asked && !self.in_vain.is_empty())
    }
}

/// The answer as JSON.
pub fn document(checked: &CheckedDeployment) -> Value {
    let mut document = serde_json::to_value(&checked.report).expect("reports have text keys only");
    document["monthly_usd"] = json!(checked.monthly.as_ref().ok().map(|costs| costs.total().0));
    document["rates_in_vain"] = json!(checked.in_vain);
    document["measured_at_limit_times"] = json!(checked.at_least);
    document["closed_loop"] = json!(checked.short.as_ref().map(|(short, _)| short));
    document
}

/// The answer as text.
pub fn text(checked: &CheckedDeployment) -> String {
    let CheckedDeployment { report, monthly, short, in_vain, at_least, nothing_asked } = checked;
    let few = short
        .as_ref()
        .map(|(short, task)| red(&wrap(&too_few(short, task), line_width(), 0)) + "\n")
        .unwrap_or_default();
    let cost = wrap(&cost(monthly), line_width(), 0);
    let vain: String =
        in_vain.iter().map(|group| format!("{}\n", wrap(&paid_in_vain(group), line_width(), 0))).collect();
    if *nothing_asked {
        return format!("{}\n{vain}{cost}\n", fits(in_vain));
    }
    let censored =
        at_least.map(|times| format!("{}\n", yellow(&wrap(&censored(times), line_width(), 0)))).unwrap_or_default();
    format!("{}\n{few}{censored}{vain}{cost}\n\n{}", headline(report), table(report))
}

/// The price, or why it is not known.
pub(super) fn cost(monthly: &Result<DeploymentCosts, DeploymentError>) -> String {
    match monthly {
        Ok(costs) => format!(
            "It costs {} a month without traffic: compute {:.0}, disks {:.0}.",
            costs.total(),
            costs.compute,
            costs.disks
        ),
        Err(error) => format!("Its price is not known: {error}."),
    }
}

/// Whether volumes and instances fit, where nothing is asked.
fn fits(in_vain: &[RatesInVain]) -> String {
    if in_vain.is_empty() {
        return bold(&green("It fits: every instance lets through what its volumes sell."));
    }
    bold(&red("It does not fit: volumes sell more than their instance lets through."))
}

/// Which rates cannot pass, and what that costs.
fn paid_in_vain(group: &RatesInVain) -> String {
    let [sold, passes] = group.iops;
    let iops = (sold > passes).then(|| format!("{} of {} IOPS", words::count(passes.0), words::count(sold.0)));
    let [sold, passes] = group.throughput;
    let throughput = (sold > passes)
        .then(|| format!("{} of {} MiB/s", words::count(passes.as_mib().floor()), words::count(sold.as_mib())));
    let rates: Vec<String> = [iops, throughput].into_iter().flatten().collect();
    let saved = match (&group.enough, group.monthly_usd_saved) {
        (Some(enough), Some(usd)) => {
            format!(": {enough} instead of {} would do, for ${:.2} a month less on each node", group.disk, usd.0)
        }
        _ => String::new(),
    };
    let what = if saved.is_empty() { "Cannot pass" } else { "Paid for in vain" };
    format!("{what}: {} lets {} of its volumes through for good{saved}.", group.instance, rates.join(" and "))
}

/// That the demand is known from below only.
fn censored(times: f64) -> String {
    format!(
        "What was measured is the least that was asked for: the disk was full when it was measured, and requests waited. By their \
         wait up to {times:.1} times as much was asked; the middle is taken here. Measure below the limit to know."
    )
}

/// That the clients are too few for the target, and what would do.
pub(super) fn too_few(short: &ClosedLoop, task: &Task) -> String {
    let ms = |seconds: f64| format!("{} ms", words::significant(seconds * 1e3));
    let faster = if short.latency_needed > 0.0 {
        format!(", or one takes {} at most", ms(short.latency_needed))
    } else {
        String::new()
    };
    format!(
        "The {} clients send {} {} at most of the {} asked: an operation takes {} in the mean. The target is reached with {} clients{faster}.",
        words::count(short.clients),
        words::count(short.reached),
        task.profile.unit.name,
        words::count(task.targets.throughput),
        ms(short.latency),
        words::count(short.clients_needed)
    )
}

/// The answer in a sentence.
fn headline(report: &CheckReport) -> String {
    bold(&wrap(&sentence(report), line_width(), 0))
}

/// The same without style.
pub(super) fn sentence(report: &CheckReport) -> String {
    if report.deliverable {
        let fullest = report.lines.iter().max_by(|a, b| a.utilisation.total_cmp(&b.utilisation));
        let fullest =
            fullest.map(|line| format!("; the fullest is {} at {}", name(line), words::percent(line.utilisation)));
        return format!("Deliverable: no limit is exceeded{}.", fullest.unwrap_or_default());
    }
    let over: Vec<String> = report.violations().map(name).collect();
    let carried = match report.carried_seconds() {
        Some(seconds) => format!("Bursts carry it for {}.", span(seconds)),
        None => "No burst carries it.".to_owned(),
    };
    format!("Not deliverable: {} exceeded. {carried}", list(&over))
}

fn table(report: &CheckReport) -> Table {
    let head = ["limit", "of", "asked", "delivered", "unit", "used", ""];
    let mut table = Table::new(&head, &[2, 3, 5]);
    for line in &report.lines {
        let verdict = match (line.violated(), line.burst_seconds) {
            (true, Some(seconds)) => red(&format!("over; a burst carries it for {}", span(seconds))),
            (true, None) => red("over"),
            (false, _) if line.tight() => yellow("tight"),
            (false, _) => green("fine"),
        };
        table.row([
            name(line),
            line.instance.clone(),
            words::count(line.asked),
            words::count(line.delivered),
            line.unit.to_owned(),
            words::percent(line.utilisation),
            verdict,
        ]);
    }
    table
}

pub(super) fn name(line: &LimitLine) -> String {
    line.limit.name().replace('-', " ").replace("iops", "IOPS").replace("cpu", "CPU")
}

/// `a`, `a and b are`, with the verb.
fn list(names: &[String]) -> String {
    match names {
        [] => "nothing is".to_owned(),
        [one] => format!("{one} is"),
        [rest @ .., last] => format!("{} and {last} are", rest.join(", ")),
    }
}

/// Seconds in the unit that people would choose.
pub(super) fn span(seconds: f64) -> String {
    match seconds {
        s if s < 120.0 => format!("{s:.0} s"),
        s if s < 7200.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_and_lists_read_like_sentences() {
        assert_eq!([span(59.6), span(1800.0), span(8000.0)], ["60 s", "30 min", "2.2 h"]);
        let names = ["a", "b", "c"].map(str::to_owned);
        assert_eq!([list(&names[..1]), list(&names)], ["a is", "a, b and c are"]);
    }
}
