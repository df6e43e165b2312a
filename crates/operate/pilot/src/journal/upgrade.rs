//! A journal of format 1, which had no checksums, as one of this format.

use super::entry::{FORMAT, JournalEntry};
use super::line::seal;
use super::scan::{Part, Scan};
use super::{JournalReplay, chain::Chain};
use crate::PilotError;

/// Writes a whole journal anew, each line with its place and checksum.
///
/// # Errors
/// When what was written does not read as what was there.
pub(super) fn upgraded(
    name: &str,
    bytes: &[u8],
    replay: &JournalReplay,
) -> Result<(String, JournalReplay), PilotError> {
    let (mut chain, mut text) = (Chain::default(), String::new());
    for (_, part) in Scan::of(bytes).parts {
        let Part::Whole(_, entry) = part else { continue };
        let entry = match *entry {
            JournalEntry::Header { cluster, pilot, at, .. } => {
                JournalEntry::Header { format: FORMAT, cluster, pilot, at }
            }
            entry => entry,
        };
        // The header twice, as a new journal has it.
        for _ in 0..if entry.run().is_none() { 2 } else { 1 } {
            let place = chain.next(entry.run());
            text += &seal(place, &entry).map_err(|error| PilotError::system(name, error))?;
            text.push('\n');
            chain.add(place, &entry);
        }
    }
    let (again, _) = JournalReplay::read(name, &text)?;
    if (&again.cluster, &again.pilot, &again.runs) == (&replay.cluster, &replay.pilot, &replay.runs)
        && !again.is_damaged()
    {
        return Ok((text, again));
    }
    Err(PilotError::Input(format!("{name}: of format 1, and its lines cannot be written in format {FORMAT}")))
}
