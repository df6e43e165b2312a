//! A journal read back: every run as far as it came.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::Lines;
use super::entry::{Ended, Entry, FORMAT};
use crate::run::Run;
use crate::{Ending, Kept, PilotError};

/// What the lines of a journal come to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Replay {
    /// PD's number of the cluster; empty before the header.
    pub cluster: String,
    /// The name under which the pilot holds its lease.
    pub pilot: String,
    /// By number.
    pub runs: BTreeMap<u64, Run>,
}

impl Replay {
    /// Reads the text of a journal. The second value is how many of its bytes hold: what follows them was cut off by a crash while
    /// it was written, and had not happened.
    ///
    /// # Errors
    /// When a line is none of ours.
    pub fn read(name: &str, text: &str) -> Result<(Self, usize), PilotError> {
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        let mut replay = Self::default();
        for (number, line) in text[..whole].lines().enumerate().map(|(at, line)| (at + 1, line)) {
            let wrong = |why: String| {
                PilotError::Input(format!(
                    "{name}:{number}: {why}; expected a journal of `diskwright pilot`: set the file aside, and look with \
                     `diskwright pilot log` at what it had begun"
                ))
            };
            let entry: Entry = serde_json::from_str(line).map_err(|error| wrong(error.to_string()))?;
            replay.apply(&entry).map_err(wrong)?;
        }
        Ok((replay, whole))
    }

    /// Takes a line in.
    ///
    /// # Errors
    /// When it does not follow from those before, in a clause.
    pub fn apply(&mut self, entry: &Entry) -> Result<(), String> {
        match entry {
            Entry::Header { format, .. } if *format > FORMAT => {
                Err(format!("format {format} is newer than this program, which knows {FORMAT}"))
            }
            Entry::Header { cluster, pilot, .. } => {
                (self.cluster, self.pilot) = (cluster.clone(), pilot.clone());
                Ok(())
            }
            _ if self.cluster.is_empty() => Err("the first line names no cluster".to_owned()),
            Entry::Began { run, at, controller, reason, procedure, expects } => {
                let begun = Run::new(*run, *at, controller, reason, procedure, expects);
                match self.runs.insert(*run, begun) {
                    None => Ok(()),
                    Some(_) => Err(format!("run {run} begins twice")),
                }
            }
            entry => {
                let run = entry.run().and_then(|run| self.runs.get_mut(&run));
                run.ok_or_else(|| "it is of a run that did not begin".to_owned())?.apply(entry)
            }
        }
    }

    /// The runs that are under way.
    pub fn open(&self) -> impl DoubleEndedIterator<Item = &Run> {
        self.runs.values().filter(|run| run.ended.is_none())
    }

    /// What stays of those that are over, the last first.
    pub(crate) fn kept(&self) -> Vec<Kept> {
        let same = |one: &Run, other: &Run| {
            (&one.controller, &one.expects, &one.procedure) == (&other.controller, &other.expects, &other.procedure)
        };
        let meant: Vec<&Run> = self.runs.values().filter(|run| run.procedure.ending == Ending::Keep).collect();
        let taken_back = |run: &Run| run.ended == Some(Ended::Undone) && run.went_all_the_way();
        let of = |run: &Run| Kept {
            run: run.number,
            controller: run.controller.clone(),
            subjects: run.procedure.subjects().collect(),
            expects: run.expects.clone(),
            before: meant.iter().filter(|other| taken_back(other) && same(run, other)).count() as u32,
        };
        let stay = meant.iter().rev().filter(|run| run.ended == Some(Ended::Kept) && run.holds());
        stay.map(|run| of(run)).collect()
    }

    /// The number of the next run.
    pub fn next(&self) -> u64 {
        self.runs.keys().next_back().map_or(1, |last| last + 1)
    }
}

/// A journal that is being written. A line is on the disk before what it says happens.
pub struct Journal {
    lines: Box<dyn Lines>,
    replay: Replay,
}

impl Journal {
    /// Goes on with what was read, or begins with a header if that was nothing.
    ///
    /// # Errors
    /// When the journal is of another cluster, or cannot be written.
    pub fn open(
        lines: Box<dyn Lines>,
        replay: Replay,
        cluster: &str,
        pilot: &str,
        at: Timestamp,
    ) -> Result<Self, PilotError> {
        let mut journal = Self { lines, replay };
        match journal.replay.cluster.as_str() {
            "" => journal.append(&Entry::Header {
                format: FORMAT,
                cluster: cluster.to_owned(),
                pilot: pilot.to_owned(),
                at,
            })?,
            of if of == cluster => {}
            of => {
                return Err(PilotError::Input(format!(
                    "the journal is of cluster {of}, and PD is of cluster {cluster}: give --journal a folder of its own for \
                     each cluster"
                )));
            }
        }
        Ok(journal)
    }

    /// What it says until now.
    pub fn replay(&self) -> &Replay {
        &self.replay
    }

    /// Writes a line.
    ///
    /// # Errors
    /// When it cannot be written: then nothing may be done.
    pub fn append(&mut self, entry: &Entry) -> Result<(), PilotError> {
        let line = serde_json::to_string(entry).map_err(|error| PilotError::system("the journal", error))?;
        self.lines.append(&line)?;
        self.replay.apply(entry).map_err(|why| PilotError::system("the journal", why))
    }
}

impl std::fmt::Debug for Journal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Journal").field("replay", &self.replay).finish_non_exhaustive()
    }
}
