//! A claim with ours beside it, and how far off ours are in the middle.

use statrs::statistics::{Data, OrderStatistics};

use crate::ledger::{Claim, Rung};

/// A claim with ours beside it.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct ClaimOutcome {
    /// The claim's id.
    pub id: String,
    /// The source's number.
    pub source: String,
    /// Where it is checked.
    pub rung: Rung,
    /// Setup and metric.
    pub metric: String,
    /// What was published.
    pub published: String,
    /// The unit of both.
    pub unit: String,
    /// What we compute; empty if that takes a run.
    pub ours: String,
    /// `ours / published - 1` of the number furthest off; `None` for words and where nothing was computed.
    pub relative_error: Option<f64>,
    /// Whether ours is within the tolerance; `None` if that takes a run.
    pub holds: Option<bool>,
    /// Why it does not hold or was not computed, or what to know of ours.
    pub why: Option<String>,
}

impl ClaimOutcome {
    /// A claim of which nothing is known yet.
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
            holds: None,
            why: Some(why),
        }
    }
}

/// The median of the sizes of all relative errors; `None` where no claim has one.
pub fn median_error(outcomes: &[ClaimOutcome]) -> Option<f64> {
    let errors: Vec<f64> = outcomes.iter().filter_map(|outcome| outcome.relative_error.map(f64::abs)).collect();
    (!errors.is_empty()).then(|| Data::new(errors).median())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn off_by(relative_error: Option<f64>) -> ClaimOutcome {
        ClaimOutcome { relative_error, ..ClaimOutcome::open(&crate::claims()[0], String::new()) }
    }

    #[test]
    fn the_median_error_is_of_sizes_and_of_those_claims_that_have_one() {
        let outcomes = [None, Some(-0.3), Some(0.01), Some(0.1), None].map(off_by);
        assert_eq!(median_error(&outcomes), Some(0.1));
        assert_eq!(median_error(&outcomes[..3]), Some((0.3 + 0.01) / 2.0));
        assert_eq!(median_error(&[off_by(None)]), None);
    }
}
