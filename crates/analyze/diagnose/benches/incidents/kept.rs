//! Outcomes on disk, a line each, so that a run that was ended goes on where it was.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::sync::Mutex;

use diagnose::FindingKind;

use crate::matrix::{Outcome, Telling};

/// A file of outcomes.
pub(crate) struct Kept {
    /// Those of earlier runs.
    pub(crate) before: Vec<(u64, Outcome)>,
    file: Mutex<File>,
}

impl Kept {
    /// Opens a file; without `resume` what it held is forgotten.
    pub(crate) fn open(path: &Path, resume: bool) -> std::io::Result<Self> {
        let text = if resume && path.exists() { std::fs::read_to_string(path)? } else { String::new() };
        let before = text.lines().filter_map(read).collect();
        let file = OpenOptions::new().create(true).write(true).truncate(!resume).append(resume).open(path)?;
        Ok(Self { before, file: Mutex::new(file) })
    }

    /// Keeps the outcomes of an incident.
    pub(crate) fn add(&self, number: u64, outcomes: &[Outcome]) {
        let mut file = self.file.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        for one in outcomes {
            let telling = if one.telling == Telling::Counted { "counted" } else { "plain" };
            let (truth, first) = (one.truth.name(), one.first.name());
            let line = format!("{number} {truth} {} {telling} {first} {} {}", one.held_out, one.among, one.redrawn);
            // What is not kept is made again.
            let _ = writeln!(file, "{line}");
        }
    }
}

fn read(line: &str) -> Option<(u64, Outcome)> {
    let words: Vec<&str> = line.split(' ').collect();
    let [number, truth, held_out, telling, first, among, redrawn] = words[..] else { return None };
    let kind = |name: &str| FindingKind::ALL.into_iter().find(|kind| kind.name() == name);
    let outcome = Outcome {
        truth: kind(truth)?,
        held_out: held_out.parse().ok()?,
        telling: if telling == "counted" { Telling::Counted } else { Telling::Plain },
        first: kind(first)?,
        among: among.parse().ok()?,
        redrawn: redrawn.parse().ok()?,
    };
    Some((number.parse().ok()?, outcome))
}
