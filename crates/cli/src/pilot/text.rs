//! Runs as text and as JSON.

use ::pilot::{Run, Subject};
use serde_json::{Value, json};

use crate::output::{bold, yellow};
use crate::table::{Table, WIDTH, wrap};

/// A sentence on lines of its own.
pub(super) fn sentence(text: &str) -> String {
    format!("{}\n", wrap(text, WIDTH - 2, 2))
}

/// A run with stable keys.
pub(super) fn value(run: &Run) -> Value {
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

/// A subject as it is now.
pub(super) fn reading(subject: &Subject, is: &Result<Value, String>) -> Value {
    json!({ "subject": subject, "says": subject.to_string(), "is": is.as_ref().ok(), "error": is.as_ref().err() })
}

/// What would be done, and how it is.
pub(super) fn would(would: &[String], before: &[(Subject, Result<Value, String>)]) -> String {
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
pub(super) fn runs<'r>(runs: impl Iterator<Item = &'r Run>) -> String {
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
