//! `diskwright pilot status`, `undo`, `stop` and `log`: the pilot's folder, read and written.

use std::sync::{Arc, Mutex};

use ::pilot::{PilotFolder, StopMode, WallClock, settle};
use report::verbs::pilot::{PilotStatus, log_document, log_text, run_document, stop_text};
use serde_json::{Value, json};
use units::Nanos;

use super::reach::{AskedPd, Place, Reach};
use super::run::telling;
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
    /// Number of past runs to show, beside those under way
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

A running pilot does it on request; without one it is done here. A run that is undone already, and
only watched, ends. What somebody else has changed since is left as it is, unless --force.")]
pub(crate) struct UndoArgs {
    /// Runs by the numbers of `pilot status`
    #[arg(value_name = "RUN", required_unless_present = "all", conflicts_with = "all")]
    runs: Vec<u64>,
    /// Undo everything that can be undone, the last first
    #[arg(long)]
    all: bool,
    /// Undo also what somebody else has changed since
    #[arg(long)]
    force: bool,
    /// Time limit
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
  diskwright pilot stop --freeze  # it ends at once, and touches nothing more, also of an undoing
  diskwright pilot stop --clear   # it may begin again")]
pub(crate) struct StopArgs {
    /// Leave everything as it is, half done or half undone; after --clear `pilot undo` undoes it
    #[arg(long, conflicts_with = "clear")]
    freeze: bool,
    /// Remove the switch
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
    /// Number of lines to show, the latest
    #[arg(long, default_value_t = 50, value_name = "N")]
    last: usize,
    #[command(flatten)]
    place: Place,
}

/// A folder that a pilot has written in.
fn used(place: &Place) -> Result<PilotFolder, Failure> {
    let path = place.path();
    let folder = PilotFolder::at(&path)?;
    if folder.path().is_dir() {
        return Ok(folder);
    }
    Err(Failure::input(format!("{}: no pilot has worked here; name its folder with --journal", path.display())))
}

pub(super) fn status(args: &StatusArgs, json: bool) -> Result<Output, Failure> {
    let folder = used(&args.place)?;
    let (replay, running, stop) = (folder.replay()?, folder.is_taken(), folder.stop());
    let from = replay.runs.len().saturating_sub(args.last);
    let shown = replay.runs.values().enumerate().filter(|(at, run)| *at >= from || run.ended.is_none());
    let shown: Vec<_> = shown.map(|(_, run)| run).rev().collect();
    let damaged = replay.complaint().map(Failure::input);
    let holder = args.asked.reach().map(|reach| reach.holder(&args.place, &replay.pilot)).transpose()?;
    let (folder, holder) = (folder.path(), holder.as_ref());
    let status = PilotStatus { folder, replay: &replay, running, stop, holder, shown };
    Ok(if json {
        Output::json(&with_error(status.document(), damaged.as_ref())).failing(damaged)
    } else {
        Output::text(status.text()).failing(damaged)
    })
}

/// A document with why it is not all of the answer, where failures have it.
fn with_error(mut document: Value, failure: Option<&Failure>) -> Value {
    if let Some(failure) = failure {
        document["error"] = failure.document();
    }
    document
}

pub(super) fn undo(args: &UndoArgs, json: bool) -> Result<Output, Failure> {
    let folder = used(&args.place)?;
    // One that is set to undo wants just this.
    let stood = folder.check_not_frozen()?;
    let replay = folder.replay()?;
    let (wanted, refused): (Vec<u64>, Option<String>) = if args.all {
        let runs = replay.runs.values().rev().filter(|run| run.ended.is_none() || run.holds());
        (runs.map(|run| run.number).collect(), replay.complaint())
    } else {
        let (refused, whole) = args.runs.iter().partition::<Vec<u64>, _>(|run| replay.refused.contains_key(run));
        (whole, replay.complaint().filter(|_| !refused.is_empty()))
    };
    let refused = refused.map(Failure::input);
    // Of a journal of which nothing is whole nobody needs to be asked.
    if let Some(refused) = refused.clone().filter(|_| wanted.is_empty()) {
        return Err(refused);
    }
    if folder.is_taken() {
        folder.ask_undo(&wanted, args.force)?;
        let said = "the pilot that works on it is asked: `diskwright pilot log` tells when it is done\n";
        let document = with_error(json!({ "asked": wanted, "undone": [] }), refused.as_ref());
        return Ok((if json { Output::json(&document) } else { Output::text(said) }).failing(refused));
    }
    let said: Arc<Mutex<Vec<String>>> = Arc::default();
    let attention = args.place.attention(stood)?;
    let volumes = args.volumes.reach(&args.volumes.account(&args.reach, &attention))?;
    let mut opened = args.reach.open(&args.place, true, attention, telling(&said, json))?;
    if let Some(join) = volumes {
        opened.pilot = join(opened.pilot);
    }
    // One that is set to undo meanwhile wants just this, too.
    opened.pilot = opened.pilot.heeding(Box::new(move || folder.stop().filter(|stop| *stop == StopMode::Freeze)));
    for run in &wanted {
        opened.pilot.undo(*run, "asked for by hand", args.force, opened.clock.now())?;
    }
    settle(&mut opened.pilot, &opened.clock, args.within, &opened.attention)?;
    // Leaders that return by themselves are not waited for: nothing is left to undo.
    opened.pilot.end_watches(opened.clock.now())?;
    let undone: Vec<_> = wanted.iter().filter_map(|run| opened.pilot.runs().get(run)).collect();
    let left = undone.iter().any(|run| run.was_left());
    let undone: Vec<_> = undone.iter().map(|run| run_document(run)).collect();
    let document = with_error(json!({ "asked": wanted, "undone": undone }), refused.as_ref());
    let nothing = if wanted.is_empty() { "nothing is left to undo\n" } else { "" };
    opened.close()?;
    let output = if json { Output::json(&document) } else { Output::text(nothing) };
    Ok(output.negative(left).failing(refused))
}

pub(super) fn stop(args: &StopArgs, json: bool) -> Result<Output, Failure> {
    let folder = used(&args.place)?;
    let stop = match (args.clear, args.freeze) {
        (true, _) => None,
        (false, true) => Some(StopMode::Freeze),
        (false, false) => Some(StopMode::Undo),
    };
    // Asked before: a pilot that heeds the switch may have ended after.
    let running = folder.is_taken();
    folder.set_stop(stop)?;
    // The switch holds whatever the journal is like.
    let open = folder.replay().map_or(0, |replay| replay.open().count() + replay.refused.len());
    let document = json!({ "stop": stop.map(StopMode::word), "running": running, "open": open });
    Ok(if json { Output::json(&document) } else { Output::text(stop_text(folder.path(), stop, running, open)) })
}

pub(super) fn log(args: &LogArgs, json: bool) -> Result<Output, Failure> {
    let logged = used(&args.place)?.logged()?;
    let lines: Vec<&str> = logged.lines().collect();
    let lines = &lines[lines.len().saturating_sub(args.last)..];
    Ok(if json { Output::json(&log_document(lines)) } else { Output::text(log_text(lines)) })
}
