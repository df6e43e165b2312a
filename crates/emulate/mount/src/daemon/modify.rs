//! What a modification may be, and how long it takes.

use disk::{Disk, ModificationRules, ModifyError};
use fuse::ModifyFailure;
use units::Nanos;

use crate::MountError;
use crate::plan::Facts;

/// The rules for changing one disk into another, all times `fast_forward` times shorter.
///
/// # Errors
/// When no cloud does that.
pub(crate) fn rules(facts: &Facts, from: &Disk, to: &Disk, fast_forward: f64) -> Result<ModificationRules, MountError> {
    if !(fast_forward.is_finite() && fast_forward >= 1.0) {
        return Err(MountError::Input(format!("time is fast-forwarded 1x or more, not {fast_forward}x")));
    }
    let rules = from.modification(to, &facts.view).map_err(|why| MountError::Refused(why.to_string()))?;
    let sooner = |time: Nanos| Nanos::from_secs_f64(time.as_secs_f64() / fast_forward);
    Ok(ModificationRules {
        cooldown: sooner(rules.cooldown),
        // A limit for each day cannot be forwarded: who skips time has skipped the day.
        per_day: rules.per_day.filter(|_| fast_forward == 1.0),
        modifying: sooner(rules.modifying),
        optimizing_per_tib: sooner(rules.optimizing_per_tib),
    })
}

/// Why the server refused, with how long people have to wait from now on.
pub(crate) fn explained(failure: ModifyFailure, now: Nanos) -> MountError {
    let wait = |until: Nanos| {
        let left = until - now;
        // Nobody waits to the nanosecond.
        if left >= Nanos::secs(1) {
            Nanos::secs(left.as_secs_f64().ceil() as u64)
        } else {
            Nanos::millis(1 + left.0 / 1_000_000)
        }
    };
    MountError::Refused(match failure {
        ModifyFailure::Backing(error) => return error.into(),
        ModifyFailure::Refused(ModifyError::InProgress { until }) => {
            format!("the volume is still being modified: try again in {}", wait(until))
        }
        ModifyFailure::Refused(ModifyError::TooSoon { cooldown, until }) => {
            format!("the volume was modified less than {cooldown} ago: try again in {}", wait(until))
        }
        ModifyFailure::Refused(ModifyError::TooOften { most, until }) => {
            format!("the volume was modified {most} times in 24 hours, which is the most: try again in {}", wait(until))
        }
        ModifyFailure::Refused(shrink @ ModifyError::Shrink { .. }) => shrink.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MountRequest;

    fn rules_for(from: &str, to: &str, fast_forward: f64) -> Result<ModificationRules, MountError> {
        let disk = |text: &str| text.parse::<Disk>().unwrap();
        rules(&Facts::of(&MountRequest::single("/srv/db", disk(from))).unwrap(), &disk(from), &disk(to), fast_forward)
    }

    #[test]
    fn fast_forward_shortens_every_wait() {
        let real = rules_for("gp3:10GiB", "gp3:20GiB,4000iops", 1.0).unwrap();
        let fast = rules_for("gp2:10GiB", "gp3:20GiB", 100.0).unwrap();
        assert_eq!(real, ModificationRules::of(catalog::Cloud::Aws).unwrap());
        assert_eq!(fast.cooldown.0 * 100, real.cooldown.0);
        assert_eq!(fast.optimizing_per_tib.0 * 100, real.optimizing_per_tib.0);
    }

    #[test]
    fn a_refusal_tells_how_long_to_wait() {
        let failure = ModifyError::InProgress { until: Nanos::secs(100) };
        let error = explained(failure.into(), Nanos::secs(40));
        assert_eq!(error.exit_code(), 1);
        assert!(error.to_string().ends_with("try again in 1m"), "{error}");
    }

    #[test]
    fn what_no_cloud_does_is_refused() {
        for (from, to) in [
            ("gp3:10GiB", "2x(gp3:10GiB)"),
            ("gp3:10GiB", "pd-ssd:10GiB"),
            ("nvme:10GiB", "nvme:20GiB"),
            ("unlimited:10GiB", "gp3:10GiB"),
            ("gp3:10GiB", "gp3:10GiB+cache(nvme:5GiB)"),
        ] {
            assert_eq!(rules_for(from, to, 1.0).unwrap_err().exit_code(), 1, "{from} to {to}");
        }
        for odd in [0.0, -1.0, 0.5, f64::NAN, f64::INFINITY] {
            assert_eq!(rules_for("gp3:10GiB", "gp3:20GiB", odd).unwrap_err().exit_code(), 2, "{odd}");
        }
    }
}
