//! A rule held against what is known of a subject.

use std::ops::Range;

use crate::facts::{FindingScope, FindingSubject, SubjectFacts};
use crate::rules::{DiagnosisRule, RuleCondition, thresholds};
use crate::window::strongest;
use crate::{Evidence, EvidenceFact, FindingKind};

/// A rule that holds, and where.
#[derive(Debug, Clone)]
pub(crate) struct Cause<'f> {
    pub(crate) rule: &'static DiagnosisRule,
    pub(crate) facts: &'f SubjectFacts,
    /// Intervals.
    pub(crate) within: Range<usize>,
    /// All such windows that do not touch, this one among them, in time.
    pub(crate) episodes: Vec<Range<usize>>,
    pub(crate) evidence: Evidence,
    pub(crate) confidence: f64,
}

/// The window in which a rule holds; `None` if it does not.
pub(crate) fn cause<'f>(rule: &'static DiagnosisRule, facts: &'f SubjectFacts) -> Option<Cause<'f>> {
    if rule.of != facts.subject.scope {
        return None;
    }
    let holds = holds(rule, facts)?;
    let all = 0..holds.len();
    let (within, around) = window(rule, facts, &holds, &all)?;
    let mut episodes = vec![within.clone()];
    if !rule.at_end {
        add_episodes(rule, facts, &holds, all.start..within.start, &mut episodes);
        add_episodes(rule, facts, &holds, within.end..all.end, &mut episodes);
        episodes.sort_by_key(|episode| episode.start);
    }
    let held = holds[within.clone()].iter().filter(|holds| **holds == Some(true)).count() as f64 / within.len() as f64;
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
    Some(Cause { rule, facts, within, episodes, evidence, confidence })
}

/// Whether the conditions hold in each interval, `None` where that is not known; nothing if they hold in none.
fn holds(rule: &DiagnosisRule, facts: &SubjectFacts) -> Option<Vec<Option<bool>>> {
    let mut all = vec![Some(true); facts.grid.count];
    for condition in &rule.all {
        let values = facts.values(condition.signal);
        let value = |i: usize| values.get(i).copied().flatten();
        // What does not hold by one condition needs no other to be known.
        let still = (0..).zip(&mut all).filter(|(_, holds)| **holds == Some(true));
        still.for_each(|(i, holds)| *holds = condition.holds(value(i)));
        if !all.contains(&Some(true)) {
            return None;
        }
    }
    Some(all)
}

/// The window in a part of the intervals, and the time around it over which means are looked at.
fn window(
    rule: &DiagnosisRule,
    facts: &SubjectFacts,
    holds: &[Option<bool>],
    part: &Range<usize>,
) -> Option<(Range<usize>, Range<usize>)> {
    let within = strongest(holds[part.clone()].iter().copied(), rule.share)?;
    let within = part.start + within.start..part.start + within.end;
    let lasts = facts.grid.step.0 * within.len() as u64;
    // What goes in bursts is told from what lasts by the time before and after.
    let context = within.len().min((thresholds().context / facts.grid.step.as_secs_f64()) as usize);
    let around = within.start.saturating_sub(context)..(within.end + context).min(facts.grid.count);
    let over = |condition: &RuleCondition| condition.holds(facts.mean(condition.signal, around.clone())) == Some(true);
    // A second between two looks is a little less by the clock. All that was seen may be one interval, longer or shorter than the
    // shortest window.
    let is_long = lasts as f64 >= 0.99 * rule.least.0 as f64 || within.len() == facts.grid.count;
    let is_last = !rule.at_end || within.end == facts.grid.count;
    (is_long && is_last && rule.over.iter().all(over)).then_some((within, around))
}

/// The windows of a part of the intervals beside one that was found.
fn add_episodes(
    rule: &DiagnosisRule,
    facts: &SubjectFacts,
    holds: &[Option<bool>],
    part: Range<usize>,
    episodes: &mut Vec<Range<usize>>,
) {
    /// More are the same again.
    const MOST: usize = 100;
    if episodes.len() < MOST
        && let Some((within, _)) = window(rule, facts, holds, &part)
    {
        episodes.push(within.clone());
        add_episodes(rule, facts, holds, part.start..within.start, episodes);
        add_episodes(rule, facts, holds, within.end..part.end, episodes);
    }
}

/// The mean of a signal over a window, against its threshold.
fn fact(facts: &SubjectFacts, condition: &RuleCondition, within: &Range<usize>) -> Option<EvidenceFact> {
    Some(EvidenceFact {
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
    pub(crate) fn subject(&self) -> FindingSubject {
        let mut subject = self.facts.subject.clone();
        let of_link = matches!(
            self.rule.kind,
            FindingKind::InstanceIops | FindingKind::InstanceThroughput | FindingKind::InstanceBurstSpent
        );
        if of_link || self.rule.kind == FindingKind::CannotTell && subject.scope == FindingScope::Node {
            subject.scope = FindingScope::Instance;
            // A volume that counts its instance's limit tells of an instance that may have no name of its own.
            if !subject.node.is_empty() {
                subject.disk.clear();
            }
        }
        subject
    }

    /// The share of what was seen in which it held.
    pub(crate) fn coverage(&self) -> f64 {
        self.within.len() as f64 / self.facts.grid.count.max(1) as f64
    }
}
