//! One line on the disk: an entry, its place in the journal, and a checksum over both.
//!
//! ```text
//! {"line":7,"run-line":3,"after-run":2,"runs":2,"turned":0,"entry":"outcome","run":1, …,"check":"9ae0f1d2"}
//! ```

use serde::{Deserialize, Serialize};

use super::entry::JournalEntry;
use super::files::LIMIT;

/// How each line of this format begins.
pub(super) const START: &[u8] = br#"{"line":"#;
/// What stands before the checksum. Within a text its quotes would be escaped.
const CHECK: &str = r#","check":""#;
/// `,"check":"` with eight digits and `"}`.
const TAIL: usize = CHECK.len() + 8 + 2;

/// The place of a line: what came before it, so that it shows what is missing there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Place {
    /// Number in the journal, from 1.
    pub(super) line: u64,
    /// Number among the lines of its run, from 1; 0 for a header.
    pub(super) run_line: u64,
    /// Run of the line before, 0 where that is a header; `None` where it could not be read, nor, therefore, all that came before.
    pub(super) after_run: Option<u64>,
    /// Runs that began before, by their highest number.
    pub(super) runs: u64,
    /// How many times it was decided before that a run is undone.
    pub(super) turned: u64,
}

/// Most lines of a journal that is read: none takes fewer bytes.
const MOST_LINES: u64 = LIMIT / 64;
/// Most runs of one: each takes four lines at least, the first of them with its procedure.
const MOST_RUNS: u64 = LIMIT / 512;

impl Place {
    /// Whether a journal can have got so far. What says otherwise was written by something else, and nothing is counted by it.
    fn is_possible(&self) -> bool {
        let Self { line, run_line, after_run, runs, turned } = *self;
        [line, run_line, turned].iter().all(|lines| *lines <= MOST_LINES)
            && line > 0
            && runs.max(after_run.unwrap_or_default()) <= MOST_RUNS
    }
}

/// Whether a run can have that number.
fn is_run(entry: &JournalEntry) -> bool {
    entry.run().is_none_or(|run| (1..=MOST_RUNS).contains(&run))
}

/// Writes an entry as a line, without its line break.
pub(super) fn seal(place: Place, entry: &JournalEntry) -> serde_json::Result<String> {
    let (place, entry) = (serde_json::to_string(&place)?, serde_json::to_string(entry)?);
    let mut line = format!("{},{}", &place[..place.len() - 1], &entry[1..entry.len() - 1]);
    let sum = check(line.as_bytes());
    line += &sum;
    Ok(line)
}

/// Reads a line, without its line break. `None` where a byte differs from what was written.
pub(super) fn open(line: &[u8]) -> Option<(Place, JournalEntry)> {
    let (body, sum) = line.split_at_checked(line.len().checked_sub(TAIL)?)?;
    if sum != check(body).as_bytes() {
        return None;
    }
    let (place, entry): (Place, JournalEntry) =
        (serde_json::from_slice(line).ok()?, serde_json::from_slice(line).ok()?);
    (place.is_possible() && is_run(&entry)).then_some((place, entry))
}

/// Reads a line of format 1, which has neither place nor checksum.
pub(super) fn open_unsealed(line: &[u8]) -> Option<JournalEntry> {
    let sealed = line.starts_with(START) || line.windows(CHECK.len()).any(|part| part == CHECK.as_bytes());
    (!sealed).then(|| serde_json::from_slice(line).ok()).flatten().filter(is_run)
}

fn check(body: &[u8]) -> String {
    format!("{CHECK}{:08x}\"}}", crc32fast::hash(body))
}

/// Whether a crash may have left this of a line: the beginning of one, and not all of it.
pub(super) fn is_torn(tail: &[u8]) -> bool {
    let text = match std::str::from_utf8(tail) {
        Ok(text) => text,
        // Cut within a letter.
        Err(error) if error.error_len().is_none() => {
            std::str::from_utf8(&tail[..error.valid_up_to()]).unwrap_or_default()
        }
        Err(_) => return false,
    };
    text.starts_with('{')
        && serde_json::from_str::<serde::de::IgnoredAny>(text)
            .is_err_and(|error| error.classify() == serde_json::error::Category::Eof)
}

/// The lines that undo a run that was over: it is turned, a step's undoing is meant, and over. They take no fewer bytes.
pub(super) const UNDOING: usize = 400;

/// The whole lines within one that is none: a line break may be what was lost.
pub(super) fn pieces(line: &[u8]) -> Vec<&[u8]> {
    let starts = line.windows(START.len()).enumerate().filter(|(_, part)| *part == START).map(|(at, _)| at);
    let starts: Vec<usize> = starts.chain([line.len()]).collect();
    let end = |piece: &[u8]| piece.windows(2).rposition(|part| part == b"\"}").map_or(0, |at| at + 2);
    let pieces = starts.windows(2).map(|span| &line[span[0]..span[1]]).map(|piece| &piece[..end(piece)]);
    pieces.filter(|piece| open(piece).is_some()).collect()
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::super::entry::UndoOutcome;
    use super::*;

    #[test]
    fn an_undoing_takes_no_fewer_bytes() {
        let (run, stage, at) = (1, 0, Timestamp::UNIX_EPOCH);
        let turned = JournalEntry::Turned { run, at, why: String::new(), force: false };
        let came = UndoOutcome::Done;
        let undoing =
            [turned, JournalEntry::UndoIntent { run, stage, at }, JournalEntry::UndoOutcome { run, stage, at, came }];
        let place = Place { line: 1, run_line: 1, after_run: Some(0), runs: 0, turned: 0 };
        let bytes: usize = undoing.iter().map(|entry| seal(place, entry).unwrap().len() + 1).sum();
        assert!((UNDOING..UNDOING + 100).contains(&bytes), "{bytes}");
    }
}
