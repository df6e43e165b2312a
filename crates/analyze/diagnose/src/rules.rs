//! What makes a verdict, as data: `tables/rules.toml`.

use std::sync::LazyLock;

use units::{Nanos, Usd};

use crate::facts::FindingScope;
use crate::{DiagnosisSignal, FindingKind};

/// A signal held against a threshold, in its unit.
#[derive(Debug, Clone, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleCondition {
    /// What is looked at.
    pub signal: DiagnosisSignal,
    /// It must be this or more.
    pub above: Option<f64>,
    /// It must be this or less.
    pub below: Option<f64>,
    /// Whether it is taken to hold where the signal is not known.
    #[serde(default)]
    pub optional: bool,
}

/// When a verdict is given.
#[derive(Debug, Clone, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DiagnosisRule {
    /// What it says.
    pub kind: FindingKind,
    /// Of what.
    pub of: FindingScope,
    /// Whether it refutes limits that are said to be known: nothing is then drawn from them.
    #[serde(default)]
    pub refutes: bool,
    /// What must hold in an interval.
    pub all: Vec<RuleCondition>,
    /// What the means over the window, with some of the time around it, must be.
    #[serde(default)]
    pub over: Vec<RuleCondition>,
    /// What, if it is so in the mean over the window, speaks against it; each halves what the confidence lacks.
    #[serde(default)]
    pub doubt: Vec<RuleCondition>,
    /// Of the window's intervals, in so many all conditions hold.
    pub share: f64,
    /// The shortest window.
    pub least: Nanos,
    /// Whether the window must reach to the end of what was seen.
    #[serde(default)]
    pub at_end: bool,
    /// How sure the verdict is where all of it is measured.
    pub confidence: f64,
    /// Causes go before what follows from them: 1 is looked at first.
    pub rank: u32,
    /// Verdicts of which this one is a consequence where they hold at one time.
    #[serde(default)]
    pub follows: Vec<FindingKind>,
    /// What it means, for people.
    pub says: String,
    /// Why these thresholds.
    pub reason: String,
    /// Where from.
    pub source: String,
}

/// Where arithmetic draws a line before any rule looks.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Thresholds {
    /// A limit is used up from this share of it.
    pub(crate) full: f64,
    /// From this share on it is used whole.
    pub(crate) whole: f64,
    /// Requests then wait when they take so many times what the model takes.
    pub(crate) soft: f64,
    /// What a limit lets through while it holds requests up is at least so much of it.
    pub(crate) delivered: f64,
    /// Requests wait when they take so many times what the model takes.
    pub(crate) waiting: f64,
    /// They wait when so many are in flight, where the model is not known.
    pub(crate) queue: f64,
    /// A bucket is empty under this share.
    pub(crate) empty: f64,
    /// A rate is flat that varies by no more than this share.
    pub(crate) flat: f64,
    /// A line explains at least this share of how free space varies where it is a trend.
    pub(crate) trend: f64,
    /// Reads of blocks that are still in a snapshot take so many times what the model takes.
    pub(crate) loading: f64,
    /// Fewer requests a second tell nothing of latency.
    pub(crate) requests: f64,
    /// A disk that answers nothing has at least so many in flight on average.
    pub(crate) stalled_queue: f64,
    /// What is paid for should be so many times the peak.
    pub(crate) headroom: f64,
    /// A change that raises a limit raises it at least so many times.
    pub(crate) raise: f64,
    /// And asks for at most so many times what was delivered, however long the queue is.
    pub(crate) most_raise: f64,
    /// An alarm on burst credits goes off under this share.
    pub(crate) alarm_balance: f64,
    /// Seconds before and after a window, and no more than it lasts, over which the means are taken that tell bursts.
    pub(crate) context: f64,
    /// Less of a month's price is not worth a change.
    pub(crate) least_saving: f64,
}

/// A threshold of the table.
#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Threshold {
    name: String,
    value: f64,
    #[cfg_attr(not(test), expect(dead_code, reason = "for the table's readers; a test wants it filled in"))]
    reason: String,
    #[cfg_attr(not(test), expect(dead_code, reason = "for the table's readers; a test wants it filled in"))]
    source: String,
}

#[derive(Debug, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    threshold: Vec<Threshold>,
    rule: Vec<DiagnosisRule>,
}

static TABLE: LazyLock<Table> =
    LazyLock::new(|| toml::from_str(include_str!("../tables/rules.toml")).expect("tested: the table is right"));

static THRESHOLDS: LazyLock<Thresholds> = LazyLock::new(|| {
    let value = |name: &str| TABLE.threshold.iter().find(|row| row.name == name).expect("tested: it is there").value;
    Thresholds {
        full: value("full"),
        whole: value("whole"),
        soft: value("soft"),
        delivered: value("delivered"),
        waiting: value("waiting"),
        queue: value("queue"),
        empty: value("empty"),
        flat: value("flat"),
        loading: value("loading"),
        trend: value("trend"),
        requests: value("requests"),
        stalled_queue: value("stalled-queue"),
        headroom: value("headroom"),
        raise: value("raise"),
        most_raise: value("most-raise"),
        alarm_balance: value("alarm-balance"),
        context: value("context"),
        least_saving: value("least-saving"),
    }
});

/// How much more than was delivered a volume should carry: the thresholds of the table that others reckon with too.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HeadroomMargins {
    /// What is paid for should be so many times the peak.
    pub headroom: f64,
    /// A limit that held requests up is raised at least so many times what was delivered.
    pub raise: f64,
    /// And at most so many times, however long the queue was.
    pub most_raise: f64,
    /// A month's saving under which nobody changes a volume.
    pub least_saving: Usd,
}

/// The margins that verdicts reckon with.
pub fn margins() -> HeadroomMargins {
    let t = thresholds();
    HeadroomMargins {
        headroom: t.headroom,
        raise: t.raise,
        most_raise: t.most_raise,
        least_saving: Usd(t.least_saving),
    }
}

/// All rules, in the table's order.
pub fn rules() -> &'static [DiagnosisRule] {
    &TABLE.rule
}

pub(crate) fn thresholds() -> &'static Thresholds {
    &THRESHOLDS
}

impl RuleCondition {
    /// Whether a value meets it; `None` where the value is not known and had to be.
    pub(crate) fn holds(&self, value: Option<f64>) -> Option<bool> {
        match value {
            Some(value) => {
                Some(self.above.is_none_or(|least| value >= least) && self.below.is_none_or(|most| value <= most))
            }
            None => self.optional.then_some(true),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_its_reason_and_source_and_asks_something() {
        for rule in rules() {
            let texts = [&rule.says, &rule.reason, &rule.source];
            assert!(texts.iter().all(|text| !text.trim().is_empty()), "{}", rule.kind);
            assert!(!rule.all.is_empty() && rule.all.iter().any(|condition| !condition.optional), "{}", rule.kind);
            assert!((0.0..=1.0).contains(&rule.share) && (0.0..=1.0).contains(&rule.confidence), "{}", rule.kind);
            for condition in rule.all.iter().chain(&rule.over).chain(&rule.doubt) {
                assert!(condition.above.is_some() || condition.below.is_some(), "{}", rule.kind);
            }
        }
    }

    #[test]
    fn every_threshold_is_there_with_reason_and_source() {
        assert!(thresholds().full > 0.0);
        assert!(TABLE.threshold.iter().all(|row| !row.reason.is_empty() && !row.source.is_empty()));
        assert_eq!(TABLE.threshold.len(), 18);
    }

    #[test]
    fn a_value_that_is_not_known_meets_only_what_is_optional() {
        let mut condition =
            RuleCondition { signal: DiagnosisSignal::IopsUse, above: Some(0.9), below: None, optional: false };
        assert_eq!(condition.holds(None), None);
        assert_eq!([0.8, 0.9].map(|value| condition.holds(Some(value))), [Some(false), Some(true)]);
        condition.optional = true;
        assert_eq!(condition.holds(None), Some(true));
    }

    #[test]
    fn every_kind_that_is_wrong_has_a_rule() {
        for kind in FindingKind::ALL.into_iter().filter(|kind| kind.is_wrong()) {
            assert!(rules().iter().any(|rule| rule.kind == kind), "{kind}");
        }
    }
}
