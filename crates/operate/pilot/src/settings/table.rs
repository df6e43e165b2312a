//! Which verdict calls for which setting: the table, and the arithmetic of its bounds.

use std::sync::LazyLock;

use diagnose::{Finding, FindingKind};
use serde::Deserialize;
use serde_json::{Value, json};
use units::{Bytes, Nanos};

use crate::value::amount;
use crate::{at, same};

/// The table.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Table {
    pub(super) holds_for: Nanos,
    pub(super) rests_for: Nanos,
    undone_after: Nanos,
    pub(super) rule: Vec<Rule>,
}

/// Whose setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum On {
    Tikv,
    Tidb,
}

/// A row.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(super) struct Rule {
    pub(super) verdict: FindingKind,
    mentions: Option<String>,
    pub(super) on: On,
    pub(super) key: String,
    only_if: Option<String>,
    to: Option<String>,
    add: Option<f64>,
    times: Option<f64>,
    least: Option<String>,
    most: Option<String>,
    most_of: Option<Share>,
    pub(super) why: String,
    /// Why what was changed stays when its verdict is gone, if it does.
    stays: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Share {
    key: String,
    share: f64,
}

/// Longer than two months nothing is waited for.
const MOST_DOUBLED: u32 = 6;

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    toml::from_str(include_str!("../../tables/settings.toml"))
        .expect("tables that ship with the program are read by a test")
});

impl Table {
    pub(super) fn embedded() -> &'static Self {
        &TABLE
    }

    /// How long a verdict must be gone until what was changed for it is taken back, which has been so often before; `None` where it
    /// stays.
    pub(super) fn undone_after(&self, verdict: &str, key: &str, before: u32) -> Option<Nanos> {
        let rule = self.rule.iter().find(|rule| rule.verdict.name() == verdict && rule.key == key)?;
        rule.stays.is_none().then_some(Nanos(self.undone_after.0 << before.min(MOST_DOUBLED)))
    }
}

impl Rule {
    /// Whether a verdict calls for it.
    pub(super) fn fits(&self, verdict: &Finding) -> bool {
        let remedy = verdict.remedy.as_ref().map_or("", |remedy| remedy.text.as_str());
        verdict.kind == self.verdict && self.mentions.as_ref().is_none_or(|words| remedy.contains(words))
    }

    /// What it changes a value to; `None` where nothing is left to change, or a bound cannot be told.
    pub(super) fn next(&self, is: &Value, config: &Value) -> Option<Value> {
        if self.only_if.as_ref().is_some_and(|only| !same(&json!(only), is)) {
            return None;
        }
        if let Some(to) = &self.to {
            return (!same(&json!(to), is)).then(|| json!(to));
        }
        let number = amount(is)?;
        let mut to = (number * self.times.unwrap_or(1.0) + self.add.unwrap_or(0.0)).max(0.0);
        // A pool of one thread grows by one, not by a quarter.
        to = if self.times.is_some_and(|times| times > 1.0) { to.ceil() } else { to.floor() };
        if let Some(least) = &self.least {
            to = to.max(amount(&json!(least))?);
        }
        if let Some(most) = &self.most {
            to = to.min(amount(&json!(most))?);
        }
        if let Some(share) = &self.most_of {
            to = to.min((amount(at(config, &share.key)?)? * share.share).floor());
        }
        let grows = self.times.unwrap_or(1.0) > 1.0 || self.add.unwrap_or(0.0) > 0.0;
        // A bound never turns the change around.
        let goes_on = if grows { to > number } else { to < number };
        let value = if is_size(is) { json!(Bytes(mebibytes(to)).binary().to_string()) } else { json!(to as u64) };
        (goes_on && !same(&value, is)).then_some(value)
    }
}

/// Down to whole mebibytes, so that people can read it.
fn mebibytes(bytes: f64) -> u64 {
    let unit = Bytes::mib(1).0;
    (bytes as u64) / unit * unit
}

fn is_size(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.ends_with('B'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(key: &str, verdict: FindingKind) -> &'static Rule {
        let found = Table::embedded().rule.iter().find(|rule| rule.key == key && rule.verdict == verdict);
        found.unwrap_or_else(|| panic!("no rule for {key}"))
    }

    #[test]
    fn every_rule_changes_something_within_a_bound() {
        for rule in &Table::embedded().rule {
            let ways = [rule.to.is_some(), rule.add.is_some(), rule.times.is_some()];
            assert_eq!(ways.into_iter().filter(|way| *way).count(), 1, "{}", rule.key);
            let bounded = rule.to.is_some() || rule.least.is_some() || rule.most.is_some() || rule.most_of.is_some();
            assert!(bounded && !rule.why.is_empty(), "{}", rule.key);
        }
    }

    #[test]
    fn a_cache_grows_by_a_quarter_up_to_its_share_of_memory() {
        let rule = rule("storage.block-cache.capacity", FindingKind::BlockCacheSmall);
        let config = |limit: &str| json!({ "memory-usage-limit": limit });
        assert_eq!(rule.next(&json!("4GiB"), &config("16GiB")), Some(json!("5GiB")));
        assert_eq!(rule.next(&json!("4GB"), &config("8GiB")), Some(json!("4915MiB")));
        assert_eq!(rule.next(&json!("5GiB"), &config("8GiB")), None, "it is larger than its share already");
        assert_eq!(rule.next(&json!("4GiB"), &json!({})), None, "the memory is not known");
    }

    #[test]
    fn pools_stop_at_their_bound() {
        let rule = rule("raftstore.store-pool-size", FindingKind::ThreadPool);
        let mut size = json!(2);
        while let Some(next) = rule.next(&size, &json!({})) {
            assert!(amount(&next) > amount(&size));
            size = next;
        }
        assert_eq!(Some(size.to_string()), rule.most);
    }

    #[test]
    fn a_trap_is_mended_only_where_it_is() {
        let rule = rule("rocksdb.compaction-readahead-size", FindingKind::VolumeIops);
        assert_eq!(rule.next(&json!("0KiB"), &json!({})), Some(json!("2MiB")));
        assert_eq!(rule.next(&json!("4MiB"), &json!({})), None);
    }
}
