//! The bytes of a journal as its lines: whole, damaged, or cut off by a crash.

use super::entry::JournalEntry;
use super::line::{Place, is_torn, open, open_unsealed, pieces};

/// What the bytes up to a line break are.
#[derive(Debug, PartialEq)]
pub(super) enum Part<'b> {
    /// As it was written; format 1 has no place.
    Whole(Option<Place>, Box<JournalEntry>),
    /// Two lines that nothing but their line break is missing between.
    Unbroken,
    /// Nothing that this program wrote, or not any more. What of it follows one another is one.
    Junk(&'b [u8]),
}

/// The lines of a journal.
#[derive(Debug, Default)]
pub(super) struct Scan<'b> {
    /// In order, each with its number as editors count.
    pub(super) parts: Vec<(usize, Part<'b>)>,
    /// How many bytes hold. What follows them was cut off while it was written, and had not happened.
    pub(super) whole: usize,
    sealed: bool,
}

impl<'b> Scan<'b> {
    pub(super) fn of(bytes: &'b [u8]) -> Self {
        let ended = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let (lines, tail) = bytes.split_at(ended);
        let mut scan = Self { whole: if is_torn(tail) { ended } else { bytes.len() }, ..Self::default() };
        let tail = Some(tail).filter(|_| scan.whole > ended);
        let (mut from, mut junk) = (0, None);
        for (at, line) in lines.split_inclusive(|byte| *byte == b'\n').chain(tail).enumerate() {
            let to = from + line.len();
            if scan.add(at + 1, line) {
                junk = None;
            } else if let (Some(began), Some((_, Part::Junk(before)))) = (junk, scan.parts.last_mut()) {
                *before = &bytes[began..to];
            } else {
                junk = Some(from);
                scan.parts.push((at + 1, Part::Junk(line)));
            }
            from = to;
        }
        scan
    }

    /// Adds what a line holds; whether that is all of it.
    fn add(&mut self, number: usize, line: &'b [u8]) -> bool {
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        if let Some((place, entry)) = open(line) {
            self.push(number, place, entry);
            return true;
        }
        // Once there are checksums, each line has one.
        if let Some(entry) = (!self.sealed).then(|| open_unsealed(line)).flatten() {
            self.parts.push((number, Part::Whole(None, Box::new(entry))));
            return true;
        }
        let mut rest = line.len();
        for piece in pieces(line) {
            if let Some((place, entry)) = open(piece) {
                rest -= piece.len();
                self.push(number, place, entry);
            }
        }
        let unbroken = rest < line.len() && rest <= 1;
        if unbroken {
            self.parts.push((number, Part::Unbroken));
        }
        unbroken
    }

    fn push(&mut self, number: usize, place: Place, entry: JournalEntry) {
        self.sealed = true;
        self.parts.push((number, Part::Whole(Some(place), Box::new(entry))));
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::super::line::seal;
    use super::*;

    fn line(number: u64) -> String {
        let place = Place { line: number, run_line: 0, after_run: Some(0), runs: 0, turned: 0 };
        let (cluster, pilot) = ("7".to_owned(), "größer".to_owned());
        seal(place, &JournalEntry::Header { format: 2, cluster, pilot, at: Timestamp::UNIX_EPOCH }).unwrap()
    }

    fn kinds(bytes: &[u8]) -> String {
        let kind = |(_, part): &(usize, Part<'_>)| match part {
            Part::Whole(Some(place), _) => place.line.to_string(),
            Part::Whole(None, _) => "unsealed".to_owned(),
            Part::Unbroken => "unbroken".to_owned(),
            Part::Junk(_) => "junk".to_owned(),
        };
        Scan::of(bytes).parts.iter().map(kind).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_a_crash_leaves_of_a_line_does_not_hold_and_is_no_damage() {
        let (one, two) = (line(1) + "\n", line(2));
        for cut in 1..two.len() {
            let bytes = [one.as_bytes(), &two.as_bytes()[..cut]].concat();
            let scan = Scan::of(&bytes);
            assert_eq!((scan.whole, scan.parts.len()), (one.len(), 1), "cut at {cut}");
        }
        // Only its line break is missing: the checksum says that it was written.
        assert_eq!(kinds((one + &two).as_bytes()), "1 2");
    }

    #[test]
    fn every_byte_that_differs_damages_its_line_and_no_other() {
        let bytes = format!("{}\n{}\n{}\n", line(1), line(2), line(3)).into_bytes();
        for at in 0..bytes.len() {
            for flip in 1..=255_u8 {
                let mut bytes = bytes.clone();
                bytes[at] ^= flip;
                let kinds = kinds(&bytes);
                let junk = kinds.matches("junk").count() + kinds.matches("unbroken").count();
                let left = ["1", "2", "3"].iter().filter(|number| kinds.contains(*number)).count();
                assert!(left >= 2 && junk >= 1 && !kinds.contains("unsealed"), "byte {at}: {kinds}");
            }
        }
    }
}
