//! The holder of PD's maintenance lock, and why it holds it.

use ::pilot::{JournalReplay, LockHolder, PdHttp, PdLock, ProcedureRun};
use serde_json::{Value, json};

use super::reach::{PD_TOKEN, Place, Reach};
use crate::failure::Failure;

impl Reach {
    /// The task that holds PD's lock, by PD's own word; `None` where none does.
    pub(crate) fn holder(&self, place: &Place, pilot: &str) -> Result<Option<LockHolder>, Failure> {
        let pd = PdHttp::new(&self.pd, &self.access(PD_TOKEN, &place.attention()?)?)?;
        Ok(PdLock::new(pd, pilot).holder()?)
    }
}

/// The runs for which the lock is held, the last first.
fn needing(replay: &JournalReplay) -> impl Iterator<Item = &ProcedureRun> {
    replay.runs.values().rev().filter(|run| run.needs_lock())
}

/// The lock with stable keys. `pd` is what PD says, if it was asked.
pub(super) fn value(replay: &JournalReplay, pd: Option<&Option<LockHolder>>) -> Value {
    let held = |holder: &LockHolder| json!({ "task": holder.task, "since": holder.since.to_string(), "says": holder.says, "ours": holder.is_ours });
    json!({
        "pilot": replay.pilot,
        "needed_by": needing(replay).map(|run| run.number).collect::<Vec<_>>(),
        "asked": pd.is_some(),
        "held_by": pd.and_then(|holder| holder.as_ref().map(held)),
    })
}

/// The lock for people.
pub(super) fn said(replay: &JournalReplay, runs_now: bool, pd: Option<&Option<LockHolder>>) -> String {
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
