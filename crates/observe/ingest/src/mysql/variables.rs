//! `SHOW GLOBAL STATUS` as clients print it: tab-separated, in a frame, as `\G` does, as `mysqladmin extended-status`, or as JSON.

use jiff::Timestamp;
use jiff::tz::Offset;
use textfile::{InputError, Text};

use crate::stamp;

/// One answer.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct StatusSample {
    pub(super) at: Option<Timestamp>,
    pub(super) values: Vec<(String, String)>,
}

/// Whether a line is one of an answer, by a variable that all versions have.
pub(super) fn is_known(line: &str) -> bool {
    let is = |name: &str| name.starts_with("Innodb_") || matches!(name, "Uptime" | "Threads_running" | "Com_select");
    pair(line).is_some_and(|(name, value)| is(name) && value.parse::<f64>().is_ok())
}

/// A variable and its value.
fn pair(line: &str) -> Option<(&str, &str)> {
    let line = line.trim().trim_matches('|').trim();
    let (name, value) = line.split_once(['|', '\t', ',', ':', '=']).or_else(|| line.split_once(' '))?;
    let bare = |text: &'_ str| -> Option<(usize, usize)> {
        let trimmed = text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ',' | '|'));
        Some((trimmed.as_ptr() as usize - line.as_ptr() as usize, trimmed.len()))
    };
    let ((name_at, name_len), (value_at, value_len)) = (bare(name)?, bare(value)?);
    let (name, value) = (&line[name_at..name_at + name_len], &line[value_at..value_at + value_len]);
    let is_name = name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    (is_name && !value.is_empty()).then_some((name, value))
}

/// The answers of a file: a variable that the answer has already is of the next.
pub(super) fn samples(text: &Text, zone: Offset) -> Result<Vec<StatusSample>, InputError> {
    let mut samples: Vec<StatusSample> = Vec::new();
    let mut seen = std::collections::BTreeSet::new();
    let (mut at, mut name) = (None, None::<&str>);
    for line in text.content().lines() {
        if let Some(found) = stamp::found(line, zone) {
            at = Some(found);
            continue;
        }
        // `\G` prints a name and its value on two lines.
        let found = match pair(line) {
            Some(("Variable_name", value)) if value != "Value" => {
                name = Some(value);
                continue;
            }
            Some(("Value", value)) => name.take().map(|name| (name, value)),
            found => found,
        };
        let Some((name, value)) = found.filter(|(name, _)| *name != "Variable_name") else { continue };
        if samples.is_empty() || !seen.insert(name) {
            seen.clear();
            seen.insert(name);
            samples.push(StatusSample { at: at.take(), values: Vec::new() });
        }
        if let Some(sample) = samples.last_mut() {
            sample.values.push((name.to_owned(), value.to_owned()));
        }
    }
    samples.retain(|sample| {
        !super::ServerStatus::of(Timestamp::UNIX_EPOCH, sample.values.iter().map(|(n, v)| (n, v))).is_empty()
    });
    Ok(samples)
}
