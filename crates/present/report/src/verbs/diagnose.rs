//! The answer of `diagnose`: findings as text and as JSON, and their changes while a source is watched.

use std::path::PathBuf;

use diagnose::{Evidence, EvidenceFact, Finding, FindingChange, FindingKind};
use jiff::Timestamp;
use serde_json::{Value, json};
use timeline::Timeline;
use units::{Nanos, Usd};

use crate::text::{Table, bold, green, line_width, red, wrap, yellow};
use crate::words;

/// Findings that are described at length; the others are named.
const AT_LENGTH: usize = 6;

/// The answer as text; `written` are the files that hold it.
pub fn text(timeline: &Timeline, verdicts: &[Finding], written: &[PathBuf]) -> String {
    let said = wrap(&headline(verdicts), line_width(), 0);
    let mut text = bold(&match verdicts.first().map(|verdict| verdict.kind) {
        Some(kind) if kind.is_wrong() => red(&said),
        Some(FindingKind::Healthy) => green(&said),
        _ => yellow(&said),
    });
    text.push('\n');
    let groups = groups(verdicts);
    for (number, group) in groups.iter().take(AT_LENGTH).enumerate() {
        text += &one(number + 1, group, timeline.about.start);
    }
    if groups.len() > AT_LENGTH {
        let rest: Vec<String> = groups[AT_LENGTH..].iter().map(|group| name(group)).collect();
        text += &format!("\n{}\n", wrap(&format!("Also, with less weight: {}.", rest.join("; ")), line_width(), 0));
    }
    for what in left_out(timeline) {
        text += &format!("\n{}\n", wrap(&format!("Left out: {what}."), line_width(), 0));
    }
    for path in written {
        text += &format!("\nwritten to {}", path.display());
    }
    if !written.is_empty() {
        text.push('\n');
    }
    text
}

/// The first verdict in a sentence.
pub(super) fn headline(verdicts: &[Finding]) -> String {
    let groups = groups(verdicts);
    let Some(first) = groups.first() else { return "Nothing to tell.".to_owned() };
    let verdict = first[0];
    match verdict.kind {
        FindingKind::Healthy => format!("Healthy: {}.", verdict.says),
        FindingKind::CannotTell => format!("Cannot tell {}.", verdict.says),
        kind => {
            let remedy = verdict.remedy.as_ref().map_or(String::new(), |remedy| format!(" {}.", capital(&remedy.text)));
            let usd = verdict.monthly.map_or(String::new(), |usd| format!(" {}.", money(usd, first.len())));
            format!("{} of {}: {}.{remedy}{usd}", capital(&kind.to_string()), subjects(first), verdict.says)
        }
    }
}

/// Verdicts of one kind on several nodes with a disk, or an instance, of one sort are one: the remedies are of one sort, too, and the
/// one that goes farthest stands for all.
pub(super) fn groups(verdicts: &[Finding]) -> Vec<Vec<&Finding>> {
    let mut groups: Vec<Vec<&Finding>> = Vec::new();
    for verdict in verdicts {
        match groups.iter_mut().find(|group| are_alike(group[0], verdict)) {
            Some(group) => group.push(verdict),
            None => groups.push(vec![verdict]),
        }
    }
    for group in &mut groups {
        let after = |finding: &Finding| finding.predicted.as_ref().map_or(0.0, |effect| effect.after);
        let most = (0..group.len()).rev().max_by(|a, b| after(group[*a]).total_cmp(&after(group[*b])));
        if let Some(most) = most.filter(|most| after(group[*most]) > after(group[0])) {
            let first = group.remove(most);
            group.insert(0, first);
        }
    }
    groups
}

/// Whether two findings are one on two nodes: of one kind, on one sort of thing, with a remedy of one sort.
fn are_alike(one: &Finding, other: &Finding) -> bool {
    let remedy = |finding: &Finding| finding.remedy.as_ref().map(|remedy| (remedy.what, remedy.from.clone()));
    let words = |finding: &Finding| match &finding.remedy {
        // What changes nothing that has a name is told by its words, which may have numbers in them.
        Some(remedy) if remedy.from.is_none() && remedy.to.is_none() => without_digits(&remedy.text),
        Some(_) => String::new(),
        None => without_digits(&finding.says),
    };
    one.kind == other.kind
        && one.subject.scope == other.subject.scope
        && one.subject != other.subject
        && remedy(one) == remedy(other)
        && words(one) == words(other)
}

fn without_digits(text: &str) -> String {
    text.chars().filter(|c| !c.is_ascii_digit()).collect()
}

pub(super) fn name(group: &[&Finding]) -> String {
    format!("{} of {}", group[0].kind, subjects(group))
}

fn subjects(group: &[&Finding]) -> String {
    let all: Vec<String> = group.iter().map(|verdict| verdict.subject.to_string()).collect();
    match all.len() {
        0..=3 => all.join(", "),
        many => format!("{}, {} and {} more", all[0], all[1], many - 2),
    }
}

fn one(number: usize, group: &[&Finding], start: Option<Timestamp>) -> String {
    let verdict = group[0];
    let span = format!("{} to {}", instant(verdict.from, start), instant(verdict.to, start));
    let sure = match verdict.kind {
        FindingKind::CannotTell => String::new(),
        _ => format!("; {} sure", words::percent(verdict.confidence)),
    };
    let head = format!("{number}. {} ({span}{sure})", capital(&name(group)));
    let mut text = format!("\n{}\n", bold(&wrap(&head, line_width(), 3)));
    let mut paragraph = |said: String| text += &format!("   {}\n", wrap(&said, line_width() - 3, 3));
    if !matches!(verdict.kind, FindingKind::Healthy) {
        paragraph(format!("{}.", capital(&verdict.says)));
    }
    if let Some(again) = episodes(verdict, start) {
        paragraph(again);
    }
    if let Some(remedy) = &verdict.remedy {
        let to = remedy.to.as_ref().filter(|to| remedy.what == "setting" && !remedy.text.contains(to.as_str()));
        let to = to.map_or(String::new(), |to| format!(" ({to})"));
        let usd = verdict.monthly.map_or(String::new(), |usd| format!(" {}.", money(usd, group.len())));
        let differs = group.iter().any(|one| one.remedy.as_ref().map(|one| &one.to) != Some(&remedy.to));
        let most = if differs { ", the most of them; the others need less" } else { "" };
        paragraph(format!("Do: {}{to}{most}.{usd}", remedy.text));
    }
    if let Some(effect) = &verdict.predicted {
        let value = |value: f64| amount(value, effect.unit);
        let share = effect
            .used_after
            .map_or_else(String::new, |share| format!("; what passed takes {} of it", words::percent(share)));
        let (before, after) = (value(effect.before), value(effect.after));
        paragraph(format!("By the model: {} from {before} to {after}{share}.", effect.limit));
    }
    text + &evidence(&verdict.evidence)
}

/// Of what came more than once: how often, and when last.
pub(super) fn episodes(verdict: &Finding, start: Option<Timestamp>) -> Option<String> {
    /// As many are told one by one.
    const TOLD: usize = 4;
    let all = &verdict.episodes;
    let (first, last) = (all.first()?, all.last()?);
    if all.len() < 2 {
        return None;
    }
    let every = (last.from.0 - first.from.0) / (all.len() as u64 - 1);
    let told = all.iter().rev().take(TOLD).rev();
    let told: Vec<String> =
        told.map(|one| format!("{} to {}", instant(one.from, start), instant(one.to, start))).collect();
    let which = if all.len() > TOLD { "the last of them " } else { "" };
    Some(format!(
        "It recurs: {} times, about every {}; {which}{}.",
        all.len(),
        Nanos::secs((every / 1_000_000_000).max(1)),
        told.join(", ")
    ))
}

fn evidence(evidence: &Evidence) -> String {
    let all = || {
        evidence.says_so.iter().map(|fact| (fact, "for")).chain(evidence.against.iter().map(|fact| (fact, "against")))
    };
    if all().next().is_none() {
        return String::new();
    }
    let mut table = Table::new(&["   signal", "", "value", "threshold", "speaks", "series"], &[2, 3]);
    for (fact, speaks) in all() {
        let series = fact.series.clone();
        table.row([
            format!("   {}", fact.signal.name()),
            fact.statistic.to_owned(),
            value(fact),
            threshold(fact),
            speaks.to_owned(),
            series,
        ]);
    }
    table.to_string()
}

/// A fact's value in its unit.
pub(super) fn value(fact: &EvidenceFact) -> String {
    amount(fact.value, fact.unit)
}

/// What it was held against.
pub(super) fn threshold(fact: &EvidenceFact) -> String {
    let sign = if fact.above { "≥" } else { "≤" };
    fact.threshold.map_or(String::new(), |threshold| format!("{sign} {}", amount(threshold, fact.unit)))
}

fn amount(value: f64, unit: &str) -> String {
    match unit {
        "" => format!("{value:.2}"),
        "s" if value < 1.0 => format!("{:.2} ms", value * 1e3),
        "s" if value > 600.0 => format!("{:.0} min", value / 60.0),
        "s" => format!("{value:.1} s"),
        "bytes" if value < 1_048_576.0 => format!("{:.0} KiB", value / 1024.0),
        "bytes" => format!("{} MiB", words::count(value / 1_048_576.0)),
        "bytes a second" | "bytes/s" => format!("{} MiB/s", words::count(value / 1_048_576.0)),
        unit => format!("{} {unit}", words::count(value)),
    }
}

/// What it adds to a month.
pub(super) fn money(usd: Usd, times: usize) -> String {
    let each = if times > 1 { " for each" } else { "" };
    match usd.0 {
        usd if usd.abs() < 0.005 => "It costs nothing".to_owned(),
        usd if usd < 0.0 => format!("It saves ${:.2} a month{each}", -usd),
        usd => format!("It costs ${usd:.2} a month more{each}"),
    }
}

/// Seconds from the start, or the wall clock's time where it is known.
pub(super) fn instant(at: Nanos, start: Option<Timestamp>) -> String {
    let nanos = start.and_then(|start| Timestamp::from_nanosecond(start.as_nanosecond() + i128::from(at.0)).ok());
    nanos.map_or_else(|| format!("{:.0} s", at.as_secs_f64()), |at| at.strftime("%Y-%m-%d %H:%M:%S").to_string())
}

pub(super) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// The answer as JSON: the findings, with the instant that their seconds count from.
pub fn document(timeline: &Timeline, verdicts: &[Finding]) -> Value {
    json!({
        "title": timeline.about.title,
        "start": timeline.about.start.map(|start| start.to_string()),
        "left_out": left_out(timeline),
        "verdicts": verdicts,
    })
}

/// Series that were there and are not diagnosed, as the source notes them, each with why.
pub(super) fn left_out(timeline: &Timeline) -> Vec<String> {
    let told = |(key, why): (&String, &String)| match key.strip_prefix("left out")?.trim() {
        "" => Some(why.clone()),
        what => Some(format!("{what}: {why}")),
    };
    timeline.about.notes.iter().filter_map(told).collect()
}

/// A change of the findings as text: one line, and under a new one what is known of it.
pub fn change_text(at: &str, change: &FindingChange, start: Option<Timestamp>) -> String {
    let (name, finding) = named(change);
    let what = format!("{at} {name}: {} of {}", finding.kind, finding.subject);
    let mut lines = format!("{}\n", bold(&wrap(&what, line_width(), 2)));
    if let FindingChange::New(finding) = change {
        let mut paragraph = |said: &str| lines += &format!("  {}\n", wrap(said, line_width() - 2, 2));
        paragraph(&format!("{}.", finding.says));
        if let Some(again) = episodes(finding, start) {
            paragraph(&again);
        }
        if let Some(remedy) = &finding.remedy {
            paragraph(&format!("Do: {}.", remedy.text));
        }
    }
    lines
}

/// A change of the findings of `of` as JSON.
pub fn change_document(at: &str, of: &str, change: &FindingChange) -> Value {
    let (name, finding) = named(change);
    json!({ "at": at, "of": of, "event": name, "verdict": finding })
}

fn named(change: &FindingChange) -> (&'static str, &Finding) {
    match change {
        FindingChange::New(finding) => ("new", finding),
        FindingChange::Ended(finding) => ("ended", finding),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_kind_on_three_nodes_is_one_finding_with_the_remedy_that_goes_farthest() {
        let known = diagnose::KnownFacts::nothing(catalog::Catalog::embedded().at(None));
        let of = |node: &str, says: &str| {
            let mut finding = diagnose::diagnose(&Timeline::default(), &known).remove(0);
            finding.kind = FindingKind::FlushBound;
            finding.subject = diagnose::FindingSubject {
                scope: diagnose::FindingScope::Volume,
                node: node.to_owned(),
                disk: format!("vol-{node}"),
            };
            finding.says = says.to_owned();
            finding
        };
        let three = [of("n1", "571 syncs a second"), of("n2", "583 syncs a second"), of("n3", "9 syncs a second")];
        assert_eq!(groups(&three).len(), 1);
        assert_eq!(
            groups(&[of("n1", "571 syncs"), of("n2", "a pool is busy")]).len(),
            2,
            "other words, other findings"
        );
        let told = text(&Timeline::default(), &three, &[]);
        assert!(told.contains("n1/vol-n1, n2/vol-n2, n3/vol-n3"), "{told}");
    }

    #[test]
    fn what_cannot_be_told_is_told_with_no_certainty() {
        let known = diagnose::KnownFacts::nothing(catalog::Catalog::embedded().at(None));
        let told = text(&Timeline::default(), &diagnose::diagnose(&Timeline::default(), &known), &[]);
        assert!(told.contains("annot tell") && !told.contains("sure"), "{told}");
    }

    #[test]
    fn amounts_are_in_units_that_people_read() {
        let amounts = [
            amount(0.957, ""),
            amount(0.0021, "s"),
            amount(2100.0, "s"),
            amount(32768.0, "bytes"),
            amount(131_072_000.0, "bytes/s"),
        ];
        assert_eq!(amounts, ["0.96", "2.10 ms", "35 min", "32 KiB", "125 MiB/s"]);
    }

    #[test]
    fn what_recurs_is_told_with_how_often_and_when_last() {
        let episode = |at: u64| diagnose::Episode { from: Nanos::secs(at), to: Nanos::secs(at + 30) };
        let known = diagnose::KnownFacts::nothing(catalog::Catalog::embedded().at(None));
        let mut verdict = diagnose::diagnose(&Timeline::default(), &known).remove(0);
        assert_eq!(episodes(&verdict, None), None);
        verdict.episodes = vec![episode(0)];
        assert_eq!(episodes(&verdict, None), None, "once is not again");
        verdict.episodes = (0..6).map(|i| episode(600 * i)).collect();
        let said = episodes(&verdict, None).unwrap();
        assert!(said.starts_with("It recurs: 6 times, about every 10m; the last of them 1200 s to 1230 s"), "{said}");
    }

    #[test]
    fn money_says_whether_it_is_more_or_less() {
        assert_eq!(money(Usd(-8.0), 1), "It saves $8.00 a month");
        assert_eq!(money(Usd(10.5), 3), "It costs $10.50 a month more for each");
        assert_eq!(money(Usd(0.0), 1), "It costs nothing");
    }

    #[test]
    fn an_instant_is_the_clocks_where_there_is_one() {
        assert_eq!(instant(Nanos::secs(90), None), "90 s");
        let start = "2026-11-01T10:00:00Z".parse().unwrap();
        assert_eq!(instant(Nanos::secs(90), Some(start)), "2026-11-01 10:01:30");
    }

    #[test]
    fn notes_of_what_is_left_out_are_told_and_no_others() {
        let mut timeline = Timeline::default();
        let notes = [("instance", "m5.large"), ("left out", "the first report: why"), ("left out X", "says nothing")];
        timeline.about.notes.extend(notes.map(|(key, text)| (key.to_owned(), text.to_owned())));
        assert_eq!(left_out(&timeline), ["the first report: why", "X: says nothing"]);
    }
}
