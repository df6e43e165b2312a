//! The answer of `availability`: how likely a range loses its quorum, and what brings it back.

use availability::{AvailabilityAssessment, ClusterShape, FailureRate, NodeStorage, QuorumExposure, RateBasis};
use serde_json::{Value, json};

use crate::text::{Table, bold, line_width, wrap};
use crate::words;

/// The assessments as JSON.
pub fn document(assessed: &[(ClusterShape, AvailabilityAssessment)]) -> Value {
    let cases = assessed.iter().map(|(scenario, found)| json!({ "scenario": scenario, "assessment": found }));
    json!({ "scenarios": cases.collect::<Vec<_>>() })
}

/// The assessments as text.
pub fn text(assessed: &[(ClusterShape, AvailabilityAssessment)]) -> String {
    let mut out = String::new();
    for (scenario, found) in assessed {
        let on = name(scenario.storage);
        let sentence = format!(
            "On {on}, some range of the cluster loses its quorum with a probability of {} a year{}.",
            chance(found.cluster.probability_per_year),
            recovery(&found.cluster)
        );
        out += &format!("{}\n", bold(&wrap(&sentence, line_width(), 0)));
    }
    let mut head = vec![""];
    head.extend(assessed.iter().map(|(scenario, _)| name(scenario.storage)));
    let right: Vec<usize> = (1..head.len()).collect();
    let mut table = Table::new(&head, &right);
    let mut row = |label: &str, cell: &dyn Fn(&AvailabilityAssessment) -> String| {
        let cells = assessed.iter().map(|(_, found)| cell(found));
        table.row(std::iter::once(label.to_owned()).chain(cells));
    };
    row("any range loses its quorum, a year", &|a| chance(a.cluster.probability_per_year));
    row("  mean time until it is back", &|a| minutes(a.cluster.minutes_to_recover));
    row("a given range loses its quorum, a year", &|a| chance(a.range.probability_per_year));
    row("  mean time until it is back", &|a| minutes(a.range.minutes_to_recover));
    row("  brought back most often by", &|a| a.range.recovery.map_or_else(dash, |way| way.to_string()));
    row("  minutes a year without it", &|a| number(a.range.unavailable_minutes_per_year));
    row("with a zone and a node elsewhere away, a year", &|a| {
        a.zone_and_node.map_or_else(dash, |loss| chance(loss.losses_per_year))
    });
    row("  mean time until it is back", &|a| minutes(a.zone_and_node.map(|loss| loss.minutes_to_recover)));
    row("  brought back most often by", &|a| a.zone_and_node.map_or_else(dash, |loss| loss.recovery.to_string()));
    row("all copies of a given range lost, a year", &|a| chance(a.data_loss_per_year));
    format!("{out}\n{table}\nRates and their sources: diskwright availability --rates\n")
}

/// The rates that assessments are computed from, with their sources.
pub fn rates(all: &[FailureRate]) -> String {
    let mut table = Table::new(&["rate", "value", "", "meaning"], &[1]);
    for fact in all {
        let basis = if fact.basis == RateBasis::Published { "published" } else { "assumed" };
        let value = if fact.unit == "per year" { format!("{} a year", fact.value) } else { fact.value.clone() };
        table.row([fact.name.as_str(), &value, basis, &fact.meaning]);
        table.note(fact.source.clone());
    }
    table.to_string()
}

fn name(storage: NodeStorage) -> &'static str {
    match storage {
        NodeStorage::Local => "local disks",
        NodeStorage::Reattachable => "volumes",
    }
}

fn recovery(exposure: &QuorumExposure) -> String {
    match (exposure.minutes_to_recover, exposure.recovery) {
        (Some(_), Some(way)) => {
            format!(" and is back after {}, most often: {way}", minutes(exposure.minutes_to_recover))
        }
        _ => String::new(),
    }
}

/// A probability of any size.
fn chance(share: f64) -> String {
    if share >= 0.001 { format!("{} %", words::significant(share * 100.0)) } else { format!("{share:.1e}") }
}

fn number(value: f64) -> String {
    if value >= 0.01 { words::count(value) } else { format!("{value:.1e}") }
}

fn minutes(minutes: Option<f64>) -> String {
    let Some(minutes) = minutes else { return dash() };
    if minutes < 120.0 { format!("{minutes:.0} min") } else { format!("{:.1} h", minutes / 60.0) }
}

fn dash() -> String {
    "-".to_owned()
}
