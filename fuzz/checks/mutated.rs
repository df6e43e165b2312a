//! Bytes near to valid ones, for property tests on a stable compiler.

use proptest::collection::vec;
use proptest::prelude::*;

/// One change: where (as a share of the length), how many bytes go, what comes instead.
type Change = (f64, usize, Vec<u8>);

/// Arbitrary bytes, and valid texts with a few changes.
pub(crate) fn near(valid: Vec<&'static str>, words: Vec<&'static str>) -> impl Strategy<Value = Vec<u8>> {
    let word = proptest::sample::select(words).prop_map(|word| word.as_bytes().to_vec());
    let instead = prop_oneof![2 => word, 1 => vec(any::<u8>(), 0..4), 1 => Just(Vec::new())];
    let change = (0.0..1.0f64, 0..12usize, instead);
    let changed = (proptest::sample::select(valid), vec(change, 0..6))
        .prop_map(|(text, changes)| changes.into_iter().fold(text.as_bytes().to_vec(), apply));
    prop_oneof![1 => vec(any::<u8>(), 0..200), 9 => changed]
}

fn apply(mut bytes: Vec<u8>, (place, removed, instead): Change) -> Vec<u8> {
    let at = (place * bytes.len() as f64) as usize;
    let end = (at + removed).min(bytes.len());
    bytes.splice(at..end, instead);
    bytes
}
