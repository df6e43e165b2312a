//! Numbers of seven bits a byte, and bytes with their length before them.

use bytes::{Buf, BufMut, Bytes};

/// Adds a number.
pub(crate) fn put_varint(to: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        to.push(number as u8 | 0x80);
        number >>= 7;
    }
    to.push(number as u8);
}

/// Adds bytes after their length.
pub(crate) fn put_bytes(to: &mut Vec<u8>, bytes: &[u8]) {
    put_varint(to, bytes.len() as u64);
    to.put_slice(bytes);
}

/// Reads what was put; none is the answer to everything that was not.
pub(crate) struct Reader {
    rest: Bytes,
}

impl Reader {
    /// From the beginning.
    pub(crate) fn new(data: Bytes) -> Self {
        Self { rest: data }
    }

    /// Whether nothing is left.
    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// A byte.
    pub(crate) fn byte(&mut self) -> Option<u8> {
        let byte = *self.rest.first()?;
        self.rest.advance(1);
        Some(byte)
    }

    /// A number.
    pub(crate) fn varint(&mut self) -> Option<u64> {
        let mut number = 0;
        for (at, &byte) in self.rest.iter().take(10).enumerate() {
            number |= u64::from(byte & 0x7f).checked_shl(7 * at as u32)?;
            if byte < 0x80 {
                self.rest.advance(at + 1);
                return Some(number);
            }
        }
        None
    }

    /// Bytes, as a slice of what is read from.
    pub(crate) fn bytes(&mut self) -> Option<Bytes> {
        let length = usize::try_from(self.varint()?).ok()?;
        (length <= self.rest.len()).then(|| self.rest.split_to(length))
    }
}
