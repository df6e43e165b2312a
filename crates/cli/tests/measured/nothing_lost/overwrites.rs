//! Blocks overwritten in place past the page cache, each time with a higher generation: what a database's pages do.

use std::fs::{self, File};
use std::io;
use std::ops::RangeInclusive;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

use nix::fcntl::OFlag;

/// What one write covers.
const BLOCK: usize = 4096;
/// What a disk writes whole or not at all.
const SECTOR: usize = 512;
/// Blocks of a file.
pub(crate) const BLOCKS: usize = 256;

/// For each block, the generations that the writer knows of.
#[derive(Clone)]
pub(crate) struct Generations {
    /// Sent to the disk.
    pub(crate) issued: Vec<u64>,
    /// Answered by the disk.
    pub(crate) acknowledged: Vec<u64>,
    /// Answered before a flush began that was answered too.
    pub(crate) flushed: Vec<u64>,
}

/// What a power cut may undo.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Keeps {
    /// Nothing that was answered: no volatile cache.
    Acknowledged,
    /// What was not flushed.
    Flushed,
}

impl Generations {
    /// Of a file as `create` leaves it.
    pub(crate) fn first() -> Self {
        let zero = vec![0; BLOCKS];
        Self { issued: zero.clone(), acknowledged: zero.clone(), flushed: zero }
    }

    /// The generations that a sector of a block may have, and which of them was answered last.
    fn allowed(&self, block: usize, keeps: Keeps) -> RangeInclusive<u64> {
        let least = if keeps == Keeps::Acknowledged { &self.acknowledged } else { &self.flushed };
        least[block]..=self.issued[block]
    }
}

/// The bytes of a sector: its place and generation in front, then a filler that follows from both.
fn sector(block: usize, number: usize, generation: u64) -> [u8; SECTOR] {
    let mut bytes = [0; SECTOR];
    bytes[..8].copy_from_slice(&generation.to_le_bytes());
    bytes[8..16].copy_from_slice(&((block * BLOCK + number * SECTOR) as u64).to_le_bytes());
    let seed = generation.wrapping_mul(31).wrapping_add((block * 8 + number) as u64);
    bytes[16..].iter_mut().enumerate().for_each(|(i, byte)| *byte = seed.wrapping_add(i as u64) as u8);
    bytes
}

/// A block at an address that the kernel takes for direct I/O.
pub(crate) struct Aligned(Vec<u8>);

impl Aligned {
    pub(crate) fn new() -> Self {
        Self(vec![0; 2 * BLOCK])
    }

    fn bytes(&mut self) -> &mut [u8] {
        let from = self.0.as_ptr().align_offset(BLOCK);
        &mut self.0[from..from + BLOCK]
    }
}

/// Creates the file with generation 0 everywhere, flushed, and opens it for `write`.
pub(crate) fn create(path: &Path) -> io::Result<File> {
    let first: Vec<u8> = (0..BLOCKS).flat_map(|block| (0..8).flat_map(move |n| sector(block, n, 0))).collect();
    fs::write(path, first)?;
    File::open(path)?.sync_all()?;
    // The file's name is in its folder, which is flushed for itself.
    File::open(path.parent().unwrap())?.sync_all()?;
    File::options().write(true).custom_flags(OFlag::O_DIRECT.bits()).open(path)
}

/// Overwrites a block; returns once the disk has answered.
pub(crate) fn write(file: &File, buffer: &mut Aligned, block: usize, generation: u64) -> io::Result<()> {
    let bytes = buffer.bytes();
    for (number, part) in bytes.chunks_exact_mut(SECTOR).enumerate() {
        part.copy_from_slice(&sector(block, number, generation));
    }
    file.write_all_at(bytes, (block * BLOCK) as u64)
}

/// Asserts that every sector is as it was written, not older than what the disk keeps; gives how many blocks are older
/// than what was answered last.
#[track_caller]
pub(crate) fn check(path: &Path, known: &Generations, keeps: Keeps) -> usize {
    let bytes = fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    match lost(&bytes, known, keeps) {
        Ok(lost) => lost,
        Err(why) => panic!("{}: {why}", path.display()),
    }
}

fn lost(bytes: &[u8], known: &Generations, keeps: Keeps) -> Result<usize, String> {
    if bytes.len() != BLOCKS * BLOCK {
        return Err(format!("{} bytes long instead of {}", bytes.len(), BLOCKS * BLOCK));
    }
    let mut lost = 0;
    for (block, content) in bytes.chunks_exact(BLOCK).enumerate() {
        let allowed = known.allowed(block, keeps);
        let mut oldest = u64::MAX;
        for (number, part) in content.chunks_exact(SECTOR).enumerate() {
            let generation = u64::from_le_bytes(part[..8].try_into().unwrap());
            if !allowed.contains(&generation) || part != sector(block, number, generation) {
                let at = format!("block {block}, sector {number}");
                return Err(format!("{at}: generation {generation}, expected one whole of {allowed:?}"));
            }
            oldest = oldest.min(generation);
        }
        lost += usize::from(oldest < known.acknowledged[block]);
    }
    Ok(lost)
}

#[test]
fn the_check_notices_lost_stale_and_torn_sectors() {
    let file = |generation: u64| -> Vec<u8> {
        (0..BLOCKS).flat_map(|block| (0..8).flat_map(move |n| sector(block, n, generation))).collect()
    };
    let all = |generation| vec![generation; BLOCKS];
    let known = Generations { issued: all(7), acknowledged: all(6), flushed: all(4) };
    for (generation, acknowledged, flushed) in
        [(3, Err(()), Err(())), (4, Err(()), Ok(256)), (6, Ok(0), Ok(0)), (7, Ok(0), Ok(0)), (8, Err(()), Err(()))]
    {
        assert_eq!(lost(&file(generation), &known, Keeps::Acknowledged).map_err(drop), acknowledged);
        assert_eq!(lost(&file(generation), &known, Keeps::Flushed).map_err(drop), flushed);
    }
    let mut torn = file(6);
    torn[700] ^= 1;
    assert!(lost(&torn, &known, Keeps::Flushed).unwrap_err().contains("block 0, sector 1"));
}
