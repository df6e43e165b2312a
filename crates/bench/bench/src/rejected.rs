//! Whether a run is a failed one, whatever it measured: what it says of its speed is no measure of the workload.

use std::collections::BTreeMap;

use ::run::FailureReason;
use units::Ratio;

use crate::{ErrorCount, KindReport, RunReport};

impl RunReport {
    /// No more than this share of the operations of a run may fail: beyond it the rest is another workload. A transaction that was
    /// tried again and then done has not failed.
    pub const MAY_FAIL: Ratio = Ratio(0.05);

    /// The name of the note under which a run's Timeline says why it is a failed one.
    pub const REJECTED: &str = "rejected";

    /// Notes why it is a failed run, if it is: nothing succeeded, a kind of operation failed wholly, or more than a share of all
    /// operations failed.
    pub fn reject(&mut self, may_fail: Ratio) {
        self.rejected = self.reasons(may_fail);
    }

    /// Adds the note to those of its Timeline.
    pub fn note_rejected(&self, notes: &mut BTreeMap<String, String>) {
        if !self.rejected.is_empty() {
            notes.insert(Self::REJECTED.to_owned(), self.rejected.join("; "));
        }
    }

    fn reasons(&self, may_fail: Ratio) -> Vec<String> {
        let mut reasons = Vec::new();
        let failed = self.failure_count().check(may_fail).err();
        if failed == Some(FailureReason::NothingSucceeded) {
            reasons.push(format!("no operation succeeded{}", why(self.errors.iter())));
        }
        // Where all may fail, faults are made on purpose.
        let whole =
            |kind: &&KindReport| kind.operations == 0 && kind.failures > 0 && self.operations > 0 && may_fail.0 < 1.0;
        for kind in self.kinds.iter().filter(whole) {
            let errors = self.errors.iter().filter(|error| error.kind == kind.kind);
            reasons.push(format!("all {} of {} failed{}", kind.failures, kind.kind, why(errors)));
        }
        if reasons.is_empty() && failed == Some(FailureReason::TooMany) {
            let (share, may) = (100.0 * self.failure_count().share().0, 100.0 * may_fail.0);
            reasons.push(format!(
                "{share:.1} % of the operations failed, and no more than {may:.0} % may{}",
                why(self.errors.iter())
            ));
        }
        reasons
    }
}

/// What most of them failed for.
fn why<'e>(errors: impl Iterator<Item = &'e ErrorCount>) -> String {
    errors.max_by_key(|error| error.count).map_or_else(String::new, |error| format!(": {}", error.reason))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CpuUsage, RunLimits, SteadyStateJudge};

    /// A run of kinds of which so many succeeded and so many failed.
    fn run(kinds: &[(&str, u64, u64)]) -> RunReport {
        let limits = RunLimits::default();
        let nothing = RunReport::of(1, &SteadyStateJudge::new(limits, 1), &[], &limits, CpuUsage::default(), None);
        let kind = |&(kind, operations, failures): &(&str, u64, u64)| KindReport {
            kind: kind.to_owned(),
            operations,
            per_s: 0.0,
            failures,
            latency: None,
        };
        let error = |kind: &KindReport| ErrorCount {
            kind: kind.kind.clone(),
            reason: format!("{} denied", kind.kind),
            unknown: false,
            count: kind.failures,
        };
        let kinds: Vec<_> = kinds.iter().map(kind).collect();
        RunReport {
            operations: kinds.iter().map(|kind| kind.operations).sum(),
            failures: kinds.iter().map(|kind| kind.failures).sum(),
            errors: kinds.iter().filter(|kind| kind.failures > 0).map(error).collect(),
            kinds,
            ..nothing
        }
    }

    #[test]
    fn a_kind_that_fails_wholly_makes_a_failed_run_however_rare_it_is() {
        let reasons = run(&[("order-status", 5000, 0), ("new-order", 0, 3)]).reasons(RunReport::MAY_FAIL);
        assert_eq!(reasons, ["all 3 of new-order failed: new-order denied"]);
        assert!(run(&[("order-status", 5000, 0), ("new-order", 1, 3)]).reasons(RunReport::MAY_FAIL).is_empty());
        assert!(
            run(&[("order-status", 5000, 0), ("new-order", 0, 0)]).reasons(RunReport::MAY_FAIL).is_empty(),
            "it was not asked for"
        );
    }

    #[test]
    fn faults_made_on_purpose_fail_no_run_in_which_something_succeeded() {
        let all = Ratio(1.0);
        assert!(run(&[("read", 1, 0), ("write", 0, 9)]).reasons(all).is_empty());
        assert_eq!(run(&[("read", 0, 9)]).reasons(all).len(), 1);
    }

    #[test]
    fn a_share_of_failures_over_the_bound_makes_a_failed_run() {
        assert!(run(&[("insert", 95, 5)]).reasons(RunReport::MAY_FAIL).is_empty());
        let reasons = run(&[("insert", 94, 6)]).reasons(RunReport::MAY_FAIL);
        assert!(run(&[("insert", 94, 6)]).reasons(Ratio(1.0)).is_empty(), "faults were injected");
        assert_eq!(reasons, ["6.0 % of the operations failed, and no more than 5 % may: insert denied"]);
    }

    #[test]
    fn a_run_in_which_nothing_succeeded_is_a_failed_one() {
        assert_eq!(run(&[]).reasons(RunReport::MAY_FAIL), ["no operation succeeded"]);
        let reasons = run(&[("insert", 0, 9)]).reasons(RunReport::MAY_FAIL);
        assert_eq!(reasons[0], "no operation succeeded: insert denied");
    }
}
