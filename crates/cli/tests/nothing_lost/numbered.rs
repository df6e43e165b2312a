//! A log of numbered records, each written and flushed before the next: what a database's log does.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

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

/// Asserts that the first `acknowledged` records are there, and at most one more.
#[track_caller]
pub(crate) fn check(path: &Path, acknowledged: u64) {
    let bytes = fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let found = whole(&bytes);
    assert!(
        (acknowledged..=acknowledged + 1).contains(&found),
        "{}: {acknowledged} records were acknowledged, {found} are whole in {} bytes",
        path.display(),
        bytes.len()
    );
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
