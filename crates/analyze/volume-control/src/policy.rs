//! What the controller may do and how patient it is: defaults from `tables/policy.toml`, a file for what is otherwise.

use std::sync::LazyLock;

use diagnose::HeadroomMargins;
use disk::ModificationRules;
use units::{Nanos, Usd};

/// What may be done to volumes.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct VolumePolicy {
    /// Price of all volumes together at most; without it only changes that save are proposed.
    pub budget: Option<Usd>,
    /// History whose peak a volume is never made smaller than.
    pub window: Nanos,
    /// Recent time in which a binding limit makes a volume grow.
    pub recent: Nanos,
    /// History that must be known before a volume shrinks.
    pub shrink_after: Nanos,
    /// Time after a change in which a volume does not shrink.
    pub rest: Nanos,
    /// Shortest time between modifications, where longer than the cloud's own.
    pub cooldown: Option<Nanos>,
    /// Modifications in 24 hours at most, where fewer than the cloud allows.
    pub per_day: Option<u32>,
    /// Smallest saving for which a volume is changed.
    pub least_saving: Usd,
}

/// Why a policy cannot be followed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum PolicyError {
    /// It is no TOML, or has keys that nobody reads.
    #[error("policy: {0}")]
    Text(String),
    /// A number beyond its range.
    #[error("policy: `{key}` is {value}: {expected}")]
    Range {
        /// Which.
        key: &'static str,
        /// As it was given.
        value: String,
        /// What it must be.
        expected: &'static str,
    },
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Setting {
    name: String,
    value: Nanos,
    #[cfg_attr(not(test), expect(dead_code, reason = "for the table's readers; a test wants it filled in"))]
    reason: String,
    #[cfg_attr(not(test), expect(dead_code, reason = "for the table's readers; a test wants it filled in"))]
    source: String,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    setting: Vec<Setting>,
}

static TABLE: LazyLock<Table> =
    LazyLock::new(|| toml::from_str(include_str!("../tables/policy.toml")).expect("tested: the table is right"));

impl Default for VolumePolicy {
    fn default() -> Self {
        let value = |name: &str| TABLE.setting.iter().find(|row| row.name == name).expect("tested: it is there").value;
        Self {
            budget: None,
            window: value("window"),
            recent: value("recent"),
            shrink_after: value("shrink-after"),
            rest: value("rest"),
            cooldown: None,
            per_day: None,
            least_saving: diagnose::margins().least_saving,
        }
    }
}

impl VolumePolicy {
    /// A policy from TOML; what it leaves out is as the table has it.
    ///
    /// # Errors
    /// When it is no TOML, has unknown keys, or a number beyond its range.
    pub fn from_toml(text: &str) -> Result<Self, PolicyError> {
        let policy: Self = toml::from_str(text).map_err(|error| PolicyError::Text(error.to_string()))?;
        policy.check()?;
        Ok(policy)
    }

    /// Holds the numbers against each other.
    ///
    /// # Errors
    /// When one of them makes no sense.
    pub fn check(&self) -> Result<(), PolicyError> {
        let range = |key, value: String, expected| Err(PolicyError::Range { key, value, expected });
        if let Some(budget) = self.budget.filter(|usd| !usd.0.is_finite() || usd.0 < 0.0) {
            return range("budget", budget.to_string(), "give dollars a month, 0 or more");
        }
        if self.per_day == Some(0) {
            return range("per-day", "0".to_owned(), "give 1 or more, or leave the volumes out");
        }
        if self.recent.0 == 0 || self.window < self.recent {
            return range("recent", self.recent.to_string(), "give a time over zero that is no longer than `window`");
        }
        if self.shrink_after > self.window {
            return range(
                "shrink-after",
                self.shrink_after.to_string(),
                "give no more than `window`: more is not read",
            );
        }
        Ok(())
    }

    /// A cloud's rules, made stricter where the policy says so.
    #[must_use]
    pub fn rules(&self, cloud: ModificationRules) -> ModificationRules {
        let least = |a: Option<u32>, b: Option<u32>| a.into_iter().chain(b).min();
        ModificationRules {
            cooldown: cloud.cooldown.max(self.cooldown.unwrap_or_default()),
            per_day: least(cloud.per_day, self.per_day),
            ..cloud
        }
    }

    /// How much more than was delivered a volume should carry.
    pub(crate) fn margins(&self) -> HeadroomMargins {
        HeadroomMargins { least_saving: self.least_saving, ..diagnose::margins() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_its_reasons_and_makes_a_policy_that_holds() {
        assert!(TABLE.setting.iter().all(|row| !row.reason.is_empty() && !row.source.is_empty()));
        assert_eq!(VolumePolicy::default().check(), Ok(()));
    }

    #[test]
    fn a_policy_reads_back_and_what_it_leaves_out_is_the_tables() {
        let policy = VolumePolicy { budget: Some(Usd(500.0)), per_day: Some(2), ..VolumePolicy::default() };
        assert_eq!(VolumePolicy::from_toml("budget = \"500usd\"\nper-day = 2"), Ok(policy.clone()));
        assert_eq!(VolumePolicy::from_toml(&toml::to_string(&policy).unwrap()), Ok(policy));
    }

    #[test]
    fn what_makes_no_sense_is_refused_by_name() {
        for (text, word) in [
            ("budget = \"-1usd\"", "budget"),
            ("per-day = 0", "per-day"),
            ("recent = \"20d\"", "recent"),
            ("shrink-after = \"30d\"", "shrink-after"),
            ("budgets = \"1usd\"", "budgets"),
        ] {
            let error = VolumePolicy::from_toml(text).unwrap_err().to_string();
            assert!(error.contains(word), "{error}");
        }
    }

    #[test]
    fn a_policy_makes_a_clouds_rules_stricter_never_laxer() {
        let cloud = ModificationRules::of(catalog::Cloud::Aws).unwrap();
        let most = cloud.per_day.unwrap();
        let stricter =
            VolumePolicy { cooldown: Some(Nanos::secs(6 * 3600)), per_day: Some(most - 1), ..VolumePolicy::default() };
        let rules = stricter.rules(cloud.clone());
        assert_eq!((rules.cooldown, rules.per_day), (Nanos::secs(6 * 3600), Some(most - 1)));
        let laxer = VolumePolicy { per_day: Some(most + 1), ..VolumePolicy::default() };
        assert_eq!(laxer.rules(cloud.clone()), cloud);
    }
}
