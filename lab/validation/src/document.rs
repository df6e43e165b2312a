//! What was found, as the tables of a document that is otherwise left alone.

use std::fmt::Write as _;
use std::path::Path;

use textfile::LIMIT;

use crate::effects::{FactorEffect, agree, effects};
use crate::figures::median;
use crate::{
    CalibrationResult, ComparedMetric, GridHalf, RowErrors, TARGETS, ValidateError, ValidationGrid, mean_absolute,
};

/// Where the tables begin in the document.
pub const BEGIN: &str = "<!-- begin: written by `make validate` -->";
/// Where they end.
pub const END: &str = "<!-- end: written by `make validate` -->";

/// The tables: what is promised, each row, what each factor does, and the fitted constants if there are any. `pace` is how many
/// times as long the machine's processors take as by the constants, where that was looked for.
pub fn markdown(
    grid: &ValidationGrid,
    rows: &[RowErrors],
    machine: &str,
    pace: Option<f64>,
    fitted: Option<&CalibrationResult>,
) -> String {
    let mut text = format!("{} of {} rows, measured on {machine}.\n", rows.len(), grid.rows.len());
    if let Some(times) = pace {
        _ = writeln!(
            text,
            "Its processors take {times:.2} times as long for everything as by the constants: found by the calibrating half."
        );
    }
    promised(&mut text, rows);
    signs(&mut text, grid, rows);
    each(&mut text, grid, rows);
    if let Some(fitted) = fitted {
        constants(&mut text, fitted);
    }
    text
}

fn percent(share: f64) -> String {
    format!("{:+.0} %", 100.0 * share)
}

fn mean(rows: &[RowErrors], half: GridHalf, metric: ComparedMetric) -> (usize, Option<f64>) {
    let errors = RowErrors::of_half(rows, half, metric);
    (errors.len(), mean_absolute(errors))
}

/// Mean absolute errors against their targets.
fn promised(text: &mut String, rows: &[RowErrors]) {
    *text += "\n### Mean absolute errors\n\n| of | promised | calibrated on | rows | predicted | rows | |\n|---|---|---|---|---|---|---|\n";
    for metric in ComparedMetric::ALL {
        let [fitted, predicted] = GridHalf::ALL.map(|half| mean(rows, half, metric));
        let show = |mean: Option<f64>| mean.map_or("-".to_owned(), |mean| format!("{:.1} %", 100.0 * mean));
        let target = TARGETS.iter().find(|target| target.metric == metric);
        let promise = target.map_or("-".to_owned(), |target| format!("{:.0} %", 100.0 * target.most));
        let verdict = match (target, predicted.1) {
            (Some(target), Some(mean)) if mean <= target.most => "kept",
            (Some(_), Some(_)) => "missed",
            _ => "",
        };
        let name = metric.name();
        let (one, other) = (show(fitted.1), show(predicted.1));
        _ = writeln!(text, "| {name} | {promise} | {one} | {} | {other} | {} | {verdict} |", fitted.0, predicted.0);
    }
    let all: Vec<f64> =
        ComparedMetric::ALL.iter().flat_map(|metric| RowErrors::of_half(rows, GridHalf::Predict, *metric)).collect();
    if let Some(median) = median(all.iter().map(|error| error.abs()).collect()) {
        _ = writeln!(text, "\nMedian of all absolute errors of the predicted half: {:.1} %.", 100.0 * median);
    }
}

/// What each factor does, on both sides.
fn signs(text: &mut String, grid: &ValidationGrid, rows: &[RowErrors]) {
    let of = |metric: ComparedMetric, predicted: bool| -> Option<Vec<FactorEffect>> {
        let values: Vec<_> = rows
            .iter()
            .filter_map(|row| {
                let measured = row.measured(metric)?;
                let value = if predicted { metric.of(&row.predicted)? } else { measured };
                // An open loop decides its rate itself: what counts is how much of what comes is carried.
                let value = if metric == ComparedMetric::Throughput { value / row.setup.most() } else { value };
                grid.rows.iter().find(|one| one.name == row.setup.name).map(|one| (one, value))
            })
            .collect();
        effects(grid, &values)
    };
    *text += "\n### Signs of effects\n\nFrom a factor's first level to another, the other factors being equal: main effects by least squares over both halves. An\neffect of less than two standard errors has no sign to agree with.\n\n";
    *text += "| factor | from | to | metric | measured | predicted | sign |\n|---|---|---|---|---|---|---|\n";
    let (mut agreed, mut seen) = (0, 0);
    for metric in TARGETS.map(|target| target.metric) {
        let (Some(measured), Some(predicted)) = (of(metric, false), of(metric, true)) else { continue };
        for effect in &measured {
            let same = |other: &&FactorEffect| other.factor == effect.factor && other.levels == effect.levels;
            let Some(other) = predicted.iter().find(same) else { continue };
            let verdict = match agree(effect, other) {
                None => "none to see",
                Some(true) => "agrees",
                Some(false) => "**differs**",
            };
            seen += usize::from(agree(effect, other).is_some());
            agreed += usize::from(agree(effect, other) == Some(true));
            let [from, to] = &effect.levels;
            let show = |effect: &FactorEffect| {
                let (ratio, error) = (effect.log_ratio.exp(), effect.standard_error);
                format!("× {ratio:.2} (± {:.0} %)", 100.0 * error.exp_m1())
            };
            let (found, ours) = (show(effect), show(other));
            _ = writeln!(
                text,
                "| {} | {from} | {to} | {} | {found} | {ours} | {verdict} |",
                effect.factor,
                metric.name()
            );
        }
    }
    _ = writeln!(text, "\n{agreed} of {seen} signs agree.");
}

/// Each row with what was measured, predicted, and the error.
fn each(text: &mut String, grid: &ValidationGrid, rows: &[RowErrors]) {
    *text += "\n### Each row\n\nOperations a second, milliseconds, MiB a second of all nodes, share of blocks in the cache, seconds of each second that writers\nwere held up, all of them together: predicted / measured, and the error where there is one to tell.\n";
    for half in GridHalf::ALL {
        _ = write!(text, "\n#### {}\n\n| row | levels | throughput | p50 | p99 |", half.name());
        *text += " compaction | flush | cache | held up | others | stolen |\n|---|---|---|---|---|---|---|---|---|---|---|\n";
        for row in rows.iter().filter(|row| row.half == half) {
            let (ours, theirs) = (&row.predicted, &row.measured);
            let pair = |metric: ComparedMetric, scale: f64, digits: usize| {
                let show =
                    |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{:.digits$}", value / scale));
                let error = row.of(metric).map_or(String::new(), |error| format!(" ({})", percent(error)));
                format!("{} / {}{error}", show(metric.of(ours)), show(metric.of(theirs)))
            };
            let share = |rate: Option<f64>| rate.map_or("-".to_owned(), |rate| format!("{:.0} %", 100.0 * rate));
            const MIB: f64 = 1_048_576.0;
            let levels = grid.rows.iter().find(|one| one.name == row.setup.name).map(|one| one.levels.join(", "));
            _ = writeln!(
                text,
                "| {} | {} | {} | {} | {} | {} | {} | {} / {} | {:.2} / {:.2} | {:.0} % | {:.0} % |",
                row.setup.name,
                levels.unwrap_or_default(),
                pair(ComparedMetric::Throughput, 1.0, 0),
                pair(ComparedMetric::P50, 1.0, 2),
                pair(ComparedMetric::P99, 1.0, 1),
                pair(ComparedMetric::Compaction, MIB, 1),
                pair(ComparedMetric::Flush, MIB, 1),
                share(ours.cache_hit_rate),
                share(theirs.cache_hit_rate),
                ours.held_up,
                theirs.held_up,
                100.0 * row.busy.others,
                100.0 * row.busy.stolen,
            );
        }
    }
}

/// The fitted constants.
fn constants(text: &mut String, fitted: &CalibrationResult) {
    let [before, after] = fitted.cost;
    _ = write!(
        text,
        "\n### Fitted constants\n\nFitted to the calibrating half only, which was simulated {} times. The mean of error over target, errors over 200 %\ncounting as those, went from {before:.2} to {after:.2}.\n\n| constant | before | after | least | most | |\n|---|---|---|---|---|---|\n",
        fitted.asked
    );
    for (bound, before, after) in &fitted.changed {
        let note = if bound.is_at_end(*after) { "at its bound" } else { "" };
        let (name, low, high) = (&bound.name, bound.low, bound.high);
        _ = writeln!(text, "| `{name}` | {before:.3e} | {after:.3e} | {low:.2e} | {high:.2e} | {note} |");
    }
}

/// Puts a text between the marks of a document, as a whole or not at all.
///
/// # Errors
/// When the document is not there, cannot be written or has no marks.
pub fn replace(document: &Path, text: &str) -> Result<(), ValidateError> {
    let old = textfile::read_text(document, LIMIT)?;
    let lacks = |mark| ValidateError::NoMark { path: document.to_owned(), mark };
    let (before, rest) = old.content().split_once(BEGIN).ok_or_else(|| lacks(BEGIN))?;
    let (_, after) = rest.split_once(END).ok_or_else(|| lacks(END))?;
    Ok(textfile::write_atomically(document, format!("{before}{BEGIN}\n\n{text}\n{END}{after}").as_bytes())?)
}

#[cfg(test)]
#[path = "document_tests.rs"]
mod tests;
