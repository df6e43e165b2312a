//! The threads that writes pass through: checks, flow control, and on to the replicas.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use proto::errorpb;
use proto::kvrpcpb::{Context, RawCasResponse};
use raftstore::{ApplyResult, Refusal, WriteCommand};

use super::changes::{Rules, size};
use super::kind::{Fault, Kind, answer, context};
use super::metrics::METRICS;
use super::shared::Shared;
use super::tasks::Write;

/// Of too many writes; TiKV's `SchedTooBusy`, which clients know.
const TOO_BUSY: &str = "scheduler is busy";
/// How long a write may wait that does not say; TiKV's `DEFAULT_EXECUTION_DURATION_LIMIT`.
const PATIENCE: Duration = Duration::from_secs(24 * 3600);

/// A thread that writes pass through, until nobody can ask any more.
pub(crate) fn run(shared: &Arc<Shared>, tasks: &crossbeam_channel::Receiver<Option<Write>>) {
    let region = |id| shared.replicas.region(id);
    let rules = Rules { region: &region, max_key_size: shared.max_key_size };
    let none = Context::default();
    while let Ok(Some(write)) = tasks.recv() {
        match write {
            Write::Batch { to, since, asks } => {
                METRICS.writes_wait.observe(since.elapsed().as_secs_f64());
                for (id, ask) in asks {
                    let Some(kind) = Kind::of(&ask) else { continue };
                    let to = to.clone();
                    let done = move |outcome: Result<ApplyResult, Fault>| to.push(id, answer(kind, outcome.map(drop)));
                    let asked = context(&ask).unwrap_or(&none);
                    pass(shared, kind, since, asked, size(&ask), rules.command(asked, &ask), done);
                }
            }
            Write::Swap { to, since, ask } => {
                METRICS.writes_wait.observe(since.elapsed().as_secs_f64());
                let asked = ask.context.as_ref().unwrap_or(&none);
                let size = (ask.key.len() + ask.value.len() + ask.previous_value.len()) as u64;
                // Who does not wait for the answer any more does not get it.
                let done = move |outcome| drop(to.send(swapped(outcome)));
                pass(shared, Kind::CompareAndSwap, since, asked, size, rules.swap(asked, &ask), done);
            }
        }
    }
}

fn pass(
    shared: &Arc<Shared>,
    kind: Kind,
    since: Instant,
    asked: &Context,
    size: u64,
    command: Result<WriteCommand, Fault>,
    done: impl FnOnce(Result<ApplyResult, Fault>) + Send + 'static,
) {
    let counted = command.and_then(|command| admit(shared, kind, since, asked, size).map(|()| command));
    let command = match counted {
        Ok(command) => command,
        Err(fault) => {
            METRICS.written(kind, since.elapsed());
            return done(Err(fault));
        }
    };
    let (all, proposed) = (shared.clone(), Instant::now());
    let applied = move |outcome: Result<ApplyResult, Refusal>| {
        all.writing.fetch_sub(size, Ordering::Relaxed);
        METRICS.writing.sub(size as i64);
        METRICS.running.dec();
        METRICS.write.observe(proposed.elapsed().as_secs_f64());
        METRICS.written(kind, since.elapsed());
        done(outcome.map_err(Fault::from));
    };
    shared.replicas.write(asked, command, Box::new(applied));
}

/// Lets a write in, when its time has come, and counts it.
fn admit(shared: &Shared, kind: Kind, since: Instant, asked: &Context, size: u64) -> Result<(), Fault> {
    let too_many = shared.writing.load(Ordering::Relaxed) >= shared.most_writing;
    if too_many || (shared.flow.enabled() && shared.flow.refuses()) {
        METRICS.refused(kind);
        return Err(Fault::busy(TOO_BUSY));
    }
    shared.writing.fetch_add(size, Ordering::Relaxed);
    let patience = match asked.max_execution_duration_ms {
        0 => PATIENCE,
        most => Duration::from_millis(most).min(PATIENCE),
    };
    if !shared.flow.wait(size, since + patience) {
        shared.writing.fetch_sub(size, Ordering::Relaxed);
        return Err(Fault::busy("deadline is exceeded"));
    }
    METRICS.writing.add(size as i64);
    METRICS.running.inc();
    Ok(())
}

fn swapped(outcome: Result<ApplyResult, Fault>) -> RawCasResponse {
    let (region_error, error): (Option<Box<errorpb::Error>>, String) = match outcome {
        Ok(ApplyResult::Swapped { succeeded, previous }) => {
            let previous_not_exist = previous.is_none();
            let previous_value = previous.unwrap_or_default();
            return RawCasResponse { succeed: succeeded, previous_not_exist, previous_value, ..Default::default() };
        }
        Ok(ApplyResult::Done) => (None, "the replica wrote instead of comparing: fate unknown".to_owned()),
        Err(fault) => fault.parts(),
    };
    RawCasResponse { region_error, error, ..Default::default() }
}
