//! A log of numbered records, each written and flushed before the next: what a database's log does.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::Path;

/// What a filesystem gives to a file at a time.
const BLOCK: usize = 4096;

/// The record of a number: every byte follows from it, so that a reader knows what must be there.
fn record(number: u64) -> Vec<u8> {
    let length = 40 + (number * 37 % 900) as usize;
    let mut text = format!("record {number} of {length} bytes ").into_bytes();
    text.extend((text.len()..length).map(|i| b'a' + ((number as usize + i) % 26) as u8));
    text
}

/// Appends a record and returns once the disk has it.
pub(crate) fn append(file: &mut File, number: u64) -> io::Result<()> {
    file.write_all(&record(number))?;
    file.sync_data()
}

/// How many records from the first on are whole in the bytes; what follows may be one that was never acknowledged.
fn whole(bytes: &[u8]) -> u64 {
    let mut rest = bytes;
    let mut number = 0;
    while let Some(after) = rest.strip_prefix(&record(number)[..]) {
        rest = after;
        number += 1;
    }
    number
}

/// Asserts that the first `acknowledged` records are there but for the last `doubtful` ones, and at most one more.
#[track_caller]
pub(crate) fn check(path: &Path, acknowledged: u64, doubtful: u64) {
    let bytes = fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let found = whole(&bytes);
    assert!(
        (acknowledged.saturating_sub(doubtful)..=acknowledged + 1).contains(&found),
        "{}: {acknowledged} records were acknowledged, {found} are whole in {} bytes",
        path.display(),
        bytes.len()
    );
}

/// Asserts that the last of the `acknowledged` records is on a disk, whatever the filesystem there knows of it: each part
/// of it in some block, where it is in its block of the file.
#[track_caller]
pub(crate) fn check_disk(image: &Path, acknowledged: u64) {
    let Some(last) = acknowledged.checked_sub(1) else { return };
    let before = (0..last).map(|number| record(number).len()).sum();
    let mut parts = parts(&record(last), before);
    let mut disk = File::open(image).unwrap_or_else(|e| panic!("{}: {e}", image.display()));
    let mut blocks = vec![0; 256 * BLOCK];
    // A disk is as long as many of these.
    while !parts.is_empty() && disk.read_exact(&mut blocks).is_ok() {
        for block in blocks.chunks_exact(BLOCK) {
            parts.retain(|(at, part)| block[*at..at + part.len()] != part[..]);
        }
    }
    assert!(parts.is_empty(), "{}: record {last} was acknowledged and is not on the disk", image.display());
}

/// What each block of a file gets of a record that begins at `from`, and where in the block.
fn parts(record: &[u8], from: usize) -> Vec<(usize, Vec<u8>)> {
    let first = record.len().min(BLOCK - from % BLOCK);
    let (first, rest) = record.split_at(first);
    let parts = [(from % BLOCK, first.to_vec()), (0, rest.to_vec())];
    parts.into_iter().filter(|(_, part)| !part.is_empty()).collect()
}

#[test]
fn the_check_of_a_disk_finds_a_record_in_two_blocks_apart_and_notices_that_one_is_gone() {
    let all: Vec<u8> = (0..50).flat_map(record).collect();
    let over = (1..50).find(|n| parts(&record(*n), (0..*n).map(|n| record(n).len()).sum()).len() == 2).unwrap();
    let mut disk = vec![0; 256 * BLOCK];
    let image = tempfile::NamedTempFile::new().unwrap();
    let found = |disk: &[u8]| {
        fs::write(image.path(), disk).unwrap();
        std::panic::catch_unwind(|| check_disk(image.path(), over + 1)).is_ok()
    };
    for (i, block) in all.chunks_exact(BLOCK).enumerate() {
        disk[(200 - 7 * i) * BLOCK..][..BLOCK].copy_from_slice(block);
    }
    assert!(found(&disk));
    let end: usize = (0..=over).map(|n| record(n).len()).sum();
    disk[(200 - 7 * (end / BLOCK)) * BLOCK] ^= 1;
    assert!(!found(&disk));
}

#[test]
fn the_check_notices_one_lost_record_one_changed_byte_and_a_hole() {
    let all: Vec<u8> = (0..50).flat_map(record).collect();
    assert_eq!(whole(&all), 50);
    assert_eq!(whole(&all[..all.len() - 1]), 49);
    let mut changed = all.clone();
    changed[record(0).len() + 5] ^= 1;
    assert_eq!(whole(&changed), 1);
    let mut hole = all;
    hole[2000..4000].fill(0);
    assert!((1..49).contains(&whole(&hole)));
}
