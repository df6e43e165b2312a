//! `diskwright pilot do`: something changed by hand.

use std::sync::{Arc, Mutex};

use ::pilot::{
    ActionGuard, ActionProposal, PilotFolder, PilotStep, Procedure, RunEnd, WallClock, regain, settle, sound,
};
use report::verbs::pilot::{reading, run_document, would as would_text};
use serde_json::json;
use units::Nanos;

use super::reach::{Place, Reach};
use super::run::telling;
use crate::failure::{Failure, REFUSED};
use crate::output::Output;

/// Arguments of `pilot do`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  diskwright pilot do tikv/1/rocksdb.rate-bytes-per-sec=100MB --pd http://127.0.0.1:2379
  diskwright pilot do pd/schedule.leader-schedule-limit=64 evict/2 --for 10m --act \\
    --pd http://127.0.0.1:2379

Steps: tikv/STORE/KEY=VALUE, pd/KEY=VALUE, evict/STORE, resign/MEMBER. Without --for they stay
until `diskwright pilot undo`. Exits with 1 if the guard does not let them through, or they failed
and were undone.")]
pub(crate) struct Args {
    /// Changes, in order
    #[arg(required = true, value_name = "STEP")]
    steps: Vec<PilotStep>,
    #[command(flatten)]
    reach: Reach,
    #[command(flatten)]
    place: Place,
    /// Make the changes; without it they are only printed
    #[arg(long)]
    act: bool,
    /// Undo everything after this time
    #[arg(long = "for", value_name = "SPAN")]
    last: Option<Nanos>,
    /// Reason, for the journal
    #[arg(long, value_name = "TEXT", default_value = "by hand")]
    why: String,
}

pub(super) fn run(args: &Args, json: bool) -> Result<Output, Failure> {
    PilotFolder::check_not_stopped(&args.place.path())?;
    PilotFolder::check_undamaged(&args.place.path())?;
    let said: Arc<Mutex<Vec<String>>> = Arc::default();
    let mut opened = args.reach.open(&args.place, args.act, args.place.attention(None)?, telling(&said, json))?;
    let now = opened.clock.now();
    let seen = opened.pilot.look(now);
    let refused = |why: String| Failure { message: format!("not done: {why}"), code: REFUSED };
    let Some(health) = seen.health else { return Err(refused("PD does not tell how the cluster is".to_owned())) };
    let procedure = Procedure::by_hand(&args.steps, args.last, &health, seen.pd_config.as_ref());
    sound(&procedure).map_err(Failure::input)?;
    let replay = opened.pilot.replay();
    ActionGuard::new(replay, now).admit("by-hand", &procedure, Some(&health), replay, now).map_err(refused)?;
    if !args.act {
        let would: Vec<String> = args.steps.iter().map(PilotStep::to_string).collect();
        let before = opened.pilot.read(&procedure);
        return Ok(if json {
            let now: Vec<_> = before.iter().map(|(subject, is)| reading(subject, is)).collect();
            Output::json(&json!({ "acts": false, "would": would, "now": now }))
        } else {
            Output::text(would_text(&would, &before))
        });
    }
    let number =
        opened.pilot.begin("by-hand", &ActionProposal::act(args.why.clone(), procedure), opened.clock.now())?;
    let patience = Procedure::by_hand_within(args.last);
    settle(&mut opened.pilot, &opened.clock, patience, &opened.attention)?;
    regain(&mut opened.pilot, &opened.clock, &opened.attention)?;
    let run = opened.pilot.runs()[&number].clone();
    opened.close()?;
    // An undoing is the wanted end only after the time that was given.
    let as_wanted = run.ended == Some(RunEnd::Kept) || (args.last.is_some() && run.went_all_the_way());
    let output = if json { Output::json(&run_document(&run)) } else { Output::text("") };
    Ok(output.negative(!as_wanted))
}
