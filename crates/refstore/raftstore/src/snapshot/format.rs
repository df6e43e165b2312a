//! Pieces of a snapshot: pairs of keys and values, each piece with its length and checksum, and a last one with their count.

use std::io::{self, Read};

use bytes::Bytes;

use crate::ColumnFamily;
use crate::varint::{Reader, put_bytes, put_varint};

/// A piece is sent when it has so many bytes.
const PIECE: usize = 256 << 10;
/// No piece has more, whatever its head says: the longest value and some.
const PIECE_LIMIT: usize = 64 << 20;
/// Length and checksum.
const HEAD: usize = 8;
const PAIRS: u8 = 1;
const END: u8 = 2;

/// Puts pairs together to pieces.
pub(super) struct Pieces {
    piece: Vec<u8>,
    count: u64,
}

impl Pieces {
    /// Without pairs yet.
    pub(super) fn new() -> Self {
        Self { piece: begin(), count: 0 }
    }

    /// One more pair; a piece when there is enough for one.
    pub(super) fn push(&mut self, cf: ColumnFamily, key: &[u8], value: &[u8]) -> Option<Bytes> {
        self.count += 1;
        self.piece.push(cf as u8);
        put_bytes(&mut self.piece, key);
        put_bytes(&mut self.piece, value);
        (self.piece.len() >= PIECE).then(|| seal(std::mem::replace(&mut self.piece, begin())))
    }

    /// The last two pieces.
    pub(super) fn finish(self) -> [Bytes; 2] {
        let mut end = vec![0; HEAD];
        end.push(END);
        put_varint(&mut end, self.count);
        [seal(self.piece), seal(end)]
    }
}

fn begin() -> Vec<u8> {
    let mut piece = Vec::with_capacity(PIECE + 4096);
    piece.resize(HEAD, 0);
    piece.push(PAIRS);
    piece
}

fn seal(mut piece: Vec<u8>) -> Bytes {
    let length = (piece.len() - HEAD) as u32;
    let checksum = crc32fast::hash(&piece[HEAD..]);
    piece[..4].copy_from_slice(&length.to_be_bytes());
    piece[4..HEAD].copy_from_slice(&checksum.to_be_bytes());
    piece.into()
}

/// What is in a piece.
pub(super) enum Piece {
    /// Pairs.
    Pairs(Vec<(ColumnFamily, Bytes, Bytes)>),
    /// All pieces were there: so many pairs they had.
    End(u64),
}

/// Reads a piece; none when it is damaged.
pub(super) fn read(piece: &Bytes) -> Option<Piece> {
    let (length, checksum) = head(piece.first_chunk()?);
    if piece.len() - HEAD != length || crc32fast::hash(&piece[HEAD..]) != checksum {
        return None;
    }
    let mut reader = Reader::new(piece.slice(HEAD..));
    match reader.byte()? {
        END => Some(Piece::End(reader.varint()?)),
        PAIRS => {
            let mut pairs = Vec::new();
            while !reader.is_empty() {
                let cf = *ColumnFamily::ALL.get(usize::from(reader.byte()?))?;
                pairs.push((cf, reader.bytes()?, reader.bytes()?));
            }
            Some(Piece::Pairs(pairs))
        }
        _ => None,
    }
}

fn head(head: &[u8; HEAD]) -> (usize, u32) {
    let [a, b, c, d, e, f, g, h] = *head;
    (u32::from_be_bytes([a, b, c, d]) as usize, u32::from_be_bytes([e, f, g, h]))
}

/// The next piece of a file.
pub(super) fn next(file: &mut impl Read) -> io::Result<Bytes> {
    let mut first = [0; HEAD];
    file.read_exact(&mut first)?;
    let (length, _) = head(&first);
    if length > PIECE_LIMIT {
        return Err(io::ErrorKind::InvalidData.into());
    }
    let mut piece = vec![0; HEAD + length];
    piece[..HEAD].copy_from_slice(&first);
    file.read_exact(&mut piece[HEAD..])?;
    Ok(piece.into())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn pairs_come_back_from_the_pieces(
            pairs in proptest::collection::vec((proptest::sample::select(&ColumnFamily::ALL), ".{0,20}", 0..200_000_usize), 0..12),
            damage in any::<proptest::sample::Index>(),
        ) {
            let mut pieces = Pieces::new();
            let mut stream = Vec::new();
            for (cf, key, length) in &pairs {
                stream.extend(pieces.push(*cf, key.as_bytes(), &vec![7; *length]));
            }
            stream.extend(pieces.finish());
            let mut file = io::Cursor::new(stream.concat());
            let mut back = Vec::new();
            let count = loop {
                match read(&next(&mut file).unwrap()) {
                    Some(Piece::Pairs(some)) => back.extend(some),
                    Some(Piece::End(count)) => break count,
                    None => panic!("damaged"),
                }
            };
            prop_assert_eq!(count, pairs.len() as u64);
            let wanted = pairs.iter().map(|(cf, key, length)| (*cf, Bytes::from(key.clone()), Bytes::from(vec![7; *length])));
            prop_assert!(back.into_iter().eq(wanted));

            let mut broken = stream[0].to_vec();
            let at = damage.index(broken.len());
            broken[at] ^= 1;
            prop_assert!(read(&broken.into()).is_none());
        }
    }
}
