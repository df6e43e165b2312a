//! Histograms as bytes: HdrHistogram's V2 encoding, not deflated, which its implementations in other languages read.

use hdrhistogram::serialization::{Deserializer, Serializer, V2Serializer};

use crate::LatencyHistogram;
use crate::validate::DIGITS;

/// Bytes before the counts: marker, length, offset, digits (4 each), lowest, highest, ratio (8 each).
const HEADER: usize = 40;

/// No latencies yet: three significant digits from 1 ns up, and grows as needed. Every histogram of a Timeline has these
/// buckets, so that all merge without loss.
pub fn latencies() -> LatencyHistogram {
    let mut empty = LatencyHistogram::new(DIGITS).expect("three digits are allowed");
    empty.auto(true);
    empty
}

/// The bytes of a valid histogram.
pub(crate) fn encode(latency: &LatencyHistogram) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    V2Serializer::new().serialize(latency, &mut bytes).map_err(|error| error.to_string())?;
    Ok(bytes)
}

/// A histogram from bytes that anybody may have written. `memory` is what histograms may still take up; it is lowered.
pub(crate) fn decode(bytes: &[u8], memory: &mut u64) -> Result<LatencyHistogram, String> {
    let slots = check(bytes)?;
    let takes = slots * size_of::<u64>() as u64;
    *memory = memory.checked_sub(takes).ok_or_else(|| "takes more memory than is left for histograms".to_owned())?;
    let mut latency: LatencyHistogram =
        Deserializer::new().deserialize(&mut &bytes[..]).map_err(|error| error.to_string())?;
    latency.auto(true);
    Ok(latency)
}

/// Refuses what would make the decoder panic, allocate at the writer's bidding or lose counts; gives the number of
/// counts that the histogram will hold.
fn check(bytes: &[u8]) -> Result<u64, String> {
    let (header, mut counts) = bytes.split_at_checked(HEADER).ok_or("is shorter than its header")?;
    let word = |at: usize| header[at..at + 4].iter().fold(0u64, |word, byte| word << 8 | u64::from(*byte));
    let long = |at: usize| word(at) << 32 | word(at + 4);
    if word(4) != counts.len() as u64 {
        return Err(format!("is {} bytes long, expected {}", bytes.len(), HEADER as u64 + word(4)));
    }
    let (digits, low, high) = (word(12), long(16), long(24));
    if digits != u64::from(DIGITS) || low != 1 {
        return Err(format!("has {digits} digits from {low} ns up, expected {DIGITS} from 1 ns up"));
    }
    let slots = slots(high);
    let (mut used, mut total) = (0u64, 0i64);
    while !counts.is_empty() {
        let number = zigzag(varint(&mut counts).ok_or("is cut off")?);
        let (more, count) = if number < 0 { (number.unsigned_abs(), 0) } else { (1, number) };
        used = used.checked_add(more).filter(|used| *used <= slots).ok_or("holds counts past its highest value")?;
        total = total.checked_add(count).ok_or("counts more than 2^63 latencies")?;
    }
    Ok(slots)
}

/// How many counts a histogram up to `high` holds with three digits: 2048 for values to 2047, half as many again for
/// each doubling. After HdrHistogram's `countsArrayLength`.
fn slots(high: u64) -> u64 {
    let doublings = (u64::BITS - high.leading_zeros()).saturating_sub(11);
    (u64::from(doublings) + 2) * 1024
}

/// A number of HdrHistogram's LEB128 with at most nine bytes, of which the ninth is whole.
fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for place in 0..9 {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        if place == 8 {
            return Some(value | u64::from(*byte) << 56);
        }
        value |= u64::from(byte & 0x7F) << (7 * place);
        if byte & 0x80 == 0 {
            break;
        }
    }
    Some(value)
}

fn zigzag(number: u64) -> i64 {
    (number >> 1) as i64 ^ -((number & 1) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::latency;
    use proptest::collection::vec;
    use proptest::prelude::*;

    /// A header that says `counts` follow.
    fn with_counts(counts: &[u8]) -> Vec<u8> {
        let mut bytes = encode(&latency(&[1])).unwrap()[..HEADER].to_vec();
        bytes[4..8].copy_from_slice(&(counts.len() as u32).to_be_bytes());
        bytes.extend(counts);
        bytes
    }

    fn fault(bytes: &[u8]) -> String {
        decode(bytes, &mut u64::MAX.clone()).unwrap_err()
    }

    #[test]
    fn a_run_of_zeros_longer_than_any_number_is_refused() {
        assert_eq!(fault(&with_counts(&[0xFF; 9])), "holds counts past its highest value");
    }

    #[test]
    fn a_cut_number_is_refused() {
        assert_eq!(fault(&with_counts(&[0x80])), "is cut off");
    }

    #[test]
    fn a_length_that_promises_gigabytes_is_refused() {
        let mut bytes = with_counts(&[2]);
        bytes[4..8].copy_from_slice(&u32::MAX.to_be_bytes());
        assert_eq!(fault(&bytes), "is 41 bytes long, expected 4294967335");
    }

    #[test]
    fn five_digits_are_refused() {
        let mut five = LatencyHistogram::new_with_max(1000, 5).unwrap();
        five.record(7).unwrap();
        assert_eq!(fault(&encode(&five).unwrap()), "has 5 digits from 1 ns up, expected 3 from 1 ns up");
    }

    #[test]
    fn histograms_take_no_more_memory_than_they_may() {
        let bytes = encode(&latency(&[1])).unwrap();
        let mut memory = 2 * 2048 * 8;
        decode(&bytes, &mut memory).unwrap();
        decode(&bytes, &mut memory).unwrap();
        assert_eq!(decode(&bytes, &mut memory).unwrap_err(), "takes more memory than is left for histograms");
    }

    proptest! {
        #[test]
        fn what_was_written_reads_back(nanos in vec(prop_oneof![0..10_000_000u64, any::<u64>()], 0..100)) {
            let written = latency(&nanos);
            let mut memory = u64::MAX;
            let read = decode(&encode(&written).unwrap(), &mut memory).unwrap();
            prop_assert_eq!(&read, &written);
            prop_assert_eq!(u64::MAX - memory, 8 * read.distinct_values() as u64);
            prop_assert_eq!(read.max(), written.max());
        }

        #[test]
        fn any_bytes_after_any_header_do_not_panic(header in vec(any::<u8>(), HEADER), counts in vec(any::<u8>(), 0..60)) {
            let mut bytes = with_counts(&counts);
            let _ = decode(&bytes, &mut u64::MAX.clone());
            bytes[12..HEADER].copy_from_slice(&header[12..]);
            let _ = decode(&bytes, &mut u64::MAX.clone());
        }

        #[test]
        fn one_changed_byte_does_not_panic(nanos in vec(0..10_000_000u64, 0..20), at: proptest::sample::Index, to: u8) {
            let mut bytes = encode(&latency(&nanos)).unwrap();
            let at = at.index(bytes.len());
            bytes[at] = to;
            let _ = decode(&bytes, &mut u64::MAX.clone());
        }
    }
}
