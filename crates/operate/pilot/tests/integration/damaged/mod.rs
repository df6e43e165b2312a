//! A journal of which a byte is not as it was written: it is never taken for an empty one, never cut, and nothing is undone to a
//! value that was not there before.

mod former;
pub(crate) mod lived;

use std::fs;

use pilot::twin::ClusterTwin;
use pilot::{JournalReplay, PilotFolder};
use proptest::prelude::*;

use lived::{lived, pilot, undo_all};

/// A byte that is another, is there beside, or is not there.
#[derive(Debug, Clone, Copy)]
enum Change {
    Flip(u8),
    Insert(u8),
    Delete,
}

fn changed(text: &str, at: usize, change: Change) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    match change {
        Change::Flip(by) => bytes[at] ^= by,
        Change::Insert(byte) => bytes.insert(at, byte),
        Change::Delete => drop(bytes.remove(at)),
    }
    bytes
}

fn changes() -> impl Strategy<Value = Change> {
    let byte = || prop_oneof![any::<u8>(), prop::sample::select(b"0123456789\n\"{}\xff".to_vec())];
    prop_oneof![(1..=255_u8).prop_map(Change::Flip), byte().prop_map(Change::Insert), Just(Change::Delete)]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn whatever_byte_is_changed_no_wrong_value_is_written_and_nothing_is_cut(
        at in any::<prop::sample::Index>(),
        change in changes(),
    ) {
        let (twin, text) = lived();
        twin.revive();
        let bytes = changed(&text, at.index(text.len()), change);
        // One more line break, or one less at the end, changes nothing that was said.
        let same = JournalReplay::read("j", &text).unwrap().0;
        let (read, _) = JournalReplay::read("j", &bytes).unwrap();
        if read.is_damaged() {
            let folder = tempfile::tempdir_in("/dev/shm").unwrap();
            let read = undo_all(&twin, folder.path(), &bytes)?;
            prop_assert!(read.refused.len() <= 1, "one line is of one run: {:?}", read.refused);
        } else {
            prop_assert_eq!((read.runs, read.cluster, read.pilot), (same.runs, same.cluster, same.pilot));
        }
    }

    #[test]
    fn any_bytes_are_a_damaged_journal_or_a_line_that_was_cut_off(bytes in prop::collection::vec(any::<u8>(), 1..300)) {
        let (read, whole) = JournalReplay::read("j", &bytes).unwrap();
        prop_assert!(read.is_damaged() || whole == 0, "{:?}", read);
        prop_assert!(read.runs.is_empty());
    }

    #[test]
    fn a_journal_of_which_a_stretch_is_overwritten_is_no_empty_one(
        from in any::<prop::sample::Index>(),
        length in 1..2000_usize,
        with in prop_oneof![Just(0_u8), Just(b'\n'), Just(b' '), any::<u8>()],
    ) {
        let (twin, text) = lived();
        twin.revive();
        let mut bytes = text.clone().into_bytes();
        let from = from.index(bytes.len());
        // The last line break stays: else it may be a line that a crash cut off.
        let to = (from + length).min(bytes.len() - 1).max(from);
        bytes[from..to].fill(with);
        let (read, whole) = JournalReplay::read("j", &bytes).unwrap();
        prop_assert!(bytes == text.as_bytes() || read.is_damaged());
        prop_assert!(whole == bytes.len() || read.is_damaged());
        let folder = tempfile::tempdir_in("/dev/shm").unwrap();
        if read.is_damaged() && !read.cluster.is_empty() {
            undo_all(&twin, folder.path(), &bytes)?;
        }
    }
}

#[test]
fn every_byte_that_differs_is_noticed_and_costs_one_run_at_most() {
    let (_, text) = lived();
    let (whole, _) = JournalReplay::read("j", &text).unwrap();
    assert_eq!((whole.runs.len(), whole.is_damaged()), (4, false));
    for at in 0..text.len() {
        for change in [Change::Flip(1), Change::Flip(0x80), Change::Insert(b'7'), Change::Insert(b'\n'), Change::Delete]
        {
            let bytes = changed(&text, at, change);
            let (read, holds) = JournalReplay::read("j", &bytes).unwrap();
            assert!(read.refused.len() <= 1, "{at} {change:?}: {:?}", read.refused);
            assert_eq!(read.runs.len() + read.refused.len(), 4, "{at} {change:?}: {:?}", read.damage);
            assert_eq!(holds, bytes.len(), "{at} {change:?}");
            assert_eq!(read.cluster, "7001");
            // All that is read is as it was written.
            assert!(read.runs.iter().all(|(number, run)| whole.runs[number] == *run), "{at} {change:?}");
            let at_end = at + 1 == text.len() && matches!(change, Change::Delete);
            assert!(read.is_damaged() || at_end, "{at} {change:?}");
        }
    }
}

#[test]
fn lines_that_are_missing_doubled_or_in_another_order_are_noticed() {
    let (_, text) = lived();
    let lines: Vec<&str> = text.lines().collect();
    let read = |lines: Vec<&str>| JournalReplay::read("j", lines.join("\n") + "\n").unwrap().0;
    for at in 0..lines.len() {
        if at + 1 < lines.len() {
            let mut less = lines.clone();
            less.remove(at);
            let without = read(less);
            assert!(without.complaint().unwrap().contains("missing"), "{:?}", without.complaint());
            let mut swapped = lines.clone();
            swapped.swap(at, at + 1);
            assert!(read(swapped).is_damaged(), "{at}");
        }
        let mut doubled = lines.clone();
        doubled.insert(at + 1, lines[at]);
        let doubled = read(doubled);
        assert!(doubled.is_damaged() && doubled.refused.is_empty(), "{at}: {:?}", doubled.refused);
    }
}

#[test]
fn bytes_that_are_no_journal_are_a_damaged_one_to_which_nothing_is_added() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("journal.jsonl");
    let folder = PilotFolder::take(place.path()).unwrap();
    let random: Vec<u8> = (0..4096_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    for bytes in [&random[..], &[0; 512], b"\xff", b"\n", b"hello", "\u{feff}".as_bytes()] {
        fs::write(&file, bytes).unwrap();
        let replay = folder.replay().unwrap();
        assert!(replay.complaint().is_some_and(|said| said.contains("damaged: line")), "{bytes:?}");
        let (lines, replay) = folder.lines().unwrap();
        let error = pilot(&ClusterTwin::new(1, &[]), lines, replay).err().unwrap();
        assert!(matches!(error, pilot::PilotError::Input(_)), "{error}");
        assert_eq!(fs::read(&file).unwrap(), bytes);
    }
}

#[test]
fn what_is_known_of_a_run_that_is_refused_is_told() {
    let (_, text) = lived();
    let at = text.find("\"outcome\"").unwrap();
    let (read, _) = JournalReplay::read("j", changed(&text, at + 3, Change::Flip(4))).unwrap();
    let said = read.complaint().unwrap();
    let line = text[..at].lines().count();
    for part in [
        &format!("j: damaged: line {line} is damaged"),
        "of run 1",
        "Run 1 cannot be undone",
        "set rocksdb.rate-bytes-per-sec = 100MB on store 1, before: 10GiB",
        "undo what is whole",
    ] {
        assert!(said.contains(part), "`{part}` is not in: {said}");
    }
}

#[test]
fn a_line_is_found_where_only_the_break_before_it_is_lost() {
    let (_, text) = lived();
    let (whole, _) = JournalReplay::read("j", &text).unwrap();
    for (at, _) in text.match_indices('\n') {
        for change in [Change::Flip(0x20), Change::Delete] {
            let (read, _) = JournalReplay::read("j", changed(&text, at, change)).unwrap();
            assert_eq!(read.runs, whole.runs, "{at} {change:?}");
        }
    }
}
