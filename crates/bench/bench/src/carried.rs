//! Whether a run carried its load: what fails is neither measured nor compared.

use ::run::FailureCount;
use units::Ratio;

use crate::{BenchError, RunReport};

impl RunReport {
    /// Whether something succeeded, and no more than a share of what was asked failed, from 0 to 1.
    ///
    /// # Errors
    /// [`BenchError::Failures`] if not, with what failed most.
    pub fn carried(&self, may_fail: Ratio) -> Result<(), BenchError> {
        let count = self.failure_count();
        if count.check(may_fail).is_ok() {
            return Ok(());
        }
        let most = self.errors.iter().max_by_key(|error| error.count);
        let reason = most.map_or_else(String::new, |error| format!(", most of them for: {}", error.reason));
        Err(BenchError::Failures { run: self.run, failed: count.failed, asked: count.asked(), reason })
    }

    /// Operations that succeeded and failed.
    pub fn failure_count(&self) -> FailureCount {
        FailureCount { succeeded: self.operations, failed: self.failures }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CpuUsage, ErrorCount, RunLimits, SteadyStateJudge};

    /// The fifth run, in which so many succeeded and so many failed, for each reason.
    fn run(operations: u64, failed: &[(&str, u64)]) -> RunReport {
        let limits = RunLimits::default();
        let nothing = RunReport::of(5, &SteadyStateJudge::new(limits, 1), &[], &limits, CpuUsage::default(), None);
        let error = |&(reason, count): &(&str, u64)| ErrorCount {
            kind: "write".to_owned(),
            reason: reason.to_owned(),
            unknown: false,
            count,
        };
        let errors: Vec<ErrorCount> = failed.iter().map(error).collect();
        RunReport { operations, failures: errors.iter().map(|error| error.count).sum(), errors, ..nothing }
    }

    fn refused(run: &RunReport, may_fail: f64) -> (String, u8) {
        let error = run.carried(Ratio(may_fail)).unwrap_err();
        (error.to_string(), error.exit_code())
    }

    #[test]
    fn a_run_of_which_too_much_fails_says_how_much_and_why() {
        let failed = [("busy", 3), ("disk full", 7)];
        run(990, &failed).carried(Ratio(0.01)).unwrap();
        let expected = "run 5 did not carry its load: 10 of 999 operations failed, most of them for: disk full";
        assert_eq!(refused(&run(989, &failed), 0.01), (expected.to_owned(), 1));
    }

    #[test]
    fn a_run_in_which_nothing_succeeds_carried_nothing_whatever_may_fail() {
        run(1, &[("disk full", 7)]).carried(Ratio(1.0)).unwrap();
        let expected = "run 5 did not carry its load: 7 of 7 operations failed, most of them for: disk full";
        assert_eq!(refused(&run(0, &[("disk full", 7)]), 1.0), (expected.to_owned(), 1));
        let expected = "run 5 did not carry its load: 0 of 0 operations failed";
        assert_eq!(refused(&run(0, &[]), 1.0), (expected.to_owned(), 1));
    }
}
