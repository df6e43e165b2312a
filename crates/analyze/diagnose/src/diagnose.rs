//! From a Timeline to verdicts, the first the one to act on.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use timeline::Timeline;
use units::Nanos;

use crate::causes::{Cause, cause};
use crate::facts::{DiagnosisSignal, FindingScope, FindingSubject, SubjectFacts, facts, facts_without};
use crate::healthy::healthy;
use crate::remedy::{Advice, advice, over_provisioned};
use crate::rules::rules;
use crate::says::says;
use crate::{Episode, Evidence, EvidenceFact, Finding, FindingKind, KnownFacts};
use crate::{refuted, unknown};

/// The least time over which what is not used can be told from what is not used just now.
const OVER_PROVISIONED_AFTER: Nanos = Nanos::secs(600);

/// What is wrong, ranked: causes before what follows from them. There is always a verdict: `healthy` where nothing is wrong and
/// everything that tells was there, `cannot-tell` for each subject of which it was not, or of which far more was measured than
/// its limits let through: these are then taken to be unknown, and nothing is drawn from them. A Timeline in which nothing would show
/// that a disk is in trouble is told `cannot-tell`, too.
pub fn diagnose(timeline: &Timeline, known: &KnownFacts) -> Vec<Finding> {
    let told = facts(timeline, known);
    let refuted: Vec<Finding> = refuted::causes(&told).iter().map(|cause| verdict(cause, &told, known)).collect();
    let all = if refuted.is_empty() {
        told
    } else {
        let subjects: BTreeSet<FindingSubject> = refuted.iter().map(|verdict| verdict.subject.clone()).collect();
        facts_without(timeline, known, &subjects)
    };
    let mut found: Vec<(u32, f64, Finding)> = Vec::new();
    for facts in &all {
        for rule in rules().iter().filter(|rule| !rule.refutes) {
            if let Some(cause) = cause(rule, facts) {
                found.push((rule.rank, cause.coverage(), verdict(&cause, &all, known)));
            }
        }
    }
    let mut verdicts = ranked(found);
    let is_doubted = !verdicts.is_empty() || !refuted.is_empty();
    let unused: Vec<Finding> = all.iter().filter_map(|facts| unused(facts, known, &verdicts)).collect();
    verdicts.extend(unused);
    verdicts.extend(refuted);
    let unknown = unknown::of_disks(&all, &verdicts);
    if !is_doubted && unknown.is_empty() {
        verdicts.push(unknown::nothing_seen(&all).unwrap_or_else(|| healthy(&all)));
    }
    verdicts.extend(unknown);
    verdicts
}

fn verdict(cause: &Cause<'_>, all: &[SubjectFacts], known: &KnownFacts) -> Finding {
    let node = &cause.facts.subject.node;
    let disks: Vec<&SubjectFacts> =
        all.iter().filter(|facts| facts.subject.scope == FindingScope::Volume && facts.subject.node == *node).collect();
    let Advice { remedy, monthly, predicted } =
        advice(cause.rule.kind, cause.facts, cause.within.clone(), &disks, known);
    let grid = cause.facts.grid;
    let episode = |within: &std::ops::Range<usize>| Episode { from: grid.at(within.start), to: grid.at(within.end) };
    Finding {
        kind: cause.rule.kind,
        subject: cause.subject(),
        from: cause.facts.grid.at(cause.within.start),
        to: cause.facts.grid.at(cause.within.end),
        episodes: cause.episodes.iter().map(episode).collect(),
        says: says(cause, known),
        evidence: cause.evidence.clone(),
        confidence: cause.confidence,
        remedy,
        monthly,
        predicted,
    }
}

/// Causes before consequences, the rank of the table before the rest, then what held longest and is surest.
fn ranked(found: Vec<(u32, f64, Finding)>) -> Vec<Finding> {
    let follows = |verdict: &Finding| {
        rules().iter().filter(|rule| rule.kind == verdict.kind).any(|rule| {
            let is_cause = |other: &Finding| rule.follows.contains(&other.kind) && other.overlaps(verdict);
            found.iter().any(|(.., other)| is_cause(other))
        })
    };
    let mut keyed: Vec<(bool, u32, f64, Finding)> = found
        .iter()
        .map(|(rank, coverage, verdict)| (follows(verdict), *rank, coverage * verdict.confidence, verdict.clone()))
        .collect();
    keyed.sort_by(|a, b| {
        let by = (a.0, a.1).cmp(&(b.0, b.1));
        by.then_with(|| b.2.partial_cmp(&a.2).unwrap_or(Ordering::Equal)).then_with(|| a.3.subject.cmp(&b.3.subject))
    });
    let mut verdicts: Vec<Finding> = Vec::new();
    for (.., verdict) in keyed {
        // Two rules of a kind may see the same thing.
        if !verdicts.iter().any(|had| had.kind == verdict.kind && had.subject == verdict.subject) {
            verdicts.push(verdict);
        }
    }
    verdicts
}

/// What a disk is paid for beyond what it was asked, if nothing is wrong with it.
fn unused(facts: &SubjectFacts, known: &KnownFacts, wrong: &[Finding]) -> Option<Finding> {
    let node = &facts.subject.node;
    if facts.subject.scope != FindingScope::Volume || facts.span() < OVER_PROVISIONED_AFTER {
        return None;
    }
    let is_doubted = |verdict: &Finding| verdict.kind == FindingKind::CannotTell && verdict.subject == facts.subject;
    if wrong.iter().any(|verdict| verdict.kind.is_wrong() && verdict.subject.node == *node || is_doubted(verdict)) {
        return None;
    }
    let (advice, used) = over_provisioned(facts, known)?;
    let says = format!("at its peak {:.0} % of the volume's tightest limit were used", used * 100.0);
    let mut verdict = plain(FindingKind::OverProvisioned, facts, &says, 0.8);
    verdict.evidence.says_so = [DiagnosisSignal::IopsPaid, DiagnosisSignal::ThroughputPaid]
        .into_iter()
        .filter_map(|signal| {
            Some(EvidenceFact {
                signal,
                series: facts.columns.get(&signal)?.series.clone(),
                statistic: "99.5th percentile",
                value: facts.quantile(signal, 0.995)?,
                unit: signal.unit(),
                threshold: None,
                above: false,
            })
        })
        .collect();
    (verdict.remedy, verdict.monthly, verdict.predicted) = (advice.remedy, advice.monthly, advice.predicted);
    Some(verdict)
}

/// A verdict over all that was seen of a subject.
pub(crate) fn plain(kind: FindingKind, facts: &SubjectFacts, says: &str, confidence: f64) -> Finding {
    Finding {
        kind,
        subject: facts.subject.clone(),
        from: facts.grid.at(0),
        to: facts.grid.at(facts.grid.count),
        episodes: Vec::new(),
        says: says.to_owned(),
        evidence: Evidence::default(),
        confidence,
        remedy: None,
        monthly: None,
        predicted: None,
    }
}

#[cfg(test)]
#[path = "diagnose_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "told_tests.rs"]
mod told_tests;

#[cfg(test)]
#[path = "brought_tests.rs"]
mod brought_tests;
