//! A journal that is being written.

use jiff::Timestamp;

use super::JournalReplay;
use super::entry::{FORMAT, JournalEntry};
use super::line::seal;
use crate::{ClockReading, PilotError, WallClock};

/// Where the lines of a journal go.
pub trait JournalSink {
    /// Adds a line; it is durable when this returns.
    ///
    /// # Errors
    /// When it is not.
    fn append(&mut self, line: &str) -> Result<(), PilotError>;
}

/// A journal that is being written. A line is on the disk before what it says happens.
pub struct Journal {
    lines: Box<dyn JournalSink>,
    replay: JournalReplay,
    clock: Option<Box<dyn WallClock>>,
}

impl Journal {
    /// Goes on with what was read, or begins with a header if that was nothing.
    ///
    /// # Errors
    /// When the journal is of another cluster or does not tell of which, or cannot be written.
    pub fn open(
        lines: Box<dyn JournalSink>,
        replay: JournalReplay,
        cluster: &str,
        pilot: &str,
        at: Timestamp,
    ) -> Result<Self, PilotError> {
        let mut journal = Self { lines, replay, clock: None };
        match (journal.replay.cluster.as_str(), journal.replay.complaint()) {
            ("", Some(damaged)) => return Err(PilotError::Input(damaged)),
            ("", None) => {
                let (cluster, pilot) = (cluster.to_owned(), pilot.to_owned());
                let header = JournalEntry::Header { format: FORMAT, cluster, pilot, at };
                // Twice, for without one nothing could be undone.
                journal.append(&header)?;
                journal.append(&header)?;
            }
            (of, _) if of == cluster => {}
            (of, _) => {
                return Err(PilotError::Input(format!(
                    "the journal is of cluster {of}, and PD is of cluster {cluster}: give --journal a folder of its own for \
                     each cluster"
                )));
            }
        }
        Ok(journal)
    }

    /// The same; each line has the time that this clock shows when it is written.
    #[must_use]
    pub fn timed_by(mut self, clock: Box<dyn WallClock>) -> Self {
        self.clock = Some(clock);
        self
    }

    /// What it says until now.
    pub fn replay(&self) -> &JournalReplay {
        &self.replay
    }

    /// Now, or where no clock was given the time that its caller has.
    pub(crate) fn moment(&self, now: ClockReading) -> ClockReading {
        self.clock.as_ref().map_or(now, |clock| clock.now())
    }

    /// Writes a line.
    ///
    /// # Errors
    /// When it cannot be written: then nothing may be done.
    pub fn append(&mut self, entry: &JournalEntry) -> Result<(), PilotError> {
        let place = self.replay.chain.next(entry.run());
        let line = seal(place, entry).map_err(|error| PilotError::system("the journal", error))?;
        self.lines.append(&line)?;
        self.replay.chain.add(place, entry);
        self.replay.apply(entry).map_err(|why| PilotError::system("the journal", why))
    }
}

impl std::fmt::Debug for Journal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Journal").field("replay", &self.replay).finish_non_exhaustive()
    }
}
