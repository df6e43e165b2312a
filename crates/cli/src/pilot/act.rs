//! `diskwright pilot do`: something changed by hand.

use std::sync::{Arc, Mutex};

use ::pilot::{
    ActionGuard, ActionProposal, LatePolicy, PilotStep, PilotWait, Procedure, ProcedureEnding, ProcedureStage, RunEnd,
    UnfinishedPolicy, WaitCondition, sound,
};
use ::pilot::{ClusterHealth, WallClock, regain, settle};
use report::verbs::pilot::{reading, run_document, would as would_text};
use serde_json::{Value, json};
use units::Nanos;

use super::reach::{Place, Reach, not_damaged, not_stopped};
use super::run::telling;
use crate::failure::Failure;
use crate::output::Output;

/// Leaders leave within seconds where PD is well; its tools wait ten minutes (`tiup --transfer-timeout`).
const LEADERS_GONE: Nanos = Nanos::secs(600);
/// How long leaders may take to come back before that is told.
const LEADERS_BACK: Nanos = Nanos::secs(120);

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
    /// What to change, in order
    #[arg(required = true, value_name = "STEP")]
    steps: Vec<PilotStep>,
    #[command(flatten)]
    reach: Reach,
    #[command(flatten)]
    place: Place,
    /// Do it; else it only says what it would do
    #[arg(long)]
    act: bool,
    /// Undo it all after this time
    #[arg(long = "for", value_name = "SPAN")]
    last: Option<Nanos>,
    /// Why, for the journal
    #[arg(long, value_name = "TEXT", default_value = "by hand")]
    why: String,
}

impl Args {
    fn procedure(&self, health: &ClusterHealth, config: Option<&Value>) -> Procedure {
        let (mut stages, mut afterwards) = (Vec::new(), Vec::new());
        for step in &self.steps {
            stages.push(ProcedureStage::Do(step.clone()));
            if let PilotStep::EvictLeaders { store } = step {
                let until = WaitCondition::LeadersGone { store: *store };
                stages.push(ProcedureStage::Wait(PilotWait { until, within: LEADERS_GONE, late: LatePolicy::Undo }));
                let led = health.stores.get(store).map_or(0, |store| store.leaders);
                afterwards.extend(PilotWait::leaders_back(*store, led, config, LEADERS_BACK));
            }
        }
        let ending = match self.last {
            Some(within) => {
                stages.push(ProcedureStage::Wait(PilotWait {
                    until: WaitCondition::Passed,
                    within,
                    late: LatePolicy::GoOn,
                }));
                ProcedureEnding::Restore
            }
            None => ProcedureEnding::Keep,
        };
        let name = self.steps.iter().map(PilotStep::to_string).collect::<Vec<_>>().join(", ");
        let within = LEADERS_GONE + LEADERS_GONE + self.last.unwrap_or_default();
        Procedure { name, stages, ending, afterwards, within, found: UnfinishedPolicy::Undo }
    }
}

pub(super) fn run(args: &Args, json: bool) -> Result<Output, Failure> {
    not_stopped(&args.place)?;
    not_damaged(&args.place)?;
    let said: Arc<Mutex<Vec<String>>> = Arc::default();
    let mut opened = args.reach.open(&args.place, args.act, args.place.attention()?, telling(&said, json))?;
    let now = opened.clock.now();
    let seen = opened.pilot.look(now);
    let refused = |why: String| Failure { message: format!("not done: {why}"), code: 1 };
    let Some(health) = seen.health else { return Err(refused("PD does not tell how the cluster is".to_owned())) };
    let procedure = args.procedure(&health, seen.pd_config.as_ref());
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
    let patience = LEADERS_GONE + LEADERS_GONE + args.last.unwrap_or_default();
    settle(&mut opened.pilot, &opened.clock, patience, &opened.attention)?;
    regain(&mut opened.pilot, &opened.clock, &opened.attention)?;
    let run = opened.pilot.runs()[&number].clone();
    opened.close()?;
    // Undone is what was wanted only after the time that was given.
    let as_wanted = run.ended == Some(RunEnd::Kept) || (args.last.is_some() && run.went_all_the_way());
    let output = if json { Output::json(&run_document(&run)) } else { Output::text("") };
    Ok(output.negative(!as_wanted))
}
