//! The planner's choice of a data volume.

use engine::EngineCalibration;
use plan::{Market, PlanOptions, Planner, RejectedCandidate, RejectionReason};
use workload::Task;

use crate::error::ClaimError;
use crate::evaluator::{ClaimAnswer, EvaluationContext, Evaluator, RecipeFault};
use crate::files::LedgerPath;
use crate::rung::Rung;
use crate::value::ClaimValue;

/// `[plan-choice]`: the data volume type of the cheapest plan.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct PlanChoice {
    pub(crate) workload: LedgerPath,
    instance: Option<String>,
    nodes: Option<u32>,
    /// Volume types to choose from.
    among: Vec<String>,
}

impl Evaluator for PlanChoice {
    fn rung(&self) -> Rung {
        Rung::Plan
    }

    fn files(&self) -> Vec<(String, &LedgerPath)> {
        vec![("workload".to_owned(), &self.workload)]
    }

    fn check(&self) -> Result<(), RecipeFault> {
        let fault = || RecipeFault::new("among", "`among` is empty; expected volume types, such as [\"gp2\", \"gp3\"]");
        if self.among.is_empty() { Err(fault()) } else { Ok(()) }
    }

    fn answer(&self, context: &EvaluationContext<'_>) -> Result<ClaimAnswer, ClaimError> {
        let (kind, remark) = self.choose(context, &context.task(&self.workload)?)?;
        Ok(ClaimAnswer::from(ClaimValue::words([kind])).remark(remark))
    }
}

impl PlanChoice {
    /// The chosen type, and what the others cost more or lack.
    pub(crate) fn choose(&self, context: &EvaluationContext<'_>, task: &Task) -> Result<(String, String), ClaimError> {
        let market = Market::from_view(&context.view, &context.source.region)?;
        let considered = |disk: &str| self.among.iter().any(|kind| kind == disk);
        let options = PlanOptions {
            instance: self.instance.clone(),
            nodes: self.nodes,
            exclude: market.disks().filter(|disk| !considered(disk)).map(str::to_owned).collect(),
            ..PlanOptions::default()
        };
        let answer = Planner::new(EngineCalibration::embedded(), &market).plan(task, &options)?;
        let Some(first) = answer.plans.first() else {
            return Err(ClaimError::NoPlan { shortfalls: answer.shortfalls });
        };
        let disk = first.deployment.nodes.iter().find_map(|group| group.data.as_ref());
        let kind = disk.map(|disk| disk.volume.kind.clone()).ok_or(ClaimError::NoDataVolume)?;
        let others = answer.why_not.iter().filter_map(|other| match (&other.subject, &other.reason) {
            (RejectedCandidate::Disk(name), RejectionReason::Costs { more, .. }) => {
                Some(format!("{name} costs {more} more"))
            }
            (RejectedCandidate::Disk(name), RejectionReason::RuledOut { constraint }) => {
                Some(format!("{name}: {constraint}"))
            }
            _ => None,
        });
        let remarks: Vec<String> =
            others.filter(|text| self.among.iter().any(|kind| text.starts_with(kind.as_str()))).collect();
        Ok((kind, remarks.join("; ")))
    }
}
