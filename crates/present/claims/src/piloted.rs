//! Claims on what the pilot does: a notice is rehearsed in virtual time, and what was done is told in the source's words.

use pilot::PilotStep;
use pilot::maintenance::{MachineRole, rehearse};

use crate::judge::ClaimValue;
use crate::run::{ClaimError, Compute, Ours, Setting};

pub(crate) const CLAIMS: &[(&str, Compute)] = &[("B15", live_migration)];

/// What runs on the machine, in the source's order.
const PARTS: [&str; 3] = ["tidb:db/tidb-0@node-1", "tikv:2", "pd:pd1"];

/// What is done about a live migration of each part.
fn live_migration(_: &Setting<'_>) -> Result<Ours, ClaimError> {
    let other = |error: &dyn std::fmt::Display| ClaimError::Other(format!("the rehearsal: {error}"));
    let (mut done, mut restored) = (Vec::new(), true);
    for part in PARTS {
        let role: MachineRole = part.parse().map_err(|error: String| other(&error))?;
        let rehearsal = rehearse(&role).map_err(|error| other(&error))?;
        done.push(words(&rehearsal.steps));
        restored &= rehearsal.restored;
    }
    let after = if restored { ", and undone after" } else { "" };
    let remark = "each part rehearsed in virtual time, with GCP's protocol";
    Ok(Ours {
        remark: Some(remark.to_owned()),
        ..Ours::from(ClaimValue::words([format!("{}{after}", done.join(" / "))]))
    })
}

/// Steps as the source names them.
fn words(steps: &[PilotStep]) -> String {
    let word = |step: &PilotStep| match step {
        PilotStep::CordonNode { .. } => "cordon".to_owned(),
        PilotStep::DeletePod { .. } => "delete pod".to_owned(),
        PilotStep::EvictLeaders { .. } => "evict leaders".to_owned(),
        PilotStep::ResignPdLeader { .. } => "resign leader".to_owned(),
        other => other.to_string(),
    };
    steps.iter().map(word).collect::<Vec<_>>().join(" and ")
}
