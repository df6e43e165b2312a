//! The page of a diagnosis: each finding once, with the nodes that it holds for, its evidence drawn, and what was seen of the disks.

use std::collections::{BTreeMap, BTreeSet};

use diagnose::{DiagnosisSignal, EvidenceFact, Finding, FindingKind, FindingScope, KnownFacts, SubjectFacts, facts};
use jiff::Timestamp;
use timeline::Timeline;
use units::Nanos;

use super::diagnose::{capital, episodes, groups, headline, instant, left_out, money, name};
use super::signals::SignalDisplay;
use crate::page::{
    AnswerTone, ChartLimit, ChartMark, ChartSeries, MarkKind, Page, PageBlock, PageChart, PageClock, PageOrigin,
    PageTable, PriceDates,
};
use crate::run_charts::LINES;
use crate::words;

/// Findings that are described at length; the others are named.
const AT_LENGTH: usize = 12;

/// Signals of a finding that are drawn at once; the others are folded.
const DRAWN: usize = 2;

/// Signals of disks that are drawn of every diagnosis, each with its limit.
const SEEN: [DiagnosisSignal; 4] =
    [DiagnosisSignal::Iops, DiagnosisSignal::Throughput, DiagnosisSignal::Latency, DiagnosisSignal::QueueDepth];

/// The page of what was diagnosed of `of`.
pub fn page(of: &str, timeline: &Timeline, known: &KnownFacts, verdicts: &[Finding], origin: PageOrigin) -> Page {
    let (from, until) = timeline.span().unwrap_or_default();
    let start = timeline.about.start;
    let all = facts(timeline, known);
    let drawing = Drawing { facts: &all, from };
    let groups = groups(verdicts);
    let mut blocks = Vec::new();
    let mut drawn = BTreeSet::from_iter(SEEN.map(|signal| (signal, String::new())));
    for (number, group) in groups.iter().take(AT_LENGTH).enumerate() {
        blocks.extend(one(number + 1, group, start));
        blocks.extend(drawing.evidence(group, &mut drawn));
    }
    if groups.len() > AT_LENGTH {
        blocks.push(PageBlock::Heading("Also found, with less weight".into()));
        blocks.push(PageBlock::List(groups[AT_LENGTH..].iter().map(|group| capital(&name(group))).collect()));
    }
    let seen = drawing.seen(verdicts);
    if !seen.is_empty() {
        blocks.push(PageBlock::Heading("What was seen of the disks".into()));
        blocks.extend(seen);
    }
    let mut about = vec![("Seen".to_owned(), format!("{} to {}", instant(from, start), instant(until, start)))];
    about.extend(disks(&all));
    Page {
        title: format!("Diagnosis of {of}"),
        question: format!("What holds {of} up, and what is the cheapest remedy?"),
        answer: headline(verdicts),
        tone: if verdicts.iter().all(|verdict| !verdict.kind.is_wrong()) { AnswerTone::Good } else { AnswerTone::Bad },
        facts: about,
        assumed: assumed(known, timeline),
        origin: PageOrigin { as_of: known.view.date(), prices: prices(known), ..origin },
        clock: Some(clock(&groups, (from, until), start)),
        blocks,
        notes: Vec::new(),
    }
}

/// What the answer rests on beside the series.
fn assumed(known: &KnownFacts, timeline: &Timeline) -> Vec<String> {
    let instance = known.instance.as_ref().map(|instance| format!("Each node is a {instance}, as given."));
    let scaled = known
        .scaled
        .iter()
        .map(|(role, share)| format!("Disks {role} deliver {} of their limits, as given.", words::percent(*share)));
    let left_out = left_out(timeline).into_iter().map(|what| format!("Left out: {what}."));
    instance.into_iter().chain(scaled).chain(left_out).collect()
}

/// The disks by their notation, those that are alike on one line.
fn disks(all: &[SubjectFacts]) -> Vec<(String, String)> {
    let mut alike: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for facts in all {
        if let Some(disk) = &facts.disk {
            alike.entry(disk.to_string()).or_default().push(facts.subject.to_string());
        }
    }
    alike.into_iter().map(|(disk, subjects)| (disk, subjects.join(", "))).collect()
}

/// The time axis, with what is wrong marked where it was.
fn clock(groups: &[Vec<&Finding>], (from, until): (Nanos, Nanos), start: Option<Timestamp>) -> PageClock {
    let offset = |at: Nanos| Nanos(at.0.saturating_sub(from.0)).as_secs_f64();
    let wrong = groups.iter().enumerate().take(AT_LENGTH).filter(|(_, group)| group[0].kind.is_wrong());
    let marks = wrong.flat_map(|(i, group)| {
        let whole = (
            group.iter().map(|finding| finding.from).min().unwrap_or(from),
            group.iter().map(|finding| finding.to).max().unwrap_or(until),
        );
        // What recurs is marked each time.
        let episodes = &group[0].episodes;
        let times = match episodes.len() {
            0 | 1 => vec![whole],
            _ => episodes.iter().map(|episode| (episode.from, episode.to)).collect(),
        };
        times.into_iter().map(move |(from, to)| ChartMark {
            kind: MarkKind::Finding,
            from: offset(from),
            until: Some(offset(to)),
            text: group[0].kind.to_string(),
            number: i + 1,
        })
    });
    PageClock {
        name: "time from the start".to_owned(),
        span: (until - from).as_secs_f64(),
        start: start.and_then(|start| Timestamp::from_nanosecond(start.as_nanosecond() + i128::from(from.0)).ok()),
        marks: marks.collect(),
    }
}

/// A finding in words: what, where, when, the remedy and its price; and its evidence as a table.
fn one(number: usize, group: &[&Finding], start: Option<Timestamp>) -> Vec<PageBlock> {
    let verdict = group[0];
    let heading = if verdict.kind == FindingKind::Healthy { "Healthy".to_owned() } else { capital(&name(group)) };
    let mut blocks = vec![PageBlock::Heading(format!("{number}. {heading}"))];
    let span = format!("{} to {}", instant(verdict.from, start), instant(verdict.to, start));
    blocks.push(PageBlock::Text(format!(
        "{}. {span}; {} sure.",
        capital(&verdict.says),
        words::percent(verdict.confidence)
    )));
    blocks.extend(episodes(verdict, start).map(PageBlock::Text));
    if let Some(remedy) = &verdict.remedy {
        let usd = verdict.monthly.map_or(String::new(), |usd| format!(" {}.", money(usd, group.len())));
        blocks.push(PageBlock::Text(format!("Do: {}.{usd}", remedy.text)));
    }
    let alike = |one: &&Finding| (one.from, one.to, &one.says) == (verdict.from, verdict.to, &verdict.says);
    if !group.iter().all(alike) {
        let row = |finding: &&Finding| {
            vec![
                finding.subject.to_string(),
                instant(finding.from, start),
                instant(finding.to, start),
                words::percent(finding.confidence),
                capital(&finding.says),
            ]
        };
        let head = ["Where", "From", "To", "Sure", "What goes on"];
        blocks.push(PageBlock::Table(PageTable::plain(
            "Nodes of this finding",
            &head,
            &[3],
            group.iter().map(row).collect(),
        )));
    }
    let evidence = &verdict.evidence;
    let speaking =
        evidence.says_so.iter().map(|fact| (fact, "for")).chain(evidence.against.iter().map(|fact| (fact, "against")));
    let rows: Vec<Vec<String>> = speaking.map(row).collect();
    let head = ["Signal", "Value", "Threshold", "Statistic", "Speaks", "Series"];
    if !rows.is_empty() {
        let of = if group.len() > 1 { format!("Evidence of {}", verdict.subject) } else { "Evidence".to_owned() };
        blocks.push(PageBlock::Table(PageTable::plain(&of, &head, &[1, 2], rows)));
    }
    blocks
}

fn row((fact, speaks): (&EvidenceFact, &str)) -> Vec<String> {
    let shown = SignalDisplay::of(fact.signal);
    let sign = if fact.above { "≥" } else { "≤" };
    vec![
        shown.title.clone(),
        shown.text(fact.value),
        fact.threshold.map_or(String::new(), |threshold| format!("{sign} {}", shown.text(threshold))),
        fact.statistic.to_owned(),
        speaks.to_owned(),
        in_words(&fact.series),
    ]
}

/// A source in which signals are named as on the charts, not as in the rules.
fn in_words(series: &str) -> String {
    let mut names: Vec<&DiagnosisSignal> =
        DiagnosisSignal::ALL.iter().filter(|signal| signal.name().contains('-')).collect();
    // Some names are parts of others.
    names.sort_by_key(|signal| std::cmp::Reverse(signal.name().len()));
    names
        .into_iter()
        .fold(series.to_owned(), |text, signal| text.replace(signal.name(), &SignalDisplay::of(*signal).title))
}

/// The days of the prices of what was diagnosed: the deployment's, else those of the disks that were named.
fn prices(known: &KnownFacts) -> Option<PriceDates> {
    let of_disks = || {
        let kinds = known.disks.values().map(|disk| disk.volume.kind.as_str());
        PriceDates::of_volumes(&known.view, known.region.as_deref()?, kinds)
    };
    PriceDates::of(&known.view, known.deployment.as_ref()).or_else(of_disks)
}

/// What charts are drawn from: the signals of every subject, and the start of the time axis.
struct Drawing<'a> {
    facts: &'a [SubjectFacts],
    from: Nanos,
}

impl Drawing<'_> {
    /// The signals of a finding, a line for each node; what is drawn already, under `drawn`, is not drawn again.
    fn evidence(&self, group: &[&Finding], drawn: &mut BTreeSet<(DiagnosisSignal, String)>) -> Vec<PageBlock> {
        let facts = group.iter().flat_map(|finding| finding.evidence.says_so.iter().chain(&finding.evidence.against));
        // In the order of the evidence: what says most comes first.
        let mut thresholds: Vec<(DiagnosisSignal, Option<f64>)> = Vec::new();
        for fact in facts {
            match thresholds.iter_mut().find(|(signal, _)| *signal == fact.signal) {
                Some((_, had)) => *had = had.or(fact.threshold),
                None => thresholds.push((fact.signal, fact.threshold)),
            }
        }
        let mut charts = Vec::new();
        for (signal, threshold) in thresholds {
            if drawn.contains(&(signal, String::new())) {
                continue;
            }
            let subjects: Vec<&SubjectFacts> = group.iter().filter_map(|finding| self.told(finding, signal)).collect();
            let names: Vec<String> = subjects.iter().map(|facts| facts.subject.to_string()).collect();
            if !drawn.insert((signal, names.join(","))) {
                continue;
            }
            let shown = SignalDisplay::of(signal);
            let limit = threshold.map(|threshold| ChartLimit {
                value: threshold * shown.times,
                name: format!("threshold: {}", shown.text(threshold)),
            });
            charts.push(self.chart(signal, &subjects, limit.into_iter().collect()));
        }
        let mut charts: Vec<PageBlock> =
            charts.into_iter().filter(PageChart::has_values).map(PageBlock::Chart).collect();
        if charts.len() > DRAWN {
            let folded = charts.split_off(DRAWN);
            charts.push(PageBlock::Folded(format!("{} more signals, drawn", folded.len()), folded));
        }
        charts
    }

    /// The facts that tell a signal of what a finding is about.
    fn told(&self, finding: &Finding, signal: DiagnosisSignal) -> Option<&SubjectFacts> {
        let subject = &finding.subject;
        self.facts.iter().find(|facts| {
            facts.columns.contains_key(&signal)
                && (facts.subject == *subject
                    || subject.scope == FindingScope::Instance
                        && facts.subject.scope == FindingScope::Node
                        && facts.subject.node == subject.node)
        })
    }

    /// I/Os, throughput, latency and queue of the disks, those of the findings first, each with its limits.
    fn seen(&self, verdicts: &[Finding]) -> Vec<PageBlock> {
        let is_named = |facts: &SubjectFacts| {
            verdicts.iter().any(|finding| finding.kind.is_wrong() && finding.subject == facts.subject)
        };
        let mut disks: Vec<&SubjectFacts> =
            self.facts.iter().filter(|facts| facts.subject.scope == FindingScope::Volume).collect();
        disks.sort_by_key(|facts| !is_named(facts));
        let charts = SEEN.map(|signal| self.chart(signal, &disks, limits(signal, &disks)));
        charts.into_iter().filter(PageChart::has_values).map(PageBlock::Chart).collect()
    }

    fn chart(&self, signal: DiagnosisSignal, subjects: &[&SubjectFacts], limits: Vec<ChartLimit>) -> PageChart {
        let shown = SignalDisplay::of(signal);
        let line = |facts: &&SubjectFacts| {
            let middle = |i: usize| {
                let middle = facts.grid.at(i).0.midpoint(facts.grid.at(i + 1).0);
                Nanos(middle.saturating_sub(self.from.0)).as_secs_f64()
            };
            let values = facts.values(signal).iter().enumerate();
            ChartSeries::line(
                facts.subject.to_string(),
                values.map(|(i, value)| (middle(i), value.map(|value| value * shown.times))).collect(),
            )
        };
        let lines: Vec<ChartSeries> = subjects.iter().map(line).filter(ChartSeries::has_values).collect();
        let caption =
            if lines.len() > LINES { format!("{LINES} of {} are drawn.", lines.len()) } else { String::new() };
        PageChart {
            heading: shown.title.clone(),
            caption,
            y: shown.axis(),
            series: lines.into_iter().take(LINES).collect(),
            limits,
            ..PageChart::default()
        }
    }
}

/// The sustained limits of the disks on a signal, those that are the same once.
fn limits(signal: DiagnosisSignal, disks: &[&SubjectFacts]) -> Vec<ChartLimit> {
    let shown = SignalDisplay::of(signal);
    let mut known: BTreeMap<u64, Vec<String>> = BTreeMap::new();
    for facts in disks.iter().take(LINES) {
        let Some(limits) = &facts.limits else { continue };
        let limit = match signal {
            DiagnosisSignal::Iops => limits.iops.0,
            DiagnosisSignal::Throughput => limits.throughput.0,
            _ => continue,
        };
        known.entry(limit.to_bits()).or_default().push(facts.subject.to_string());
    }
    let several = known.len() > 1;
    let limit = |(bits, subjects): (u64, Vec<String>)| {
        let value = f64::from_bits(bits);
        let of = if several { format!(" of {}", subjects.join(", ")) } else { String::new() };
        ChartLimit { value: value * shown.times, name: format!("limit{of}: {}", shown.text(value)) }
    };
    known.into_iter().map(limit).collect()
}

#[cfg(test)]
mod tests {
    use diagnose::{Evidence, FindingSubject};

    use super::*;

    /// A finding that its rules made of nothing, turned into one of a disk of `node`.
    fn finding(node: &str, to: u64) -> Finding {
        let known = KnownFacts::nothing(catalog::Catalog::embedded().at(None));
        let fact = EvidenceFact {
            signal: DiagnosisSignal::IoLeft,
            series: "io_balance".into(),
            statistic: "mean",
            value: 0.01,
            unit: "",
            threshold: Some(0.02),
            above: false,
        };
        Finding {
            kind: FindingKind::BurstExhausted,
            subject: FindingSubject { scope: FindingScope::Volume, node: node.into(), disk: "data".into() },
            from: Nanos(0),
            to: Nanos::secs(to),
            says: "the credits are spent".into(),
            evidence: Evidence { says_so: vec![fact], against: Vec::new() },
            ..diagnose::diagnose(&Timeline::default(), &known).remove(0)
        }
    }

    fn diagnosed(verdicts: &[Finding]) -> Page {
        let known = KnownFacts::nothing(catalog::Catalog::embedded().at(None));
        page("a <cluster>", &Timeline::default(), &known, verdicts, PageOrigin::default())
    }

    #[test]
    fn what_recurs_is_marked_each_time() {
        let episode = |at: u64| diagnose::Episode { from: Nanos::secs(at), to: Nanos::secs(at + 30) };
        let recurring = Finding { episodes: vec![episode(0), episode(600), episode(1200)], ..finding("n1", 30) };
        let marks = diagnosed(&[recurring]).clock.unwrap().marks;
        let places: Vec<(f64, Option<f64>)> = marks.iter().map(|mark| (mark.from, mark.until)).collect();
        assert_eq!(places, [(0.0, Some(30.0)), (600.0, Some(630.0)), (1200.0, Some(1230.0))]);
    }

    #[test]
    fn sources_name_signals_as_charts_do() {
        assert_eq!(
            in_words("estimated from iops-use and latency"),
            "estimated from Use of the volume's I/O rate and latency"
        );
        assert_eq!(in_words("instance-iops-use"), "Use of the instance's I/O rate");
        assert_eq!(in_words("read_ops + write_ops"), "read_ops + write_ops");
    }

    fn headings(page: &Page) -> Vec<&str> {
        page.blocks
            .iter()
            .filter_map(|b| if let PageBlock::Heading(text) = b { Some(text.as_str()) } else { None })
            .collect()
    }

    fn tables(page: &Page) -> Vec<&PageTable> {
        page.blocks.iter().filter_map(|b| if let PageBlock::Table(table) = b { Some(table) } else { None }).collect()
    }

    #[test]
    fn one_finding_of_several_nodes_is_told_once() {
        let page = diagnosed(&[finding("n1", 60), finding("n2", 60), finding("n3", 60)]);
        assert_eq!(headings(&page), ["1. Burst balance exhausted of n1/data, n2/data, n3/data"]);
        assert_eq!(tables(&page).len(), 1, "nodes that are alike need no table");
        assert_eq!(page.clock.unwrap().marks.len(), 1);
    }

    #[test]
    fn nodes_that_differ_are_told_apart_under_the_one_finding() {
        let page = diagnosed(&[finding("n1", 60), finding("n2", 30)]);
        assert_eq!((headings(&page).len(), tables(&page)[0].rows.len()), (1, 2));
    }

    #[test]
    fn signals_are_named_for_people_in_their_units() {
        let html = diagnosed(&[finding("n1", 60)]).html();
        assert!(html.contains("Burst credits left") && html.contains("≤ 2 %") && !html.contains("io-left"), "{html}");
        assert!(html.contains("a &lt;cluster&gt;"));
    }
}
