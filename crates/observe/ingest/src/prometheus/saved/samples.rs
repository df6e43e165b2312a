//! Samples of counters and levels as series: what a server would answer to the queries of the tables.

use std::collections::{BTreeMap, BTreeSet};

use textfile::InputError;
use timeline::{SeriesLabels, SeriesPoint, Timeline, TimelineBuilder, TimelineInfo};
use units::Nanos;

use super::super::answer::Found;
use super::super::names::Names;
use super::super::table::Query;
use super::rule::{Fold, RULES, SampleRule};
use super::{NAME, instant};
use crate::GatherError;
use crate::error::{ONE_SAMPLE, one_sample};
use crate::input::InputFile;
use crate::volume::{self, VolumeCounter, VolumeSample};

/// Longest note of what was left out, in characters.
const LONGEST: usize = 1_000;

/// Reads the samples. Each query's alternatives are names that versions of an exporter gave: the first that is there counts.
pub(super) fn timeline(found: &[Found], files: &[InputFile]) -> Result<Timeline, GatherError> {
    let path = files.first().map(InputFile::path).unwrap_or_else(|| std::path::Path::new("-"));
    let refused = |message: &str, help: &str| -> GatherError { InputError::new(path, message).help(help).into() };
    if !found.is_empty() && found.iter().all(|one| !one.labels.contains_key(NAME)) {
        return Err(refused(
            "does not say which metrics its series are of: it answers a query that computes, such as rate()",
            "query the counters themselves: `query_range?query={__name__=~\"node_disk_.*\"}`",
        ));
    }
    let (mut known, mut unknown) = (Vec::<(&'static SampleRule, &Found)>::new(), BTreeSet::new());
    for one in found {
        let before = known.len();
        known.extend(RULES.iter().filter(|rule| rule.fits(one)).map(|rule| (rule, one)));
        if known.len() == before {
            unknown.extend(one.labels.get(NAME).cloned());
        }
    }
    if known.is_empty() {
        let names: Vec<String> = unknown.into_iter().take(3).collect();
        let message = format!("has no metric of disks, TiKV, PD or TiDB that is known, only `{}`", names.join("`, `"));
        return Err(refused(
            &message,
            "query node_disk_reads_completed_total, node_disk_writes_completed_total and so on",
        ));
    }
    let first = found.iter().flat_map(|one| &one.values).map(|(at, _)| *at).fold(f64::INFINITY, f64::min);
    let mut about = TimelineInfo { start: instant(first), ..TimelineInfo::default() };
    if !unknown.is_empty() {
        let told: String = unknown.into_iter().collect::<Vec<_>>().join(", ").chars().take(LONGEST).collect();
        about.notes.insert("left out unknown".to_owned(), told);
    }
    let names = named(&known);
    let mut sums: BTreeMap<(usize, SeriesLabels), BTreeMap<(u64, u64), f64>> = BTreeMap::new();
    let rules: Vec<&'static Query> = known.iter().map(|(rule, _)| rule.query).collect();
    for (index, (rule, one)) in known.iter().enumerate() {
        let Some(labels) = labels(rule.query, one, &names) else { continue };
        // The place of the query's first series stands for the query.
        let query = rules.iter().position(|query| std::ptr::eq(*query, rule.query)).unwrap_or(index);
        let points = sums.entry((query, labels)).or_default();
        for (span, value) in intervals(rule, one, first) {
            let is_level = rule.fold == Fold::Level;
            let sum = points.entry(span).or_insert(if is_level { value } else { 0.0 });
            *sum = if is_level { sum.max(value) } else { *sum + value };
        }
    }
    let mut series = TimelineBuilder::default();
    for ((query, labels), points) in sums {
        for ((from, until), value) in points {
            series.value(rules[query].spec, &labels, SeriesPoint { from: Nanos(from), until: Nanos(until), value });
        }
    }
    let mut volumes: BTreeMap<String, VolumeSample> = BTreeMap::new();
    for (rule, one) in known.iter().filter(|(_, one)| one.values.len() == 1) {
        let exceeded = VolumeCounter::of_series(rule.query.spec).filter(|counter| counter.is_exceeded());
        if let (Some(counter), Some(labels)) = (exceeded, labels(rule.query, one, &names)) {
            let disk = labels.get("disk").cloned().unwrap_or_default();
            let sample =
                volumes.entry(disk.clone()).or_insert_with(|| VolumeSample { disk, ..VolumeSample::default() });
            sample.values.insert(counter, one.values[0].1 * rule.factor);
        }
    }
    if !volumes.is_empty() {
        let samples: Vec<VolumeSample> = volumes.into_values().collect();
        if let Ok(told) = volume::timeline(String::new(), &samples, None, None) {
            series.extend(told, &SeriesLabels::new());
            about
                .notes
                .insert(ONE_SAMPLE.to_owned(), one_sample("sample of a counter", "a volume was attached or a program"));
        }
    }
    let series = series.finish_sorted();
    if known.iter().any(|(rule, one)| rule.fold != Fold::Level && one.values.len() == 1) {
        about.notes.insert(ONE_SAMPLE.to_owned(), one_sample("sample of a counter", "a program"));
    }
    Ok(Timeline { about, series })
}

/// The intervals of a series and their values: between each two samples. A level alone is of a minute.
fn intervals(rule: &SampleRule, one: &Found, first: f64) -> Vec<((u64, u64), f64)> {
    let nanos = |at: f64| ((at - first).max(0.0) * 1e9).round() as u64;
    let mut values = one.values.clone();
    values.sort_by(|a, b| a.0.total_cmp(&b.0));
    values.dedup_by(|a, b| a.0 == b.0);
    if let ([(at, value)], Fold::Level) = (values.as_slice(), rule.fold) {
        let from = nanos(*at);
        return vec![((from, from + Nanos::secs(60).0), value * rule.factor)];
    }
    let between = values.windows(2).map(|pair| {
        let ((from, was), (until, now)) = (pair[0], pair[1]);
        // Less than before: the program started anew and counts from zero.
        let grown = if now >= was { now - was } else { now };
        let value = match rule.fold {
            Fold::Increase => grown,
            Fold::Rate => grown / (until - from),
            Fold::Level => now,
        };
        ((nanos(from), nanos(until)), value * rule.factor)
    });
    between.collect()
}

/// What nodes are called, by the instances that are there.
fn named(known: &[(&'static SampleRule, &Found)]) -> Names {
    let mut names = Names::default();
    let found: Vec<(&'static Query, Found)> = known
        .iter()
        .map(|(rule, one)| (rule.query, Found { labels: one.labels.clone(), values: Vec::new() }))
        .collect();
    names.learn(&found);
    names
}

/// Our labels of a series; `None` for one that is not wanted. EBS's CSI driver names the instance by its id.
fn labels(query: &Query, found: &Found, names: &Names) -> Option<SeriesLabels> {
    let label = |key: &str| found.labels.get(key).map(String::as_str);
    names.labels(query, found, label("instance").or_else(|| label("instance_id")).unwrap_or_default())
}
