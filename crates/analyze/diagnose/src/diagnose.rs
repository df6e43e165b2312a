//! From a Timeline to verdicts, the first the one to act on.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use timeline::Timeline;
use units::Nanos;

use crate::causes::{Cause, cause};
use crate::facts::{DiagnosisSignal, FindingScope, FindingSubject, SubjectFacts, facts, facts_without};
use crate::refuted;
use crate::remedy::{Advice, advice, over_provisioned};
use crate::rules::rules;
use crate::{Episode, Evidence, EvidenceFact, Finding, FindingKind, KnownFacts};

/// The least time over which what is not used can be told from what is not used just now.
const OVER_PROVISIONED_AFTER: Nanos = Nanos::secs(600);

/// What is wrong, ranked: causes before what follows from them. There is always a verdict: `healthy` where nothing is wrong and
/// everything that tells was there, `cannot-tell` for each subject of which it was not, or of which far more was measured than
/// its limits let through: these are then taken to be unknown, and nothing is drawn from them.
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
        for rule in rules().iter().filter(|rule| rule.kind != FindingKind::CannotTell) {
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
    let unknown: Vec<Finding> = all.iter().filter_map(|facts| cannot_tell(facts, &verdicts)).collect();
    if !is_doubted && unknown.is_empty() {
        verdicts.extend(healthy(&all));
    }
    verdicts.extend(unknown);
    if verdicts.is_empty() {
        let nothing = SubjectFacts::nothing();
        verdicts.push(plain(
            FindingKind::CannotTell,
            &nothing,
            "no series of a disk, an engine or PD is in the Timeline",
            1.0,
        ));
    }
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

/// What the rule says, with the numbers that people ask for next.
fn says(cause: &Cause<'_>, known: &KnownFacts) -> String {
    let mean = |signal| cause.facts.mean(signal, cause.within.clone());
    let mib = |bytes: f64| bytes / 1_048_576.0;
    let more = match cause.rule.kind {
        FindingKind::BurstEnding => {
            mean(DiagnosisSignal::BurstTimeLeft).map(|left| format!(": in {:.0} min", left / 60.0))
        }
        FindingKind::WriteThroughputNear => {
            mean(DiagnosisSignal::Throughput).zip(mean(DiagnosisSignal::ReadShare)).map(|(all, read)| {
                let used = mean(DiagnosisSignal::ThroughputUse).map_or_else(
                    || "of a limit that these series do not tell".to_owned(),
                    |used| format!("{:.0} % of its throughput", 100.0 * used),
                );
                format!(": {:.0} MiB/s written and {:.0} MiB/s read, {used}", mib(all * (1.0 - read)), mib(all * read))
            })
        }
        FindingKind::ThreadPool => cause.facts.columns.get(&DiagnosisSignal::PoolUse).and_then(|drawn| {
            let pool = drawn.series.strip_prefix("cpu_time{pool=")?.strip_suffix('}')?;
            Some(format!(": {pool}, whose size is {}", known.says_threads(pool)))
        }),
        FindingKind::CannotTell => Some(refuted::more(cause)),
        FindingKind::FlushBound => mean(DiagnosisSignal::QueueDepth).and_then(|depth| {
            let (rate, what) = match mean(DiagnosisSignal::FlushRate).filter(|flushes| *flushes > 0.0) {
                Some(flushes) => (flushes, "flushes (fdatasync)"),
                None => (mean(DiagnosisSignal::Iops)?, "requests"),
            };
            Some(format!(": {rate:.0} {what} a second, {depth:.2} in flight"))
        }),
        _ => None,
    };
    format!("{}{}", cause.rule.says, more.unwrap_or_default())
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
    if wrong.iter().any(|verdict| verdict.kind.is_wrong() && verdict.subject.node == *node) {
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

/// What would have to be known of a disk, where it is not.
fn cannot_tell(facts: &SubjectFacts, verdicts: &[Finding]) -> Option<Finding> {
    if facts.subject.scope != FindingScope::Volume || verdicts.iter().any(|verdict| verdict.subject == facts.subject) {
        return None;
    }
    let lacks: Vec<&str> = [
        (
            DiagnosisSignal::BoundVolumeIops,
            "the volume's limits (--disk, or --on with its deployment) or VolumeIOPSExceededCheck",
        ),
        (
            DiagnosisSignal::Latency,
            "the time that requests took (VolumeTotalReadTime, VolumeTotalWriteTime, iostat's await)",
        ),
    ]
    .into_iter()
    // Nothing waits where nothing is asked for.
    .filter(|(signal, _)| {
        !facts.columns.contains_key(signal) && facts.quantile(DiagnosisSignal::Iops, 1.0).unwrap_or(1.0) > 0.0
    })
    .map(|(_, what)| what)
    .collect();
    (!lacks.is_empty()).then(|| {
        let says = format!("whether a limit holds it up: not known is {}", lacks.join(", and "));
        plain(FindingKind::CannotTell, facts, &says, 1.0)
    })
}

/// One verdict for all of it.
fn healthy(all: &[SubjectFacts]) -> Option<Finding> {
    let first = all.first()?;
    let from = all.iter().map(|facts| facts.grid.at(0)).min()?;
    let to = all.iter().map(|facts| facts.grid.at(facts.grid.count)).max()?;
    let fullest = all
        .iter()
        .flat_map(|facts| {
            [
                DiagnosisSignal::IopsUse,
                DiagnosisSignal::ThroughputUse,
                DiagnosisSignal::InstanceIopsUse,
                DiagnosisSignal::InstanceThroughputUse,
                DiagnosisSignal::CpuUse,
            ]
            .map(|signal| (facts, signal))
        })
        .filter_map(|(facts, signal)| Some((facts, signal, facts.mean(signal, 0..facts.grid.count)?)))
        .max_by(|a, b| a.2.total_cmp(&b.2));
    let says = fullest.as_ref().map_or("nothing holds it up".to_owned(), |(facts, signal, mean)| {
        format!("nothing holds it up; the fullest is {} of {}{}", signal.name(), facts.subject, level(*signal, *mean))
    });
    let mut verdict = plain(FindingKind::Healthy, first, &says, 0.9);
    verdict.subject = FindingSubject { scope: FindingScope::Cluster, node: String::new(), disk: String::new() };
    (verdict.from, verdict.to) = (from, to);
    verdict.evidence.says_so.extend(fullest.and_then(|(facts, signal, value)| {
        let series = facts.columns.get(&signal)?.series.clone();
        Some(EvidenceFact {
            signal,
            series,
            statistic: "mean",
            value,
            unit: signal.unit(),
            threshold: None,
            above: false,
        })
    }));
    Some(verdict)
}

/// How full a limit is at which nothing waits: no more than full, whatever was counted.
fn level(signal: DiagnosisSignal, mean: f64) -> String {
    let percent = (mean * 100.0).round();
    if percent <= 100.0 {
        return format!(" at {percent:.0} %");
    }
    match signal {
        DiagnosisSignal::IopsUse | DiagnosisSignal::InstanceIopsUse => {
            ", at its limit: a volume merges small requests that follow one another before it counts them".to_owned()
        }
        _ => ", at its limit".to_owned(),
    }
}

/// A verdict over all that was seen of a subject.
fn plain(kind: FindingKind, facts: &SubjectFacts, says: &str, confidence: f64) -> Finding {
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
