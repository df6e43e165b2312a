//! What of a journal cannot be read, and what that leaves of its runs.

use std::fmt;

use serde::Serialize;

use crate::ProcedureRun;
use crate::step::Shown;

/// A place at which a journal is not as it was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct JournalDamage {
    /// Line in the file, from 1.
    pub line: usize,
    /// How many lines of the file, from that one on.
    pub lines: u64,
    /// Bytes that are no line, with their line break.
    pub bytes: usize,
    /// How many lines are missing, or may be.
    pub lost: u64,
    /// What the bytes resemble: an entry and its run. Nothing is decided by it. Without bytes, what is wrong with a whole line.
    pub looks: Option<String>,
}

/// A run that cannot be undone, for a line of it is lost or may be.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RefusedRun {
    /// As far as its lines tell; `None` where its beginning is lost.
    pub run: Option<ProcedureRun>,
    /// Why.
    pub why: String,
}

impl JournalDamage {
    /// Lines that are missing before this one, or only its line break.
    pub(super) fn between(line: usize, lost: u64) -> Self {
        Self { line, lines: 1, bytes: 0, lost, looks: None }
    }

    /// What bytes resemble that were a line, or part of one.
    pub(super) fn resemblance(bytes: &[u8]) -> Option<String> {
        let text = String::from_utf8_lossy(bytes);
        let after = |key: &str| text.split_once(key).map(|(_, rest)| rest);
        let word = |rest: &str, of: fn(char) -> bool| {
            let end = rest.find(|c| !of(c)).unwrap_or(rest.len());
            (1..=20).contains(&end).then(|| rest[..end].to_owned())
        };
        let entry = after("\"entry\":\"").and_then(|rest| word(rest, |c| c.is_ascii_lowercase() || c == '-'));
        let run = after("\"run\":").and_then(|rest| word(rest, |c| c.is_ascii_digit()));
        match (entry, run) {
            (Some(entry), Some(run)) => Some(format!("`{entry}` of run {run}")),
            (Some(entry), None) => Some(format!("`{entry}`")),
            (None, Some(run)) => Some(format!("a line of run {run}")),
            (None, None) => None,
        }
    }
}

impl fmt::Display for JournalDamage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, lines, bytes, lost, looks } = self;
        if *bytes == 0 {
            return match (looks, lost) {
                (Some(looks), _) => write!(f, "line {line}: {looks}"),
                (None, 0) => write!(f, "line {line}: its line break is missing"),
                (None, 1) => write!(f, "line {line}: the line before it is missing"),
                (None, lost) => write!(f, "line {line}: {lost} lines before it are missing"),
            };
        }
        match lines {
            1 => write!(f, "line {line} is damaged")?,
            _ => write!(f, "lines {line} to {} are damaged", *line as u64 + lines - 1)?,
        }
        write!(f, " ({bytes} byte{}", if *bytes == 1 { "" } else { "s" })?;
        if let Some(looks) = looks {
            write!(f, ", by their looks {looks}")?;
        }
        f.write_str(")")?;
        if *lost > *lines { write!(f, "; {lost} lines are lost") } else { Ok(()) }
    }
}

impl fmt::Display for RefusedRun {
    /// In a clause: why, and what is known of what it changed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.why)?;
        let Some(run) = &self.run else { return Ok(()) };
        for (at, step) in run.procedure.steps() {
            match run.steps.get(&at) {
                Some(made) => write!(f, "; {step}, before: {}", Shown(&made.before))?,
                None => write!(f, "; {step}, not known whether it was begun")?,
            }
        }
        Ok(())
    }
}
