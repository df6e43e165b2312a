//! The text that exporters serve: Prometheus' exposition format 0.0.4 and OpenMetrics.

use std::collections::{BTreeMap, HashSet};

use textfile::{InputError, Text};

use super::super::answer::Found;
use super::NAME;
use super::rule::RULES;
use crate::input::Glimpse;
use crate::stamp;

/// Whether a file begins as a page does.
pub(super) fn is_page(glimpse: &Glimpse<'_>) -> bool {
    !glimpse.is_json()
        && glimpse.any_line(|line| {
            line.starts_with("# TYPE ")
                || sample(line).is_some_and(|(labels, _, _)| RULES.iter().any(|rule| rule.metric == labels[NAME]))
        })
}

/// Labels with the metric's name, the value, and the time in seconds if it is told.
type Sample = (BTreeMap<String, String>, f64, Option<f64>);

/// `name{label="value",…} 12.5 1795290035000`.
fn sample(line: &str) -> Option<Sample> {
    let line = line.trim();
    let end = line.find(['{', ' ', '\t'])?;
    let (name, mut rest) = line.split_at(end);
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
    if name.is_empty() || !name.chars().all(plain) || name.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let mut labels = BTreeMap::from([(NAME.to_owned(), name.to_owned())]);
    if let Some(inner) = rest.strip_prefix('{') {
        let mut left = inner;
        loop {
            left = left.trim_start_matches([' ', ',']);
            if let Some(behind) = left.strip_prefix('}') {
                rest = behind;
                break;
            }
            let (label, behind) = left.split_once("=\"")?;
            let (value, behind) = text(behind)?;
            labels.insert(label.trim().to_owned(), value);
            left = behind;
        }
    }
    let mut words = rest.split_whitespace();
    let value = words.next()?.parse().ok()?;
    let at = words.next().and_then(|word| word.parse().ok()).and_then(stamp::epoch);
    Some((labels, value, at.map(|at| at.as_nanosecond() as f64 / 1e9)))
}

/// A label's text up to its quote, and what follows.
fn text(rest: &str) -> Option<(String, &str)> {
    let (mut value, mut escaped) = (String::new(), false);
    for (at, c) in rest.char_indices() {
        match c {
            _ if escaped => {
                value.push(if c == 'n' { '\n' } else { c });
                escaped = false;
            }
            '\\' => escaped = true,
            '"' => return Some((value, &rest[at + 1..])),
            c => value.push(c),
        }
    }
    None
}

/// Reads the pages of a file, and adds what is known of them. `pages` is how many were read before; returns how many there are then.
pub(super) fn read(file: &Text, pages: usize, found: &mut Vec<Found>) -> Result<usize, InputError> {
    let wanted: HashSet<&str> = RULES.iter().map(|rule| rule.metric.as_str()).collect();
    let (mut page, mut seen) = (pages, HashSet::new());
    let mut index: BTreeMap<BTreeMap<String, String>, usize> =
        found.iter().enumerate().map(|(at, one)| (one.labels.clone(), at)).collect();
    let mut offset = 0;
    for line in file.content().split_inclusive('\n') {
        let start = offset;
        offset += line.len();
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        let Some((labels, value, at)) = sample(trimmed) else {
            // Pages are saved with the lines of prompts and of curl around them; a known metric must be right.
            let name = trimmed.split(['{', ' ']).next().unwrap_or_default();
            if wanted.contains(name) && line.ends_with('\n') {
                let line: String = trimmed.chars().take(80).collect();
                let message =
                    format!("`{}` is no sample; expected `name{{label=\"value\"}} 12.5`", line.escape_debug());
                return Err(file.error_at(start, message));
            }
            continue;
        };
        if !wanted.contains(labels[NAME].as_str()) {
            continue;
        }
        if at.is_none() && !seen.insert(labels.clone()) {
            (page, seen) = (page + 1, HashSet::from([labels.clone()]));
        }
        let at = at.unwrap_or(page as f64);
        let place = *index.entry(labels).or_insert_with_key(|labels| {
            found.push(Found { labels: labels.clone(), values: Vec::new() });
            found.len() - 1
        });
        if value.is_finite() {
            found[place].values.push((at, value));
        }
    }
    Ok(page + 1)
}
