//! The answer of `simulate --sweep`: many runs in a table.

use std::path::PathBuf;

use serde_json::{Value, json};
use simulate::{RunSummary, SweepRun};
use units::Nanos;

use super::simulate::document as run_document;
use crate::text::{Table, bold, line_width, wrap};
use crate::words;

/// Columns of the table that settings may take; with more, each run's settings stand below its numbers.
const SETTINGS: usize = 42;

/// A run of a sweep as JSON.
pub fn document(row: &SweepRun) -> Value {
    let choices: serde_json::Map<_, _> =
        row.variant.choices.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
    match &row.result {
        Ok((summary, cost)) => {
            let mut run = run_document(row.variant.setup.options.seed, summary);
            run["choices"] = json!(choices);
            run["usd"] = json!({
                "monthly": cost.monthly().0, "machines": cost.machines.0, "transfer": cost.transfer.0,
                "per_million": cost.per_million.map(|usd| usd.0),
            });
            run
        }
        Err(why) => json!({ "choices": choices, "refused": why.to_string() }),
    }
}

/// What held a run up most, and whether it was carried.
pub(super) fn bound(summary: &RunSummary) -> String {
    if let Some(full) = &summary.full {
        return format!("disk of {} full after {:.0} s", full.node, full.at.as_secs_f64());
    }
    let most = summary.bound.first().map(|bound| format!("{} ({})", bound.what, words::percent(bound.share)));
    let most = most.unwrap_or_else(|| "nothing".to_owned());
    if summary.saturated.is_some() { format!("saturated: {most}") } else { most }
}

/// The best runs in a sentence.
pub(super) fn answer(runs: &[SweepRun]) -> String {
    let Some((best, summary)) = simulate::fastest(runs) else { return "No run carried what came.".to_owned() };
    let mut text = format!("Most: {} {} with {}.", words::count(summary.throughput), summary.unit, best.choices());
    if let Some((cheapest, usd)) = simulate::cheapest(runs) {
        text += &format!(" Cheapest: ${:.3} a million operations with {}.", usd.0, cheapest.choices());
    }
    text
}

/// The answer as text: `took` seconds of real time, `written` are the files that hold it.
pub fn text(rows: &[SweepRun], took: f64, written: &[PathBuf]) -> String {
    let mut text = bold(&wrap(&answer(rows), line_width(), 0)) + "\n\n" + &table(rows).to_string();
    text += &format!(
        "\n{} runs in {took:.1} s; p50 and p99 in ms, costs in $ with the traffic between zones\n",
        rows.len()
    );
    for path in written {
        text += &format!("written to {}\n", path.display());
    }
    text
}

fn table(rows: &[SweepRun]) -> Table {
    let names: Vec<&str> = rows.first().map_or_else(Vec::new, |row| row.variant.choices.iter().map(|c| c.0).collect());
    let widest = |i: usize| rows.iter().map(|row| row.variant.choices[i].1.chars().count()).max().unwrap_or(0);
    let width: usize = names.iter().enumerate().map(|(i, name)| widest(i).max(name.len()) + 2).sum();
    let beside = width <= SETTINGS;
    let unit = rows.iter().find_map(|row| row.result.as_ref().ok()).map_or("", |(summary, _)| summary.unit);
    let mut head: Vec<&str> = if beside { names.clone() } else { vec![""] };
    let first = head.len();
    head.extend([unit, "p50", "p99", "$/month", "$/million", "held up most by"]);
    let mut table = Table::new(&head, &(first..first + 5).collect::<Vec<_>>());
    for (number, row) in rows.iter().enumerate() {
        let values = row.variant.choices.iter().map(|(_, value)| value.clone());
        let mut cells: Vec<String> = if beside { values.collect() } else { vec![(number + 1).to_string()] };
        match &row.result {
            Ok((summary, cost)) => {
                let millis = |of: fn(&simulate::LatencySummary) -> Nanos| {
                    summary.latency.as_ref().map_or("-".to_owned(), |l| words::count(of(l).as_millis_f64()))
                };
                cells.extend([words::count(summary.throughput), millis(|l| l.p50), millis(|l| l.p99)]);
                cells.push(format!("{:.0}", cost.monthly()));
                cells.push(cost.per_million.map_or("-".to_owned(), |usd| format!("{usd:.3}")));
                cells.push(bound(summary));
            }
            Err(_) => {
                cells.extend(std::iter::repeat_n("-".to_owned(), 5));
                cells.push("cannot start".to_owned());
            }
        }
        table.row(cells);
        if !beside {
            table.note(row.choices());
        }
        if let Err(why) = &row.result {
            table.note(why.to_string());
        }
    }
    table
}
