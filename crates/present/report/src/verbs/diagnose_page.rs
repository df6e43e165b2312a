//! The page of a diagnosis: findings with their evidence drawn.

use diagnose::{Finding, FindingKind, FindingScope, KnownFacts, SubjectFacts, facts};
use jiff::Timestamp;
use timeline::Timeline;
use units::Nanos;

use super::diagnose::{episodes, headline, instant, left_out, threshold, value};
use crate::{EvidenceCurve, FindingSection, FindingsPage, findings_page, words};

/// Findings that are drawn; more would be the same on other nodes.
const DRAWN: usize = 12;
/// Points of a curve: more are no wider than a hair.
const POINTS: usize = 480;

const RULES: &str = "Rules with their thresholds, reasons and sources: crates/analyze/diagnose/tables/rules.toml. Limits and prices: the \
                     catalogue of the day asked for.";

/// The page of what was diagnosed of `of`.
pub fn page(of: &str, timeline: &Timeline, known: &KnownFacts, verdicts: &[Finding]) -> String {
    let (from, until) = timeline.span().unwrap_or_default();
    let all = facts(timeline, known);
    let start = timeline.about.start;
    let mut about = vec![("Seen".to_owned(), format!("{} to {}", instant(from, start), instant(until, start)))];
    about.extend(all.iter().filter_map(|facts| {
        let disk = facts.disk.as_ref()?;
        Some((format!("Disk {}", facts.subject), disk.to_string()))
    }));
    findings_page(&FindingsPage {
        title: format!("Diagnosis of {of}"),
        answer: headline(verdicts),
        good: verdicts.iter().all(|verdict| !verdict.kind.is_wrong()),
        facts: about,
        span: until - from,
        findings: verdicts.iter().take(DRAWN).map(|verdict| finding(verdict, &all, (from, start))).collect(),
        notes: left_out(timeline)
            .into_iter()
            .map(|what| format!("Left out: {what}."))
            .chain([RULES.to_owned()])
            .collect(),
    })
}

fn finding(verdict: &Finding, all: &[SubjectFacts], (start, clock): (Nanos, Option<Timestamp>)) -> FindingSection {
    let mut says = vec![format!("{}.", verdict.says)];
    says.extend(episodes(verdict, clock));
    says.extend(verdict.remedy.as_ref().map(|remedy| format!("Do: {}.", remedy.text)));
    says.extend(verdict.monthly.map(|usd| format!("A month's price changes by {:+.2} USD.", usd.0)));
    says.push(format!("{} sure.", words::percent(verdict.confidence)));
    let evidence = &verdict.evidence;
    let speaking =
        evidence.says_so.iter().map(|fact| (fact, "for")).chain(evidence.against.iter().map(|fact| (fact, "against")));
    let row = |(fact, speaks): (&diagnose::EvidenceFact, &str)| {
        let of = format!("{} ({})", fact.signal, fact.series);
        [of, fact.statistic.to_owned(), value(fact), threshold(fact), speaks.to_owned()]
    };
    let name = if verdict.kind == FindingKind::Healthy {
        "Healthy".to_owned()
    } else {
        format!("{} of {}", verdict.kind, verdict.subject)
    };
    let offset = |at: Nanos| Nanos(at.0.saturating_sub(start.0));
    FindingSection {
        heading: name,
        says,
        evidence: speaking.clone().map(row).collect(),
        window: [offset(verdict.from), offset(verdict.to)],
        curves: speaking.filter_map(|(fact, _)| curve(verdict, fact, all, start)).collect(),
    }
}

/// A signal over all that was seen.
fn curve(
    verdict: &Finding,
    fact: &diagnose::EvidenceFact,
    all: &[SubjectFacts],
    start: Nanos,
) -> Option<EvidenceCurve> {
    let subject = &verdict.subject;
    let is_it = |facts: &&SubjectFacts| {
        facts.columns.contains_key(&fact.signal)
            && (facts.subject == *subject
                || subject.scope == FindingScope::Instance
                    && facts.subject.scope == FindingScope::Node
                    && facts.subject.node == subject.node)
    };
    let facts = all.iter().find(is_it)?;
    let each = facts.grid.count.div_ceil(POINTS).max(1);
    let middle = |i: usize| Nanos(facts.grid.at(i).0.midpoint(facts.grid.at(i + each).0).saturating_sub(start.0));
    let point = |i: usize| (middle(i), facts.mean(fact.signal, i..(i + each).min(facts.grid.count)));
    Some(EvidenceCurve {
        heading: fact.signal.to_string(),
        y: if fact.unit.is_empty() {
            fact.signal.name().to_owned()
        } else {
            format!("{}, {}", fact.signal.name(), fact.unit)
        },
        points: (0..facts.grid.count).step_by(each).map(point).collect(),
        level: fact.threshold.map(|threshold| (threshold, "threshold".to_owned())),
    })
}
