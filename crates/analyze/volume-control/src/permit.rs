//! When a cloud lets a volume be modified, by its rules and by what was done to the volume.

use disk::ModificationRules;
use units::Nanos;

use crate::{ManagedVolume, ModificationProgress};

const DAY: Nanos = Nanos::secs(86_400);

/// Whether a volume may be modified.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case", tag = "permit")]
pub enum ModificationPermit {
    /// Now, and so many times more today; `None` without such a limit.
    Now {
        /// How many are left, this one among them.
        left: Option<u32>,
    },
    /// Not before an instant.
    From {
        /// When.
        at: Nanos,
    },
    /// When the modification that is under way is done, which the cloud does not foretell.
    WhenDone,
}

/// Whether a volume may be modified now. A modification that failed counts like any other: whether a cloud counts it is not
/// told, and to wait costs less than to be refused.
pub fn permit(now: Nanos, volume: &ManagedVolume, rules: &ModificationRules) -> ModificationPermit {
    let starts: Vec<Nanos> = volume.changes.iter().map(|change| change.started).collect();
    let rested = starts.last().map_or(Nanos(0), |last| *last + rules.cooldown);
    let spared = rules.per_day.map_or(Nanos(0), |most| nth_last(&starts, most).map_or(Nanos(0), |one| one + DAY));
    let allowed = rested.max(spared);
    if let Some(pending) = volume.pending() {
        // One that should be over and is not: the cloud's word counts.
        return match pending.ends.filter(|ends| *ends > now) {
            Some(ends) => ModificationPermit::From { at: ends.max(allowed) },
            None => ModificationPermit::WhenDone,
        };
    }
    if allowed > now {
        return ModificationPermit::From { at: allowed };
    }
    let today = starts.iter().filter(|start| **start + DAY > now).count() as u32;
    ModificationPermit::Now { left: rules.per_day.map(|most| most - today.min(most)) }
}

/// When a modification that begins now may be taken back, if nothing else is done.
pub(crate) fn back_from(now: Nanos, done: Nanos, volume: &ManagedVolume, rules: &ModificationRules) -> Nanos {
    let mut starts: Vec<Nanos> = volume.changes.iter().map(|change| change.started).collect();
    starts.push(now);
    let spared = rules.per_day.and_then(|most| nth_last(&starts, most)).map_or(Nanos(0), |one| one + DAY);
    done.max(now + rules.cooldown).max(spared)
}

/// Of the last `n` instants the first; `None` if there are fewer.
fn nth_last(starts: &[Nanos], n: u32) -> Option<Nanos> {
    starts.len().checked_sub(n as usize).and_then(|i| starts.get(i)).copied()
}

/// When a modification that begins now will be done, by the rules: the cloud only promises that it ends.
pub(crate) fn done_at(now: Nanos, volume: &ManagedVolume, rules: &ModificationRules) -> Nanos {
    let tib = volume.disk.volume.size.as_gib() / 1024.0;
    now + rules.modifying + Nanos::from_secs_f64(rules.optimizing_per_tib.as_secs_f64() * tib)
}

impl ManagedVolume {
    /// Whether its latest modification failed.
    pub fn last_failed(&self) -> bool {
        self.changes.last().is_some_and(|change| change.progress == ModificationProgress::Failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{changed, volume};

    const HOUR: u64 = 3600;

    fn rules() -> ModificationRules {
        ModificationRules::of(catalog::Cloud::Aws).unwrap()
    }

    fn hours(starts: &[u64]) -> ManagedVolume {
        let mut volume = volume("gp3:100GiB");
        volume.changes = starts.iter().map(|hour| changed(hour * HOUR, "gp3:100GiB")).collect();
        volume
    }

    #[test]
    fn each_modification_of_a_day_takes_one_of_those_that_are_left() {
        let most = rules().per_day.unwrap();
        for done in 0..most {
            let starts: Vec<u64> = (1..=u64::from(done)).collect();
            let now = Nanos::secs(10 * HOUR);
            assert_eq!(permit(now, &hours(&starts), &rules()), ModificationPermit::Now { left: Some(most - done) });
        }
        let all: Vec<u64> = (1..=u64::from(most)).collect();
        let first = Nanos::secs(HOUR);
        assert_eq!(
            permit(Nanos::secs(10 * HOUR), &hours(&all), &rules()),
            ModificationPermit::From { at: first + DAY }
        );
        assert_eq!(permit(first + DAY, &hours(&all), &rules()), ModificationPermit::Now { left: Some(1) });
    }

    #[test]
    fn nothing_is_modified_while_something_is_under_way() {
        let mut volume = hours(&[1]);
        volume.changes[0].progress = ModificationProgress::Optimizing;
        volume.changes[0].ends = Some(Nanos::secs(5 * HOUR));
        assert_eq!(
            permit(Nanos::secs(2 * HOUR), &volume, &rules()),
            ModificationPermit::From { at: Nanos::secs(5 * HOUR) }
        );
        assert_eq!(permit(Nanos::secs(6 * HOUR), &volume, &rules()), ModificationPermit::WhenDone);
    }

    #[test]
    fn a_cooldown_counts_from_the_last_start() {
        let rules = ModificationRules { cooldown: Nanos::secs(6 * HOUR), ..rules() };
        assert_eq!(
            permit(Nanos::secs(5 * HOUR), &hours(&[1]), &rules),
            ModificationPermit::From { at: Nanos::secs(7 * HOUR) }
        );
        let done = Nanos::secs(6 * HOUR);
        assert_eq!(back_from(Nanos::secs(5 * HOUR), done, &hours(&[]), &rules), Nanos::secs(11 * HOUR));
    }
}
