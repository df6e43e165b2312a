//! Operations that failed, and whether what is left is still the workload.

use units::Ratio;

/// Operations of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FailureCount {
    /// Operations that succeeded.
    pub succeeded: u64,
    /// Operations that failed.
    pub failed: u64,
}

/// Why a run with failures does not stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureReason {
    /// Nothing succeeded.
    NothingSucceeded,
    /// More failed than may.
    TooMany,
}

impl FailureCount {
    /// Operations that were asked for.
    pub fn asked(self) -> u64 {
        self.succeeded + self.failed
    }

    /// Share of the operations that failed; 0 of none.
    pub fn share(self) -> Ratio {
        if self.asked() == 0 { Ratio(0.0) } else { Ratio(self.failed as f64 / self.asked() as f64) }
    }

    /// Whether something succeeded, and no more than a share of all failed.
    ///
    /// # Errors
    /// The reason, if not.
    pub fn check(self, may_fail: Ratio) -> Result<(), FailureReason> {
        if self.succeeded == 0 {
            return Err(FailureReason::NothingSucceeded);
        }
        // Not by the share: 7 of 100 are not more than 7 %, whatever a division makes of them.
        if self.failed as f64 > may_fail.0 * self.asked() as f64 {
            return Err(FailureReason::TooMany);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(succeeded: u64, failed: u64, may_fail: f64) -> Result<(), FailureReason> {
        FailureCount { succeeded, failed }.check(Ratio(may_fail))
    }

    #[test]
    fn a_run_stands_up_to_the_share_that_may_fail() {
        assert_eq!(check(95, 5, 0.05), Ok(()));
        assert_eq!(check(94, 6, 0.05), Err(FailureReason::TooMany));
        assert_eq!(check(1, 7, 1.0), Ok(()));
    }

    #[test]
    fn a_run_in_which_nothing_succeeded_never_stands() {
        assert_eq!(check(0, 7, 1.0), Err(FailureReason::NothingSucceeded));
        assert_eq!(check(0, 0, 1.0), Err(FailureReason::NothingSucceeded));
    }
}
