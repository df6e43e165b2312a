//! A journal read back: every run as far as it came.

use std::collections::BTreeMap;

use super::chain::Chain;
use super::damage::{JournalDamage, RefusedRun};
use super::entry::{FORMAT, JournalEntry, RunEnd};
use super::reader::Reader;
use super::scan::Scan;
use crate::run::ProcedureRun;
use crate::{PilotError, ProcedureEnding, StandingChange};

/// What the lines of a journal come to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct JournalReplay {
    /// PD's number of the cluster; empty before the header.
    pub cluster: String,
    /// The name under which the pilot holds its lease.
    pub pilot: String,
    /// By number. All lines of these are whole.
    pub runs: BTreeMap<u64, ProcedureRun>,
    /// Runs of which a line is lost or may be; they are neither driven on nor undone.
    pub refused: BTreeMap<u64, RefusedRun>,
    /// Where it is not as it was written.
    pub damage: Vec<JournalDamage>,
    /// Whether it has lines of format 1, which has no checksums.
    pub unsealed: bool,
    /// Its name for messages.
    pub(crate) name: String,
    pub(crate) chain: Chain,
}

impl JournalReplay {
    /// Reads the bytes of a journal. The second value is how many of them hold: what follows was cut off by a crash while it was
    /// written, and had not happened.
    ///
    /// Damage is no error: it is told in [`damage`](Self::damage), and the runs that it concerns are [`refused`](Self::refused).
    ///
    /// # Errors
    /// When a newer program wrote it.
    pub fn read(name: &str, bytes: impl AsRef<[u8]>) -> Result<(Self, usize), PilotError> {
        let scan = Scan::of(bytes.as_ref());
        Ok((Reader::read(name, scan.parts)?, scan.whole))
    }

    /// Takes a line in.
    ///
    /// # Errors
    /// When it does not follow from those before, in a clause.
    pub fn apply(&mut self, entry: &JournalEntry) -> Result<(), String> {
        match entry {
            JournalEntry::Header { format, .. } if *format > FORMAT => {
                Err(format!("format {format} is newer than this program, which knows {FORMAT}"))
            }
            JournalEntry::Header { cluster, .. } if !self.cluster.is_empty() && *cluster != self.cluster => {
                Err(format!("it is of cluster {cluster}, and those before of {}", self.cluster))
            }
            JournalEntry::Header { cluster, pilot, .. } => {
                (self.cluster, self.pilot) = (cluster.clone(), pilot.clone());
                Ok(())
            }
            JournalEntry::Began { run, at, controller, reason, procedure, expects } => {
                let begun = ProcedureRun::new(*run, *at, controller, reason, procedure, expects);
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
    pub fn open(&self) -> impl DoubleEndedIterator<Item = &ProcedureRun> {
        self.runs.values().filter(|run| run.ended.is_none())
    }

    /// Whether it is not as it was written.
    pub fn is_damaged(&self) -> bool {
        !self.damage.is_empty() || !self.refused.is_empty()
    }

    /// What is damaged, what follows from it, and what to do; `None` if it is as it was written.
    pub fn complaint(&self) -> Option<String> {
        if !self.is_damaged() {
            return None;
        }
        const SHOWN: usize = 5;
        let mut places: Vec<String> = self.damage.iter().take(SHOWN).map(JournalDamage::to_string).collect();
        if self.damage.len() > SHOWN {
            places.push(format!("and {} more places", self.damage.len() - SHOWN));
        }
        let mut said = format!("{}: damaged: {}", self.name, places.join("; "));
        for (number, refused) in self.refused.iter().take(SHOWN) {
            said += &format!(". Run {number} cannot be undone: {refused}");
        }
        if self.refused.len() > SHOWN {
            said += &format!(". Nor can {} more runs", self.refused.len() - SHOWN);
        }
        Some(
            said + ". It stays as it is: undo what is whole with `diskwright pilot undo --all`, set the rest back by hand (`diskwright \
                    pilot log` tells what was done), then set the folder aside",
        )
    }

    /// What stays of those that are over, the last first.
    pub(crate) fn kept(&self) -> Vec<StandingChange> {
        let same = |one: &ProcedureRun, other: &ProcedureRun| {
            (&one.controller, &one.expects, &one.procedure) == (&other.controller, &other.expects, &other.procedure)
        };
        let meant: Vec<&ProcedureRun> =
            self.runs.values().filter(|run| run.procedure.ending == ProcedureEnding::Keep).collect();
        let taken_back = |run: &ProcedureRun| run.ended == Some(RunEnd::Undone) && run.went_all_the_way();
        let of = |run: &ProcedureRun| StandingChange {
            run: run.number,
            controller: run.controller.clone(),
            subjects: run.procedure.subjects().collect(),
            expects: run.expects.clone(),
            before: meant.iter().filter(|other| taken_back(other) && same(run, other)).count() as u32,
        };
        let stay = meant.iter().rev().filter(|run| run.ended == Some(RunEnd::Kept) && run.holds());
        stay.map(|run| of(run)).collect()
    }

    /// The number of the next run.
    pub fn next(&self) -> u64 {
        let known = self.runs.keys().chain(self.refused.keys()).max();
        known.map_or(0, |last| *last).max(self.chain.runs) + 1
    }
}
