//! The text of keys.

use bytes::{BufMut, Bytes, BytesMut};

use super::hash::fnv;
use crate::KeyOrder;

/// Turns row numbers into keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyEncoder {
    /// Whether neighbours in number are neighbours in key.
    pub order: KeyOrder,
}

/// Prefix of each key of a row, as in YCSB.
const PREFIX: &[u8; 4] = b"user";

/// Decimal digits of the largest number below 2^63.
const DIGITS: usize = 19;

/// Bytes that keys are cut from.
const ROOM: usize = 1 << 16;

/// Digits of an index entry's value and of its row, in hexadecimal.
const HEX: usize = 16;

impl KeyEncoder {
    /// Length of the longest key of a row, in bytes: `user` and 19 digits.
    pub const LONGEST: usize = PREFIX.len() + DIGITS;

    /// Length of the key of an index entry, in bytes.
    pub const INDEX: usize = 3 + 2 * HEX;

    /// The row's key. Hashed keys are YCSB's own, without leading zeros; ordered keys have them, so that they sort by
    /// number (YCSB does so from `zeropadding=19` on).
    pub fn key(self, row: u64) -> Bytes {
        let mut key = BytesMut::with_capacity(Self::LONGEST);
        self.write(row, &mut key);
        key.freeze()
    }

    /// The same, cut from `room`, which is made anew when it is full: an allocation for thousands of keys.
    pub(super) fn key_in(self, row: u64, room: &mut BytesMut) -> Bytes {
        if room.capacity() < Self::LONGEST {
            *room = BytesMut::with_capacity(ROOM);
        }
        self.write(row, room);
        room.split().freeze()
    }

    fn write(self, row: u64, key: &mut BytesMut) {
        let (number, least) = match self.order {
            KeyOrder::Hashed => (fnv(row), 0),
            KeyOrder::Ordered => (row, DIGITS),
        };
        let mut digits = itoa::Buffer::new();
        let digits = digits.format(number);
        key.extend_from_slice(PREFIX);
        key.put_bytes(b'0', least.saturating_sub(digits.len()));
        key.extend_from_slice(digits.as_bytes());
    }

    /// The key of the row's entry in a secondary index: `i`, the index, what is indexed, the row. What is indexed counts
    /// up with the rows if `ordered`, otherwise it is as random as a hash.
    pub fn index_key(self, index: u32, ordered: bool, row: u64) -> Bytes {
        let indexed = if ordered { row } else { fnv(row ^ u64::from(index + 1) << 48) << 1 };
        Bytes::from(format!("i{:02}{indexed:016x}{row:016x}", index % 100))
    }

    /// The first key after all rows, for scans: `uses`.
    pub fn end() -> Bytes {
        Bytes::from_static(b"uses")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn hashed_keys_are_ycsbs() {
        let keys = KeyEncoder { order: KeyOrder::Hashed };
        assert_eq!(keys.key(0), "user6284781860667377211");
        assert_eq!(keys.key(1), "user8517097267634966620");
    }

    #[test]
    fn ordered_keys_have_all_digits() {
        assert_eq!(KeyEncoder { order: KeyOrder::Ordered }.key(42), "user0000000000000000042");
    }

    #[test]
    fn keys_that_are_cut_from_a_room_are_the_same_however_many_they_are() {
        let (keys, mut room) = (KeyEncoder { order: KeyOrder::Hashed }, BytesMut::new());
        let cut: Vec<Bytes> = (0..10_000).map(|row| keys.key_in(row, &mut room)).collect();
        assert!((0..).zip(cut).all(|(row, key)| key == keys.key(row)));
    }

    proptest! {
        #[test]
        fn ordered_keys_sort_as_their_rows(one in 0..u64::MAX / 2, other in 0..u64::MAX / 2) {
            let keys = KeyEncoder { order: KeyOrder::Ordered };
            prop_assert_eq!(one.cmp(&other), keys.key(one).cmp(&keys.key(other)));
            prop_assert_eq!(one.cmp(&other), keys.index_key(1, true, one).cmp(&keys.index_key(1, true, other)));
        }

        #[test]
        fn keys_lie_before_the_end_and_have_their_length(row in 0..u64::MAX / 2) {
            for order in [KeyOrder::Hashed, KeyOrder::Ordered] {
                let keys = KeyEncoder { order };
                let key = keys.key(row);
                prop_assert!(key < KeyEncoder::end() && key.len() <= KeyEncoder::LONGEST && key.len() > PREFIX.len());
                prop_assert_eq!(keys.index_key(3, false, row).len(), KeyEncoder::INDEX);
            }
            let digits = fnv(row).to_string();
            prop_assert_eq!(&KeyEncoder { order: KeyOrder::Hashed }.key(row)[4..], digits.as_bytes());
        }
    }
}
