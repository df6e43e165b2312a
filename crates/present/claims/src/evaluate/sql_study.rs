//! A study of two deployments on a SQL server, as `diskwright bench study` runs it.

use bench::compare::RunDifference;
use mysql::study::{Study, StudyPhases, phases};

use crate::error::ClaimError;
use crate::evaluator::{ClaimAnswer, EvaluationContext, Evaluator};
use crate::files::LedgerPath;
use crate::rung::Rung;
use crate::value::ClaimValue;

/// `[sql-study]`: percent of rows a minute that the second side gains once the burst credits of the first are spent.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct SqlStudyRecipe {
    study: LedgerPath,
}

impl Evaluator for SqlStudyRecipe {
    fn rung(&self) -> Rung {
        Rung::Bench
    }

    fn files(&self) -> Vec<(String, &LedgerPath)> {
        vec![("study".to_owned(), &self.study)]
    }

    fn answer(&self, context: &EvaluationContext<'_>) -> Result<ClaimAnswer, ClaimError> {
        let test_bed = context.test_bed()?;
        let study = self.study(context)?;
        let pairs = study.run(&test_bed.home, &test_bed.scratch, &test_bed.stop, &mut |_, _, _| ())?;
        answer(&phases(&pairs), &study.scaled)
    }
}

impl SqlStudyRecipe {
    /// The study with its files.
    pub(crate) fn study(&self, context: &EvaluationContext<'_>) -> Result<Study, ClaimError> {
        Ok(Study::from_text(&context.text(&self.study)?, &mut |path| context.files.named(path))?)
    }
}

/// Percent gained without credits; certain only where there is no difference with them.
fn answer(seen: &StudyPhases, scaled: &str) -> Result<ClaimAnswer, ClaimError> {
    let missing = |state| ClaimError::CreditsNeverSeen { state };
    let before = &seen.before.as_ref().ok_or_else(|| missing("left"))?.rows_per_minute;
    let after = &seen.after.as_ref().ok_or_else(|| missing("spent"))?.rows_per_minute;
    let percent = |ratio: f64| 100.0 * (ratio - 1.0);
    let interval = |of: &RunDifference| match (of.ratio_low, of.ratio_high) {
        (Some(low), Some(high)) => format!("{:+.1} to {:+.1} %", percent(low), percent(high)),
        _ => "unknown".to_owned(),
    };
    let remark = format!(
        "{} pairs, 95 % intervals: {} with credits left, where the source has no difference; {} without. {scaled}",
        seen.exhausted_s.len(),
        interval(before),
        interval(after),
    );
    // A difference beyond noise without credits, and none with them.
    let certain = after.ratio_low.is_some_and(|low| low > 1.0)
        && before.ratio_low.zip(before.ratio_high).is_some_and(|(low, high)| low <= 1.0 && high >= 1.0);
    Ok(ClaimAnswer { remark: Some(remark), certain, value: ClaimValue::number(percent(after.ratio)) })
}

#[cfg(test)]
mod tests {
    use mysql::study::StudyGain;

    use super::*;

    fn phase(pairs: &[(f64, f64)]) -> Option<StudyGain> {
        let rows_per_minute = RunDifference::of_pairs(pairs);
        Some(StudyGain { rows_per_minute, iops: [1.0; 2], queue_depth: [1.0; 2], seconds: 20.0 })
    }

    fn of(before: &[(f64, f64)], after: &[(f64, f64)]) -> ClaimAnswer {
        let seen = StudyPhases { exhausted_s: vec![Some(20.0); 3], before: phase(before), after: phase(after) };
        answer(&seen, "scaled").unwrap()
    }

    const SAME: [(f64, f64); 3] = [(100.0, 101.0), (100.0, 99.0), (100.0, 100.0)];
    const MORE: [(f64, f64); 3] = [(100.0, 120.0), (100.0, 121.0), (100.0, 119.0)];

    #[test]
    fn a_gain_is_certain_only_where_it_comes_with_the_end_of_the_credits() {
        let ours = of(&SAME, &MORE);
        assert!(
            ours.certain && matches!(&ours.value, ClaimValue::Numbers(all) if (all[0] - 20.0).abs() < 0.1),
            "{ours:?}"
        );
        assert!(!of(&MORE, &MORE).certain, "the disks were not the reason");
        assert!(!of(&SAME, &SAME).certain);
    }

    #[test]
    fn credits_that_never_ran_out_are_no_answer() {
        let seen = StudyPhases { exhausted_s: vec![None], before: phase(&SAME), after: None };
        assert!(answer(&seen, "").unwrap_err().to_string().contains("spent"));
    }
}
