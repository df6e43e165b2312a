//! Runs as text and as JSON.

use std::path::Path;

use ::pilot::{JournalReplay, ProcedureRun, StepSubject};
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::output::{bold, yellow};
use crate::table::{Table, WIDTH, wrap};

/// A sentence on lines of its own.
pub(super) fn sentence(text: &str) -> String {
    format!("{}\n", wrap(text, WIDTH - 2, 2))
}

/// A run with stable keys.
pub(super) fn value(run: &ProcedureRun) -> Value {
    let steps = run.procedure.steps().map(|(at, step)| {
        let made = run.steps.get(&at);
        json!({
            "step": step, "says": step.to_string(),
            "before": made.map(|made| &made.before), "found": made.and_then(|made| made.found.as_ref()),
            "came": made.and_then(|made| made.came.as_ref()), "undone": made.and_then(|made| made.undone.as_ref()),
        })
    });
    json!({
        "run": run.number, "began": run.began.to_string(), "last": run.last.to_string(), "controller": run.controller,
        "reason": run.reason, "name": run.procedure.name, "standing": run.standing(), "open": run.ended.is_none(),
        "undoable": run.holds(), "undone_because": run.turned, "expects": run.expects, "steps": steps.collect::<Vec<_>>(),
    })
}

/// Runs that cannot be undone, for a line of theirs is lost.
pub(super) fn refused_values(replay: &JournalReplay) -> Vec<Value> {
    let refused = replay.refused.iter();
    refused
        .map(|(number, refused)| {
            json!({ "run": number, "why": refused.why, "says": refused.to_string(), "known": refused.run.as_ref().map(value) })
        })
        .collect()
}

/// Why a document is not all of an answer, where failures have it.
pub(super) fn add_error(document: &mut Value, failure: Option<&Failure>) {
    if let Some(failure) = failure {
        document["error"] = failure.document();
    }
}

/// What a kill switch does where no pilot works.
pub(super) fn none_works(folder: &Path, open: usize) -> String {
    let mut said = format!(
        "no pilot works in {}: none was stopped, and none begins there until `diskwright pilot stop --clear`\n",
        folder.display()
    );
    if open > 0 {
        let runs = if open == 1 { "1 run is".to_owned() } else { format!("{open} runs are") };
        said += &format!(
            "{runs} under way in its journal, and stays so: `diskwright pilot undo --all` takes back what it can\n"
        );
    }
    said
}

/// A subject as it is now.
pub(super) fn reading(subject: &StepSubject, is: &Result<Value, String>) -> Value {
    json!({ "subject": subject, "says": subject.to_string(), "is": is.as_ref().ok(), "error": is.as_ref().err() })
}

/// What would be done, and how it is.
pub(super) fn would(would: &[String], before: &[(StepSubject, Result<Value, String>)]) -> String {
    let mut table = Table::new(&["would", "now"], &[]);
    for (step, (_, is)) in would.iter().zip(before) {
        let is = is.as_ref().map_or_else(|why| yellow(why), shown);
        table.row([step.clone(), is]);
    }
    format!("{table}Nothing was changed: --act lets it.\n")
}

fn shown(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Runs under a head, the last first.
pub(super) fn runs<'r>(runs: impl Iterator<Item = &'r ProcedureRun>) -> String {
    let mut table = Table::new(&["run", "began", "by", "what"], &[0]);
    for run in runs {
        let began = format!("{:.0}", run.began);
        table.row([run.number.to_string(), began, run.controller.clone(), run.procedure.name.clone()]);
        let standing = if run.ended.is_none() { bold(&run.standing()) } else { run.standing() };
        let undo = if run.ended.is_some() && run.holds() { ", can be undone" } else { "" };
        table.note(format!("{standing}{undo}: {}", run.reason));
    }
    table.to_string()
}
