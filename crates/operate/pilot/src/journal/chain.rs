//! What a line follows on: by it the next one says what came before, and a reader sees what is missing.

use std::collections::BTreeMap;

use super::entry::JournalEntry;
use super::line::Place;

/// What the next line follows on.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Chain {
    /// Number of the last line.
    pub(super) line: u64,
    /// Its run, 0 for a header; `None` where it is damaged.
    pub(super) run: Option<u64>,
    /// Lines of each run.
    of_run: BTreeMap<u64, u64>,
    /// Highest number of a run.
    pub(super) runs: u64,
    /// How many times it was decided that a run is undone.
    pub(super) turned: u64,
}

impl Default for Chain {
    fn default() -> Self {
        Self { line: 0, run: Some(0), of_run: BTreeMap::new(), runs: 0, turned: 0 }
    }
}

impl Chain {
    /// The place of the next line, of this run.
    pub(super) fn next(&self, run: Option<u64>) -> Place {
        let run_line = run.map_or(0, |run| self.of_run.get(&run).copied().unwrap_or_default() + 1);
        Place { line: self.line + 1, run_line, after_run: self.run, runs: self.runs, turned: self.turned }
    }

    /// Takes a line in that is there.
    pub(super) fn add(&mut self, place: Place, entry: &JournalEntry) {
        let run = entry.run().unwrap_or_default();
        (self.line, self.run) = (place.line, Some(run));
        self.runs = place.runs.max(run);
        self.turned = place.turned + u64::from(matches!(entry, JournalEntry::Turned { .. }));
        if run > 0 {
            self.of_run.insert(run, place.run_line);
        }
    }
}
