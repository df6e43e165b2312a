//! A claim with ours beside it.

use crate::error::ClaimError;
use crate::evaluator::ClaimAnswer;
use crate::judge::{ThresholdDistance, judge};
use crate::rows::{Claim, ClaimShortfall};
use crate::rung::Rung;

/// A claim with ours beside it.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct ClaimOutcome {
    /// The claim's id.
    pub id: String,
    /// The source's key.
    pub source: String,
    /// How it is checked.
    pub rung: Rung,
    /// Setup and metric.
    pub metric: String,
    /// The published result.
    pub published: String,
    /// The unit of both.
    pub unit: String,
    /// Our result; empty if that takes a run.
    pub ours: String,
    /// `ours / published - 1` of the number furthest off; `None` for words, for thresholds, and without an answer.
    pub relative_error: Option<f64>,
    /// Distance from the threshold, or from what was published where a range is accepted; `None` for all other claims.
    pub distance: Option<ThresholdDistance>,
    /// Whether ours is within the tolerance; `None` if that takes a run.
    pub holds: Option<bool>,
    /// Why it does not hold or has no answer, or what to know of ours.
    pub why: Option<String>,
}

impl ClaimOutcome {
    /// A claim without an answer yet.
    pub(crate) fn open(claim: &Claim, why: String) -> Self {
        Self {
            id: claim.id.clone(),
            source: claim.source.clone(),
            rung: claim.rung,
            metric: format!("{}: {}", claim.setup, claim.metric),
            published: claim.published.clone(),
            unit: claim.unit.clone(),
            ours: String::new(),
            relative_error: None,
            distance: None,
            holds: None,
            why: Some(why),
        }
    }

    /// A claim compared with its answer. The reason of a known shortfall replaces the answer's own remark where the claim does
    /// not hold.
    pub(crate) fn answered(
        claim: &Claim,
        answer: Result<ClaimAnswer, ClaimError>,
        shortfall: Option<&ClaimShortfall>,
    ) -> Self {
        let mut outcome = Self { holds: Some(false), why: None, ..Self::open(claim, String::new()) };
        match answer {
            Ok(answer) => {
                let judgement = judge(&claim.published, &answer.value, claim.tolerance);
                outcome.ours = answer.value.to_string();
                outcome.relative_error = judgement.relative_error;
                outcome.distance = judgement.distance;
                outcome.holds = Some(judgement.holds && answer.certain);
                outcome.why = answer.remark;
            }
            Err(error) => outcome.why = Some(format!("not computed: {error}")),
        }
        if let Some(shortfall) = shortfall.filter(|_| outcome.holds == Some(false)) {
            outcome.why = Some(shortfall.reason.clone());
        }
        outcome
    }
}
