//! `simulate --sweep`: many runs side by side, as a table.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use report::verbs::{sweep as sweep_report, sweep_page};
use run::{AnswerPatience, ComputedAnswer};
use serde_json::json;
use simulate::{RunSummary, SimulateError, SweepRun, SweepVariant};
use units::Nanos;

use super::out::{self, Out};
use super::{Args, Asked};
use crate::failure::Failure;
use crate::inputs;
use crate::origin::origin;
use crate::output::Output;
use crate::progress::Steps;

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
    let (began, patience) = (Instant::now(), AnswerPatience::new(ComputedAnswer::Simulation, args.patience));
    let results = simulated(asked, &variants, (began, &patience));
    patience.lasted()?;
    // An error of all runs is an error of the inputs that they share.
    if results.iter().all(Result::is_err)
        && let Some(error) = results.iter().find_map(|result| result.as_ref().err())
    {
        return Err(asked.explain(error.clone()));
    }
    let runs = variants.into_iter().zip(results);
    let runs: Vec<SweepRun> = runs.map(|(variant, result)| SweepRun::new(variant, &asked.view, result)).collect();
    let took = began.elapsed().as_secs_f64();
    let mut document = json!({
        "sweep": args.sweep, "runs": runs.iter().map(sweep_report::document).collect::<Vec<_>>(), "elapsed_ms": took * 1e3,
    });
    let written = match &folder {
        None => Vec::new(),
        Some(folder) => {
            inputs::make_folder(folder)?;
            let page = sweep_page::page(asked.title(), &asked.setup, &runs, &asked.view, origin());
            out::texts(folder, &document, &page.html())?
        }
    };
    document["out"] = json!(folder.as_ref().map(|folder| folder.to_string_lossy()));
    let output = if json { Output::json(&document) } else { Output::text(sweep_report::text(&runs, took, &written)) };
    Ok(output.negative(!runs.iter().any(SweepRun::is_carried)))
}

/// Runs all variants, and shows the progress.
fn simulated(
    asked: &Asked,
    variants: &[SweepVariant],
    (began, patience): (Instant, &AnswerPatience),
) -> Vec<Result<RunSummary, SimulateError>> {
    let span = asked.setup.options.span;
    let each: Vec<AtomicU64> = variants.iter().map(|_| AtomicU64::new(0)).collect();
    let total = span.as_secs_f64() * variants.len() as f64;
    let steps = Steps::new(1);
    let watch = |number: usize, now: Nanos| {
        each[number].store(now.0, Ordering::Relaxed);
        let now: f64 = each.iter().map(|at| Nanos(at.load(Ordering::Relaxed)).as_secs_f64()).sum();
        let done = now / total;
        let ended = each.iter().filter(|at| at.load(Ordering::Relaxed) >= span.0).count() as u64;
        steps.at(ended + 1, variants.len() as u64, "runs simulated", patience.left(began.elapsed(), done));
        patience.lasts(began.elapsed(), done)
    };
    let results = simulate::simulate_all(variants, &asked.view, &watch, |run| run.summary);
    steps.end();
    results
}
