//! The answers of `pilot`: runs, the lock, and rehearsals.

use std::path::Path;

use maintenance::emulator::{AnnouncedEvent, PlannedEvent};
use pilot::{JournalReplay, LockHolder, ProcedureRun, StepSubject, StopMode};
use serde_json::{Value, json};

use crate::text::{Table, bold, line_width, wrap, yellow};

/// A sentence on lines of its own.
pub fn sentence(text: &str) -> String {
    format!("{}\n", wrap(text, line_width() - 2, 2))
}

/// A run as JSON.
pub fn run_document(run: &ProcedureRun) -> Value {
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
pub fn refused_values(replay: &JournalReplay) -> Vec<Value> {
    let refused = replay.refused.iter();
    refused
        .map(|(number, refused)| {
            json!({ "run": number, "why": refused.why, "says": refused.to_string(), "known": refused.run.as_ref().map(run_document) })
        })
        .collect()
}

/// What a kill switch does where no pilot works.
pub fn none_works(folder: &Path, open: usize) -> String {
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
pub fn reading(subject: &StepSubject, is: &Result<Value, String>) -> Value {
    json!({ "subject": subject, "says": subject.to_string(), "is": is.as_ref().ok(), "error": is.as_ref().err() })
}

/// What would be done, and how it is.
pub fn would(would: &[String], before: &[(StepSubject, Result<Value, String>)]) -> String {
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
pub fn runs<'r>(runs: impl Iterator<Item = &'r ProcedureRun>) -> String {
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

/// The runs for which the lock is needed, the last first.
fn needing(replay: &JournalReplay) -> impl Iterator<Item = &ProcedureRun> {
    replay.runs.values().rev().filter(|run| run.needs_lock())
}

/// PD's maintenance lock as JSON. `pd` is what PD says, if it was asked.
pub fn lock_document(replay: &JournalReplay, pd: Option<&Option<LockHolder>>) -> Value {
    let held = |holder: &LockHolder| json!({ "task": holder.task, "since": holder.since.to_string(), "says": holder.says, "ours": holder.is_ours });
    json!({
        "pilot": replay.pilot,
        "needed_by": needing(replay).map(|run| run.number).collect::<Vec<_>>(),
        "asked": pd.is_some(),
        "held_by": pd.and_then(|holder| holder.as_ref().map(held)),
    })
}

/// PD's maintenance lock in a sentence. `pd` is what PD says, if it was asked.
pub fn lock_text(replay: &JournalReplay, runs_now: bool, pd: Option<&Option<LockHolder>>) -> String {
    let why: Vec<String> = needing(replay).map(|run| format!("run {}, {}", run.number, run.standing())).collect();
    let needed = match (why.is_empty(), runs_now) {
        (true, _) => "nothing here needs PD's maintenance lock".to_owned(),
        (false, true) => format!("PD's maintenance lock is held here, where PD offers it, for {}", why.join("; ")),
        (false, false) => format!(
            "PD's maintenance lock stays with {}, where PD offers it, until this is undone: {}",
            replay.pilot,
            why.join("; ")
        ),
    };
    match pd {
        None => needed,
        Some(None) => format!("{needed}; nothing holds it, says PD"),
        Some(Some(holder)) if holder.is_ours => format!("{needed}; PD says the same: {holder}"),
        Some(Some(holder)) => format!("{needed}; it is held by {holder}, says PD"),
    }
}

/// A rehearsed event as text.
pub fn drill_text(happening: &PlannedEvent, machine: &str) -> String {
    let AnnouncedEvent { announced, starts, ends, word, cloud, .. } = &happening.planned;
    let read = match happening.read {
        Some(read) => format!("{:.1} s later", (read - *announced).get_milliseconds() as f64 / 1e3),
        None => "by nobody".to_owned(),
    };
    let mut text = bold(&format!("{cloud} {word} of {machine}")) + "\n";
    text += &format!("announced  {announced:.0}\nread       {read}\n");
    if let Some(approved) = happening.approved {
        text += &format!("approved   {approved:.0}\n");
    }
    text + &format!("began      {starts:.0}\nended      {ends:.0}\n")
}

/// A rehearsed event as JSON.
pub fn drill_document(happening: &PlannedEvent, machine: &str, interrupted: bool) -> Value {
    let AnnouncedEvent { announced, starts, ends, word, cloud, .. } = &happening.planned;
    let read_after = happening.read.map(|at| (at - *announced).get_milliseconds() as f64 / 1e3);
    json!({
        "cloud": cloud, "machine": machine, "event": word, "id": happening.id,
        "announced": announced, "starts": starts, "ends": ends,
        "read": happening.read, "read_after_s": read_after, "approved": happening.approved,
        "in_time": in_time(happening), "interrupted": interrupted,
    })
}

/// What the folder of a pilot holds.
#[derive(Debug)]
pub struct PilotStatus<'f> {
    /// The folder.
    pub folder: &'f Path,
    /// Its journal.
    pub replay: &'f JournalReplay,
    /// Whether a pilot works there.
    pub running: bool,
    /// The kill switch.
    pub stop: Option<StopMode>,
    /// What PD says of its lock, if it was asked.
    pub holder: Option<&'f Option<LockHolder>>,
    /// The runs to show, the last first.
    pub shown: Vec<&'f ProcedureRun>,
}

impl PilotStatus<'_> {
    /// The status as JSON.
    pub fn document(&self) -> Value {
        let Self { folder, replay, running, stop, holder, shown } = self;
        json!({
            "folder": folder.to_string_lossy(), "cluster": replay.cluster, "running": running,
            "stop": stop.map(StopMode::word), "lock": lock_document(replay, *holder),
            "open": replay.open().count(), "runs": shown.iter().map(|run| run_document(run)).collect::<Vec<_>>(),
            "checksums": !replay.unsealed, "damage": replay.damage, "refused": refused_values(replay),
        })
    }

    /// The status as text.
    pub fn text(&self) -> String {
        let Self { replay, running, stop, holder, shown, .. } = self;
        let mut said = match (replay.cluster.as_str(), running) {
            ("", _) if replay.complaint().is_some() => {
                "no line of its journal tells of which cluster it is\n".to_owned()
            }
            ("", _) => "nothing was done here yet\n".to_owned(),
            (cluster, true) => format!("cluster {cluster}; a pilot works on it\n"),
            (cluster, false) => format!("cluster {cluster}; no pilot works on it\n"),
        };
        if let Some(stop) = stop {
            let word = stop.word();
            said += &format!("the kill switch is set: {word}; `diskwright pilot stop --clear` takes it away\n");
        }
        if replay.unsealed {
            said += "its journal has no checksums: the next pilot that acts here writes it anew with them\n";
        }
        if !replay.cluster.is_empty() {
            said += &sentence(&lock_text(replay, *running, *holder));
        }
        if !shown.is_empty() {
            said += &runs(shown.iter().copied());
        }
        for (run, refused) in &replay.refused {
            said += &sentence(&format!("run {run} cannot be undone: {refused}"));
        }
        said
    }
}

/// What setting the kill switch to `stop` came to, with `open` runs under way.
pub fn stop_text(folder: &Path, stop: Option<StopMode>, running: bool, open: usize) -> String {
    match stop {
        None => "the kill switch is taken away: a pilot may begin\n".to_owned(),
        Some(_) if !running => none_works(folder, open),
        Some(StopMode::Freeze) => "the pilot touches nothing from now on, and ends\n".to_owned(),
        Some(StopMode::Undo) => "the pilot undoes what is under way, and ends\n".to_owned(),
    }
}

/// Lines of a pilot's log as JSON.
pub fn log_document(lines: &[&str]) -> Value {
    let parted = lines.iter().map(|line| {
        let (at, says) = line.split_once("  ").unwrap_or(("", line));
        json!({ "at": at, "says": says })
    });
    json!({ "lines": parted.collect::<Vec<_>>() })
}

/// Lines of a pilot's log as text.
pub fn log_text(lines: &[&str]) -> String {
    lines.iter().map(|line| sentence(line)).collect()
}

/// Whether a rehearsed event was read before it began.
pub fn in_time(happening: &PlannedEvent) -> bool {
    happening.read.is_some_and(|read| read < happening.planned.starts)
}
