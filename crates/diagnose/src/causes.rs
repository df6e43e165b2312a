//! A rule held against what is known of a subject.

use std::ops::Range;

use crate::facts::{Facts, Scope, Subject};
use crate::rules::{Condition, Rule, thresholds};
use crate::window::strongest;
use crate::{Evidence, Fact, Kind};

/// A rule that holds, and where.
#[derive(Debug, Clone)]
pub(crate) struct Cause<'f> {
    pub(crate) rule: &'static Rule,
    pub(crate) facts: &'f Facts,
    /// Intervals.
    pub(crate) within: Range<usize>,
    pub(crate) evidence: Evidence,
    pub(crate) confidence: f64,
}

/// The window in which a rule holds; `None` if it does not.
pub(crate) fn cause<'f>(rule: &'static Rule, facts: &'f Facts) -> Option<Cause<'f>> {
    let scope = facts.subject.scope;
    if rule.of != scope {
        return None;
    }
    let holds = |i: usize| {
        rule.all.iter().try_fold(true, |all, condition| Some(all && condition.holds(facts.at(condition.signal, i))?))
    };
    let within = strongest((0..facts.grid.count).map(holds), rule.share)?;
    let lasts = facts.grid.step.0 * within.len() as u64;
    // What goes in bursts is told from what lasts by the time before and after.
    let context = within.len().min((thresholds().context / facts.grid.step.as_secs_f64()) as usize);
    let around = within.start.saturating_sub(context)..(within.end + context).min(facts.grid.count);
    let over = |condition: &Condition| condition.holds(facts.mean(condition.signal, around.clone()));
    // An interval longer than the shortest window is one all the same.
    if (lasts < rule.least.0 && within.len() < facts.grid.count) || rule.over.iter().any(|one| over(one) != Some(true))
    {
        return None;
    }
    if rule.at_end && within.end < facts.grid.count {
        return None;
    }
    let held = within.clone().filter(|i| holds(*i) == Some(true)).count() as f64 / within.len() as f64;
    let mut evidence = Evidence::default();
    let mut lacks = 1.0 - rule.confidence;
    for (conditions, looked) in [(&rule.all, &within), (&rule.over, &around)] {
        for condition in conditions {
            let Some(drawn) = facts.columns.get(&condition.signal) else { continue };
            lacks += if drawn.estimated { 0.1 } else { 0.0 };
            evidence.says_so.extend(fact(facts, condition, looked));
        }
    }
    for condition in &rule.doubt {
        let against =
            facts.mean(condition.signal, within.clone()).is_some_and(|mean| condition.holds(Some(mean)) == Some(true));
        if against {
            lacks += (1.0 - lacks) / 4.0;
            evidence.against.extend(fact(facts, condition, &within));
        }
    }
    // Where it holds only at times, so sure is what it explains.
    let confidence = ((1.0 - lacks) * (0.7 + 0.3 * held)).clamp(0.05, 0.99);
    Some(Cause { rule, facts, within, evidence, confidence })
}

/// The mean of a signal over a window, against its threshold.
fn fact(facts: &Facts, condition: &Condition, within: &Range<usize>) -> Option<Fact> {
    Some(Fact {
        signal: condition.signal,
        series: facts.columns.get(&condition.signal)?.series.clone(),
        statistic: "mean",
        value: facts.mean(condition.signal, within.clone())?,
        unit: condition.signal.unit(),
        threshold: condition.above.or(condition.below),
        above: condition.above.is_some(),
    })
}

impl Cause<'_> {
    /// Whose it is: an instance's link is told of by its node.
    pub(crate) fn subject(&self) -> Subject {
        let mut subject = self.facts.subject.clone();
        if matches!(self.rule.kind, Kind::InstanceIops | Kind::InstanceThroughput | Kind::InstanceBurstSpent) {
            subject.scope = Scope::Instance;
        }
        subject
    }

    /// The share of what was seen in which it held.
    pub(crate) fn coverage(&self) -> f64 {
        self.within.len() as f64 / self.facts.grid.count.max(1) as f64
    }
}
