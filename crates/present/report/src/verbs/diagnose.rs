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

/// Verdicts of one kind and remedy on several nodes are one.
fn groups(verdicts: &[Finding]) -> Vec<Vec<&Finding>> {
    let mut groups: Vec<Vec<&Finding>> = Vec::new();
    for verdict in verdicts {
        let alike = |had: &&mut Vec<&Finding>| {
            let first = had[0];
            first.kind == verdict.kind && first.subject.disk == verdict.subject.disk && first.remedy == verdict.remedy
        };
        match groups.iter_mut().find(alike) {
            Some(group) => group.push(verdict),
            None => groups.push(vec![verdict]),
        }
    }
    groups
}

fn name(group: &[&Finding]) -> String {
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
    let head = format!("{number}. {} ({span}; {} sure)", capital(&name(group)), words::percent(verdict.confidence));
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
        paragraph(format!("Do: {}{to}.{usd}", remedy.text));
    }
    if let Some(effect) = &verdict.predicted {
        let value = |value: f64| amount(value, effect.unit);
        let share = words::percent(effect.used_after);
        paragraph(format!(
            "By the model: {} from {} to {}; what is asked for takes {share} of it.",
            effect.limit,
            value(effect.before),
            value(effect.after)
        ));
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
fn money(usd: Usd, times: usize) -> String {
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

fn capital(text: &str) -> String {
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
