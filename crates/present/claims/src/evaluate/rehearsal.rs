//! Rehearsal in virtual time of what the pilot does about an announced maintenance.

use pilot::PilotStep;
use pilot::maintenance::{MachineRole, rehearse};

use crate::error::ClaimError;
use crate::evaluator::{ClaimAnswer, EvaluationContext, Evaluator, RecipeFault};
use crate::rung::Rung;
use crate::value::ClaimValue;

/// `[rehearsal]`: the pilot's steps for each part of a cluster on the machine, and whether they were undone.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct RehearsalRecipe {
    /// Parts as `pilot` names them: `tikv:2`, `pd:pd1`, `tidb:NAMESPACE/POD@NODE`.
    parts: Vec<String>,
}

impl Evaluator for RehearsalRecipe {
    fn rung(&self) -> Rung {
        Rung::Pilot
    }

    fn check(&self) -> Result<(), RecipeFault> {
        for (i, part) in self.parts.iter().enumerate() {
            part.parse::<MachineRole>().map_err(|problem| RecipeFault::new(format!("parts.{i}"), problem))?;
        }
        Ok(())
    }

    fn answer(&self, _: &EvaluationContext<'_>) -> Result<ClaimAnswer, ClaimError> {
        let (mut done, mut restored) = (Vec::new(), true);
        for part in &self.parts {
            let role: MachineRole = part.parse().expect("checked when the ledger was read");
            let rehearsal = rehearse(&role)
                .map_err(|source| ClaimError::Rehearsal { part: part.clone(), source: Box::new(source) })?;
            done.push(words(&rehearsal.steps));
            restored &= rehearsal.restored;
        }
        let after = if restored { ", and undone after" } else { "" };
        Ok(ClaimValue::words([format!("{}{after}", done.join(" / "))]).into())
    }
}

/// Steps in a few words.
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
