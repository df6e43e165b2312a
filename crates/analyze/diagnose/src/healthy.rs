//! The verdict where nothing is wrong, and of what.

use crate::diagnose::plain;
use crate::facts::{DiagnosisSignal, FindingScope, FindingSubject, SubjectFacts};
use crate::unknown::parts;
use crate::{EvidenceFact, Finding, FindingKind};

/// One verdict for all of it.
pub(crate) fn healthy(all: &[SubjectFacts]) -> Finding {
    let nothing = SubjectFacts::nothing();
    let first = all.first().unwrap_or(&nothing);
    let from = all.iter().map(|facts| facts.grid.at(0)).min().unwrap_or_default();
    let to = all.iter().map(|facts| facts.grid.at(facts.grid.count)).max().unwrap_or_default();
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
    let unseen: Vec<&str> = parts(all).into_iter().filter(|(_, is_seen)| !is_seen).map(|(part, _)| part).collect();
    // PD is looked at beside an engine or not at all.
    let says = match unseen.as_slice() {
        ["the engine", "processors", ..] => format!("{says}. Of disks alone: the engine and processors were not seen"),
        _ => says,
    };
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
    verdict
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
