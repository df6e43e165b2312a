//! `simulate --sweep`: many runs side by side, as a table.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

use report::{SweepPage, SweepRow, words};
use serde_json::{Value, json};
use simulate::{RunCost, RunSummary, SimulateError, SweepVariant};
use units::{Nanos, Usd};

use super::json::document;
use super::out::{self, Out, TRUST};
use super::patience::Patience;
use super::{Args, Asked};
use crate::failure::Failure;
use crate::output::{Output, bold};
use crate::progress::Steps;
use crate::table::{Table, WIDTH, wrap};

/// Columns of the table that settings may take; with more, each run's stand below its numbers.
const SETTINGS: usize = 42;

/// What became of one run.
struct Row {
    variant: SweepVariant,
    result: Result<(RunSummary, RunCost), String>,
}

pub(super) fn run(args: &Args, asked: &Asked, json: bool) -> Result<Output, Failure> {
    let folder = match args.out.as_deref().map(Out::of).transpose()? {
        Some(Out::File(path)) => {
            return Err(Failure::input(format!(
                "{}: a sweep has many runs and no one Timeline; name a folder with --out",
                path.display()
            )));
        }
        Some(Out::Folder(folder)) => Some(folder),
        None => None,
    };
    let variants = simulate::variants(&asked.setup, &args.sweep).map_err(|error| Failure::input(error.to_string()))?;
    let patience = Patience::new(args.patience);
    let results = simulated(asked, &variants, &patience);
    patience.kept()?;
    // What none of them can do is wrong with what is common to them.
    if results.iter().all(Result::is_err)
        && let Some(error) = results.iter().find_map(|result| result.as_ref().err())
    {
        return Err(asked.explain(error.clone()));
    }
    let rows: Vec<Row> =
        variants.into_iter().zip(results).map(|(variant, result)| Row::new(asked, variant, result)).collect();
    let took = patience.seconds();
    let answer = answer(&rows);
    let mut document = json!({
        "sweep": args.sweep, "runs": rows.iter().map(Row::document).collect::<Vec<_>>(), "elapsed_ms": took * 1e3,
    });
    let written = match &folder {
        None => Vec::new(),
        Some(folder) => {
            out::make(folder)?;
            out::texts(folder, &document, &page(asked, &rows, &answer))?
        }
    };
    document["out"] = json!(folder.as_ref().map(|folder| folder.to_string_lossy()));
    let output = if json { Output::json(&document) } else { Output::text(text(&rows, &answer, took, &written)) };
    Ok(output.negative(!rows.iter().any(Row::carried)))
}

/// Runs all, and tells how far they are.
fn simulated(asked: &Asked, variants: &[SweepVariant], patience: &Patience) -> Vec<Result<RunSummary, SimulateError>> {
    let span = asked.setup.options.span;
    let each: Vec<AtomicU64> = variants.iter().map(|_| AtomicU64::new(0)).collect();
    let total = span.as_secs_f64() * variants.len() as f64;
    let steps = Steps::new(1);
    let watch = |number: usize, now: Nanos| {
        each[number].store(now.0, Ordering::Relaxed);
        let now: f64 = each.iter().map(|at| Nanos(at.load(Ordering::Relaxed)).as_secs_f64()).sum();
        let done = now / total;
        let ended = each.iter().filter(|at| at.load(Ordering::Relaxed) >= span.0).count() as u64;
        steps.at(ended + 1, variants.len() as u64, "runs simulated", patience.left(done));
        patience.lasts(done)
    };
    let results = simulate::simulate_all(variants, &asked.view, &watch, |run| run.summary);
    steps.end();
    results
}

impl Row {
    fn new(asked: &Asked, variant: SweepVariant, result: Result<RunSummary, SimulateError>) -> Self {
        let result = result.map_err(|error| error.to_string()).and_then(|summary| {
            let cost =
                RunCost::of(&variant.setup.deployment, &asked.view, &summary).map_err(|error| error.to_string())?;
            Ok((summary, cost))
        });
        Self { variant, result }
    }

    /// Whether all that came was carried.
    fn carried(&self) -> bool {
        self.result.as_ref().is_ok_and(|(summary, _)| summary.saturated.is_none() && summary.full.is_none())
    }

    fn choices(&self) -> String {
        let choice = |(name, value): &(&str, String)| format!("{name} {value}");
        self.variant.choices.iter().map(choice).collect::<Vec<_>>().join(", ")
    }

    fn document(&self) -> Value {
        let choices: serde_json::Map<_, _> =
            self.variant.choices.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
        match &self.result {
            Ok((summary, cost)) => {
                let mut run = document(self.variant.setup.options.seed, summary);
                run["choices"] = json!(choices);
                run["usd"] = json!({
                    "monthly": cost.monthly().0, "machines": cost.machines.0, "transfer": cost.transfer.0,
                    "per_million": cost.per_million.map(|usd| usd.0),
                });
                run
            }
            Err(why) => json!({ "choices": choices, "refused": why }),
        }
    }
}

/// What held a run up most, and whether it was carried.
fn bound(summary: &RunSummary) -> String {
    if let Some(full) = &summary.full {
        return format!("disk of {} full after {:.0} s", full.node, full.at.as_secs_f64());
    }
    let most = summary.bound.first().map(|bound| format!("{} ({})", bound.what, words::percent(bound.share)));
    let most = most.unwrap_or_else(|| "nothing".to_owned());
    if summary.saturated.is_some() { format!("saturated: {most}") } else { most }
}

/// The best run in a sentence, of those that carried what came.
fn answer(rows: &[Row]) -> String {
    let carried = || {
        let ran = rows.iter().filter(|row| row.carried());
        ran.filter_map(|row| row.result.as_ref().ok().map(|(summary, cost)| (row, summary, cost)))
    };
    let Some((best, summary, _)) = carried().max_by(|a, b| a.1.throughput.total_cmp(&b.1.throughput)) else {
        return "No run carried what came.".to_owned();
    };
    let mut text = format!("Most: {} {} with {}.", words::count(summary.throughput), summary.unit, best.choices());
    let price = |cost: &RunCost| cost.per_million.unwrap_or(Usd(f64::INFINITY)).0;
    if let Some((cheapest, _, cost)) = carried().min_by(|a, b| price(a.2).total_cmp(&price(b.2)))
        && let Some(usd) = cost.per_million
    {
        text += &format!(" Cheapest: ${:.3} a million operations with {}.", usd.0, cheapest.choices());
    }
    text
}

fn text(rows: &[Row], answer: &str, took: f64, written: &[PathBuf]) -> String {
    let mut text = bold(&wrap(answer, WIDTH, 0)) + "\n\n" + &table(rows).to_string();
    text += &format!(
        "\n{} runs in {took:.1} s; p50 and p99 in ms, costs in $ with the traffic between zones\n",
        rows.len()
    );
    for path in written {
        text += &format!("written to {}\n", path.display());
    }
    text
}

fn table(rows: &[Row]) -> Table {
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
            table.note(why.clone());
        }
    }
    table
}

fn page(asked: &Asked, rows: &[Row], answer: &str) -> String {
    let row = |row: &Row| {
        let (summary, cost) = row.result.as_ref().ok()?;
        Some(SweepRow {
            values: row.variant.choices.iter().map(|(_, value)| value.clone()).collect(),
            throughput: summary.throughput,
            latency: summary.latency.map(|l| (l.p50.as_millis_f64(), l.p99.as_millis_f64())),
            monthly: cost.monthly().0,
            per_million: cost.per_million.map(|usd| usd.0),
            bound: bound(summary),
        })
    };
    let refused = rows.iter().filter_map(|row| Some(format!("{}: {}", row.choices(), row.result.as_ref().err()?)));
    let first = rows.first().map(|row| &row.variant);
    report::sweep_page(&SweepPage {
        title: asked.title(),
        answer: answer.to_owned(),
        settings: first.map_or_else(Vec::new, |v| v.choices.iter().map(|(name, _)| (*name).to_owned()).collect()),
        unit: asked.setup.task.profile.unit.name.to_owned(),
        rows: rows.iter().filter_map(row).collect(),
        notes: refused.chain([TRUST.to_owned()]).collect(),
    })
}
