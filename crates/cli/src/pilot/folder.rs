//! `diskwright pilot status`, `undo`, `stop` and `log`: what the pilot's folder tells, and what it is asked through it.

use std::sync::{Arc, Mutex};

use ::pilot::{Clock, Folder, Stop, settle};
use serde_json::json;
use units::Nanos;

use super::lock;
use super::reach::{AskedPd, Place, Reach};
use super::run::telling;
use super::text;
use super::volumes::Volumes;
use crate::failure::Failure;
use crate::output::Output;

/// Arguments of `pilot status`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  diskwright pilot status
  diskwright pilot status --pd http://127.0.0.1:2379    # and who holds PD's maintenance lock
  diskwright pilot status --last 100 --json --journal /var/lib/diskwright/prod")]
pub(crate) struct StatusArgs {
    #[command(flatten)]
    place: Place,
    /// So many of the last runs; those under way are always shown
    #[arg(long, default_value_t = 20, value_name = "N")]
    last: usize,
    #[command(flatten)]
    asked: AskedPd,
}

/// Arguments of `pilot undo`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  diskwright pilot undo 7 --pd http://127.0.0.1:2379
  diskwright pilot undo --all --pd http://127.0.0.1:2379

A pilot that runs is asked to do it; else it is done here. A run that is undone already, and only
watched, ends. What somebody else has changed since is
left as it is, unless --force.")]
pub(crate) struct UndoArgs {
    /// The runs, as `pilot status` numbers them
    #[arg(value_name = "RUN", required_unless_present = "all", conflicts_with = "all")]
    runs: Vec<u64>,
    /// All that can be undone, the last first
    #[arg(long)]
    all: bool,
    /// Set back even what somebody else has changed since
    #[arg(long)]
    force: bool,
    /// How long it may take
    #[arg(long, value_name = "SPAN", default_value = "5m")]
    within: Nanos,
    #[command(flatten)]
    reach: Reach,
    #[command(flatten)]
    place: Place,
    #[command(flatten)]
    volumes: Volumes,
}

/// Arguments of `pilot stop`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  diskwright pilot stop           # what is under way is undone, then the pilot ends
  diskwright pilot stop --freeze  # it ends at once, and touches nothing more
  diskwright pilot stop --clear   # it may begin again")]
pub(crate) struct StopArgs {
    /// Leave everything as it is, also what is half done: `pilot undo` takes it back later
    #[arg(long, conflicts_with = "clear")]
    freeze: bool,
    /// Take the switch away
    #[arg(long)]
    clear: bool,
    #[command(flatten)]
    place: Place,
}

/// Arguments of `pilot log`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  diskwright pilot log
  diskwright pilot log --last 500 --json")]
pub(crate) struct LogArgs {
    /// So many of the last lines
    #[arg(long, default_value_t = 50, value_name = "N")]
    last: usize,
    #[command(flatten)]
    place: Place,
}

/// A folder that a pilot has written in.
fn used(place: &Place) -> Result<Folder, Failure> {
    let path = place.path();
    if path.is_dir() {
        return Ok(Folder::at(&path));
    }
    Err(Failure::input(format!("{}: no pilot has worked here; name its folder with --journal", path.display())))
}

pub(super) fn status(args: &StatusArgs, json: bool) -> Result<Output, Failure> {
    let folder = used(&args.place)?;
    let (replay, runs_now, stop) = (folder.replay()?, folder.is_taken(), folder.stop());
    let from = replay.runs.len().saturating_sub(args.last);
    let shown = replay.runs.values().enumerate().filter(|(at, run)| *at >= from || run.ended.is_none());
    let shown: Vec<_> = shown.map(|(_, run)| run).rev().collect();
    let stop = stop.map(|stop| if stop == Stop::Freeze { "freeze" } else { "undo" });
    let holder = args.asked.reach().map(|reach| reach.holder(&replay.pilot)).transpose()?;
    if json {
        return Ok(Output::json(&json!({
            "folder": folder.path(), "cluster": replay.cluster, "running": runs_now, "stop": stop,
            "lock": lock::value(&replay, holder.as_ref()),
            "open": replay.open().count(), "runs": shown.iter().map(|run| text::value(run)).collect::<Vec<_>>(),
        })));
    }
    let mut said = match (replay.cluster.as_str(), runs_now) {
        ("", _) => "nothing was done here yet\n".to_owned(),
        (cluster, true) => format!("cluster {cluster}; a pilot works on it\n"),
        (cluster, false) => format!("cluster {cluster}; no pilot works on it\n"),
    };
    if let Some(stop) = stop {
        said += &format!("the kill switch is set: {stop}; `diskwright pilot stop --clear` takes it away\n");
    }
    if !replay.cluster.is_empty() {
        said += &text::sentence(&lock::said(&replay, runs_now, holder.as_ref()));
    }
    if !shown.is_empty() {
        said += &text::runs(shown.into_iter());
    }
    Ok(Output::text(said))
}

pub(super) fn undo(args: &UndoArgs, json: bool) -> Result<Output, Failure> {
    let folder = used(&args.place)?;
    let wanted = if args.all {
        let runs = folder.replay()?.runs;
        runs.values().rev().filter(|run| run.ended.is_none() || run.holds()).map(|run| run.number).collect()
    } else {
        args.runs.clone()
    };
    if folder.is_taken() {
        folder.ask_undo(&wanted, args.force)?;
        let said = "the pilot that works on it is asked: `diskwright pilot log` tells when it is done\n";
        let document = json!({ "asked": wanted, "undone": [] });
        return Ok(if json { Output::json(&document) } else { Output::text(said) });
    }
    let said: Arc<Mutex<Vec<String>>> = Arc::default();
    let volumes = args.volumes.reach()?;
    let mut opened = args.reach.open(&args.place, true, telling(&said, json))?;
    if let Some(join) = volumes {
        opened.pilot = join(opened.pilot);
    }
    for run in &wanted {
        opened.pilot.undo(*run, "asked for by hand", args.force, opened.clock.now())?;
    }
    settle(&mut opened.pilot, &opened.clock, args.within, &opened.interrupted)?;
    // What comes back by itself is not waited for: nothing is left to undo.
    opened.pilot.end_watches(opened.clock.now())?;
    let undone: Vec<_> = wanted.iter().filter_map(|run| opened.pilot.runs().get(run)).collect();
    let left = undone.iter().any(|run| run.was_left());
    let document = json!({ "asked": wanted, "undone": undone.iter().map(|run| text::value(run)).collect::<Vec<_>>() });
    let nothing = if wanted.is_empty() { "nothing is left to undo\n" } else { "" };
    opened.close()?;
    Ok((if json { Output::json(&document) } else { Output::text(nothing) }).negative(left))
}

pub(super) fn stop(args: &StopArgs, json: bool) -> Result<Output, Failure> {
    let folder = used(&args.place)?;
    let stop = match (args.clear, args.freeze) {
        (true, _) => None,
        (false, true) => Some(Stop::Freeze),
        (false, false) => Some(Stop::Undo),
    };
    folder.set_stop(stop)?;
    let said = match stop {
        None => "the kill switch is taken away: a pilot may begin\n",
        Some(Stop::Freeze) => "the pilot touches nothing from now on, and ends\n",
        Some(Stop::Undo) => "the pilot undoes what is under way, and ends\n",
    };
    let word = stop.map(|stop| if stop == Stop::Freeze { "freeze" } else { "undo" });
    let document = json!({ "stop": word, "running": folder.is_taken() });
    Ok(if json { Output::json(&document) } else { Output::text(said) })
}

pub(super) fn log(args: &LogArgs, json: bool) -> Result<Output, Failure> {
    let logged = used(&args.place)?.logged()?;
    let lines: Vec<&str> = logged.lines().collect();
    let lines = &lines[lines.len().saturating_sub(args.last)..];
    if json {
        let parted = lines.iter().map(|line| {
            let (at, says) = line.split_once("  ").unwrap_or(("", line));
            json!({ "at": at, "says": says })
        });
        return Ok(Output::json(&json!({ "lines": parted.collect::<Vec<_>>() })));
    }
    Ok(Output::text(lines.iter().map(|line| text::sentence(line)).collect::<String>()))
}
