//! Errors of all claims in a few numbers.

use statrs::statistics::{Data, OrderStatistics};

use crate::outcome::ClaimOutcome;

/// Median, 90th percentile and worst of the sizes of relative errors.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct ErrorSummary {
    /// Claims that have an error: those with numbers that are no thresholds.
    pub claims: usize,
    /// The median.
    pub median: f64,
    /// The 90th percentile by nearest rank: an error that a claim has.
    pub p90: f64,
    /// The largest.
    pub worst: f64,
    /// The claim with the largest.
    pub worst_claim: String,
}

impl ErrorSummary {
    /// Summarises the errors of those claims that have one; `None` where none has.
    pub fn of(outcomes: &[ClaimOutcome]) -> Option<Self> {
        let mut errors: Vec<(f64, &str)> = outcomes
            .iter()
            .filter_map(|outcome| outcome.relative_error.map(|error| (error.abs(), outcome.id.as_str())))
            .collect();
        errors.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (worst, worst_claim) = *errors.last()?;
        let sizes: Vec<f64> = errors.iter().map(|(error, _)| *error).collect();
        let p90 = sizes[(sizes.len() * 9).div_ceil(10) - 1];
        Some(Self {
            claims: sizes.len(),
            median: Data::new(sizes).median(),
            p90,
            worst,
            worst_claim: worst_claim.to_owned(),
        })
    }
}

impl std::fmt::Display for ErrorSummary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let percent = |error: f64| format!("{:.1} %", error * 100.0);
        write!(
            f,
            "Median error {}, 90th percentile {}, worst {} ({}), of {} {} with an error.",
            percent(self.median),
            percent(self.p90),
            percent(self.worst),
            self.worst_claim,
            self.claims,
            if self.claims == 1 { "claim" } else { "claims" }
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::Claim;
    use crate::rung::Rung;
    use crate::tolerance::Tolerance;

    fn off_by(id: &str, relative_error: Option<f64>) -> ClaimOutcome {
        let claim = Claim {
            id: id.to_owned(),
            source: String::new(),
            rung: Rung::Model,
            setup: String::new(),
            metric: String::new(),
            published: String::new(),
            unit: String::new(),
            tolerance: Tolerance::Same,
            note: String::new(),
        };
        ClaimOutcome { relative_error, ..ClaimOutcome::open(&claim, String::new()) }
    }

    #[test]
    fn sizes_are_summarised_of_those_claims_that_have_an_error() {
        let outcomes = [("a", None), ("b", Some(-0.3)), ("c", Some(0.01)), ("d", Some(0.1)), ("e", None)]
            .map(|(id, error)| off_by(id, error));
        let summary = ErrorSummary::of(&outcomes).unwrap();
        assert_eq!((summary.claims, summary.median, summary.p90), (3, 0.1, 0.3));
        assert_eq!((summary.worst, summary.worst_claim.as_str()), (0.3, "b"));
        assert_eq!(ErrorSummary::of(&outcomes[..3]).unwrap().median, (0.3 + 0.01) / 2.0);
        assert_eq!(ErrorSummary::of(&outcomes[..1]), None);
    }

    #[test]
    fn the_90th_percentile_of_ten_is_the_ninth() {
        let outcomes: Vec<_> = (1..=10).map(|n| off_by("x", Some(f64::from(n)))).collect();
        assert_eq!(ErrorSummary::of(&outcomes).unwrap().p90, 9.0);
    }

    #[test]
    fn the_line_names_the_worst_claim_and_the_count() {
        let summary = ErrorSummary::of(&[off_by("A14", Some(-0.03)), off_by("A19", Some(0.01))]).unwrap();
        assert_eq!(
            summary.to_string(),
            "Median error 2.0 %, 90th percentile 3.0 %, worst 3.0 % (A14), of 2 claims with an error."
        );
    }
}
