//! The lines of a journal taken in one by one, and which runs those may be of that are missing.

use std::collections::BTreeMap;

use super::JournalReplay;
use super::damage::{JournalDamage, RefusedRun};
use super::entry::JournalEntry;
use super::line::{Place, UNDOING};
use super::scan::Part;
use crate::PilotError;

/// Reads lines in order, and tells which runs the missing ones may be of.
#[derive(Default)]
pub(super) struct Reader<'b> {
    replay: JournalReplay,
    junk: Vec<Junk<'b>>,
    /// Runs that a lost line may be of, and why that is said. The next line of such a run clears it: its number shows that it lacks
    /// none.
    suspects: BTreeMap<u64, String>,
}

/// What is no line, since the last that is.
struct Junk<'b> {
    line: usize,
    bytes: &'b [u8],
    looks: Option<String>,
}

impl Junk<'_> {
    /// How many lines it is, as editors count. A whole one that is there twice takes no other's place.
    fn lines(&self) -> u64 {
        let ended = self.bytes.iter().filter(|byte| **byte == b'\n').count() as u64;
        ended + u64::from(self.bytes.last().is_some_and(|last| *last != b'\n'))
    }
}

impl<'b> Reader<'b> {
    /// What all of them come to.
    pub(super) fn read(name: &str, parts: Vec<(usize, Part<'b>)>) -> Result<JournalReplay, PilotError> {
        let mut reader =
            Self { replay: JournalReplay { name: name.to_owned(), ..JournalReplay::default() }, ..Self::default() };
        for (number, part) in parts {
            match part {
                Part::Whole(place, entry) => reader.take(number, place, &entry)?,
                Part::Unbroken => reader.replay.damage.push(JournalDamage::between(number, 0)),
                Part::Junk(bytes) => {
                    reader.junk.push(Junk { line: number, bytes, looks: JournalDamage::resemblance(bytes) })
                }
            }
        }
        Ok(reader.end())
    }

    fn take(&mut self, number: usize, place: Option<Place>, entry: &JournalEntry) -> Result<(), PilotError> {
        let (run, sealed) = (entry.run(), place.is_some());
        self.replay.unsealed |= !sealed;
        let place = place.unwrap_or_else(|| {
            // Format 1 counts nothing: what cannot be read may have been a line of any run that was under way.
            let next = self.replay.chain.next(run);
            let after_run = next.after_run.filter(|_| self.junk.is_empty());
            Place { line: next.line + self.junk_lines(), after_run, ..next }
        });
        if place.line <= self.replay.chain.line {
            let looks = Some(format!("it is line {} again, or out of its order", place.line));
            self.junk.push(Junk { line: number, bytes: &[], looks });
            return Ok(());
        }
        self.lost_before(number, place);
        let expected = self.replay.chain.next(run).run_line;
        self.replay.chain.add(place, entry);
        let applied = match run {
            Some(_) if place.run_line != expected => Err(format!("of its lines, some before line {number} are lost")),
            _ => self.replay.apply(entry),
        };
        match (run, applied) {
            (None, Err(why)) => Err(PilotError::Input(format!("{}:{number}: {why}", self.replay.name))),
            (Some(run), Err(why)) => {
                self.refuse(run, why);
                Ok(())
            }
            (Some(run), Ok(())) if sealed => {
                self.suspects.remove(&run);
                Ok(())
            }
            (_, Ok(())) => Ok(()),
        }
    }

    /// Tells what is missing before a line that is there.
    fn lost_before(&mut self, number: usize, place: Place) {
        let (lost, (runs, turned)) =
            (place.line - self.replay.chain.line - 1, (self.replay.chain.runs, self.replay.chain.turned));
        let undone = self.may_have_undone();
        let line = self.tell_junk(number, lost);
        match (lost, place.after_run) {
            (0, _) => {}
            (_, None) => self.suspect(line, undone),
            (1, Some(run)) if self.replay.runs.contains_key(&run) => self.suspect_one(run, line),
            (1, Some(_)) => {}
            (_, Some(_)) => self.suspect(line, place.turned != turned),
        }
        if lost > 0 && place.after_run.is_some() {
            for run in runs + 1..=place.runs {
                self.refuse(run, "the lines with which it began are lost".to_owned());
            }
        }
    }

    /// Notes what is no line as damage, or else the place at which lines are missing. Gives the first such line.
    fn tell_junk(&mut self, number: usize, lost: u64) -> usize {
        let junk = std::mem::take(&mut self.junk);
        let line = junk.first().map_or(number, |junk| junk.line);
        if junk.is_empty() && lost > 0 {
            self.replay.damage.push(JournalDamage::between(number, lost));
        }
        for (at, junk) in junk.into_iter().enumerate() {
            let lost = if at == 0 { lost } else { 0 };
            self.replay.damage.push(JournalDamage {
                line: junk.line,
                lines: junk.lines().max(1),
                bytes: junk.bytes.len(),
                lost,
                looks: junk.looks,
            });
        }
        line
    }

    /// A lost line may be of each run that was under way, and, if an undoing may be among what is lost, of each that can be undone.
    fn suspect(&mut self, line: usize, undone: bool) {
        let runs = self.replay.runs.values().filter(|run| run.ended.is_none() || (undone && run.holds()));
        for run in runs.map(|run| run.number).collect::<Vec<_>>() {
            let why = || format!("line {line}, which is damaged or missing, may be of it");
            self.suspects.entry(run).or_insert_with(why);
        }
    }

    /// Whether what is no line may have been the undoing of a run that was over. After less than that, what is read of its subject
    /// shows how it stands.
    fn may_have_undone(&self) -> bool {
        self.junk.iter().map(|junk| junk.bytes.len()).sum::<usize>() >= UNDOING
    }

    fn junk_lines(&self) -> u64 {
        self.junk.iter().map(Junk::lines).sum()
    }

    fn suspect_one(&mut self, run: u64, line: usize) {
        self.suspects.insert(run, format!("line {line}, which is damaged or missing, is of it"));
    }

    fn refuse(&mut self, run: u64, why: String) {
        self.suspects.remove(&run);
        let known = self.replay.runs.remove(&run);
        self.replay.refused.entry(run).or_insert(RefusedRun { run: known, why });
    }

    fn end(mut self) -> JournalReplay {
        if let Some(line) = self.junk.first().map(|junk| junk.line) {
            let (lost, undone) = (self.junk_lines(), self.may_have_undone());
            self.tell_junk(line, lost);
            if lost > 0 {
                self.replay.chain.line += lost;
                self.replay.chain.run = None;
                self.suspect(line, undone);
            }
        }
        for (run, why) in std::mem::take(&mut self.suspects) {
            self.refuse(run, why);
        }
        if self.replay.cluster.is_empty() && self.replay.chain.line > 0 {
            if self.replay.damage.is_empty() {
                self.replay.damage.push(JournalDamage::between(1, 1));
            }
            let runs: Vec<u64> = self.replay.runs.keys().copied().collect();
            for run in runs {
                self.refuse(run, "the lines that name the cluster are lost".to_owned());
            }
        }
        self.replay
    }
}
