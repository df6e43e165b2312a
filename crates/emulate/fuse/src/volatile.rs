//! A volatile write cache: what a power cut may still undo.
//!
//! Data are written through to the backing file; kept here is what they replaced, until a flush makes them durable.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io;

use rand::{Rng, RngExt};

use crate::backing::Backing;

/// Unit in which blocks are kept.
const BLOCK: u64 = 4096;

/// What a drive writes without fail or not at all.
const SECTOR: usize = 512;

/// What the cache holds at most; the oldest is destaged, as in a drive. Assumed: drives have tens of MiB to some
/// hundred, and with more a database on it would lose more to a power cut.
const CAPACITY: u64 = 64 << 20;

/// Blocks that a power cut may set back.
#[derive(Debug)]
pub(crate) struct Volatile {
    /// What blocks held before they were first written after a flush, one map for each flush that is under way, and one.
    generations: VecDeque<BTreeMap<u64, Vec<u8>>>,
    /// The number of the first of them.
    first: u64,
    /// Generation and block, in order of age; some may be gone already.
    ages: VecDeque<(u64, u64)>,
}

/// A flush that is under way.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sealed(u64);

impl Default for Volatile {
    fn default() -> Self {
        Self { generations: VecDeque::from([BTreeMap::new()]), first: 0, ages: VecDeque::new() }
    }
}

impl Volatile {
    /// Keeps what a range holds, before it is written.
    pub(crate) fn keep(&mut self, backing: &Backing, size: u64, offset: u64, length: u64) -> io::Result<()> {
        let current = self.first + self.generations.len() as u64 - 1;
        for block in offset / BLOCK..offset.saturating_add(length).div_ceil(BLOCK) {
            let Some(generation) = self.generations.back_mut() else { continue };
            if generation.contains_key(&block) {
                continue;
            }
            let mut old = vec![0; BLOCK.min(size - block * BLOCK) as usize];
            backing.read(&mut old, block * BLOCK)?;
            generation.insert(block, old);
            self.ages.push_back((current, block));
            while self.ages.len() as u64 * BLOCK > CAPACITY {
                self.destage();
            }
        }
        Ok(())
    }

    fn destage(&mut self) {
        if let Some((number, block)) = self.ages.pop_front()
            && let Some(generation) = number.checked_sub(self.first).and_then(|i| self.generations.get_mut(i as usize))
        {
            generation.remove(&block);
        }
    }

    /// A flush begins: it covers what was written until now.
    pub(crate) fn seal(&mut self) -> Sealed {
        self.generations.push_back(BTreeMap::new());
        Sealed(self.first + self.generations.len() as u64 - 2)
    }

    /// A flush is done.
    pub(crate) fn flushed(&mut self, Sealed(number): Sealed) {
        while self.first <= number && self.generations.len() > 1 {
            self.generations.pop_front();
            self.first += 1;
        }
        let first = self.first;
        // In order of age, which is that of the generations.
        while self.ages.front().is_some_and(|(number, _)| *number < first) {
            self.ages.pop_front();
        }
    }

    /// The power goes: every block that was written since the last flush, each for itself, keeps what was written, or
    /// holds what it held before, or is torn.
    pub(crate) fn lose(&mut self, backing: &Backing, rng: &mut impl Rng) -> io::Result<()> {
        let mut kept = BTreeSet::new();
        for generation in self.generations.iter().rev() {
            for (block, old) in generation {
                if kept.contains(block) {
                    continue;
                }
                if !revert(backing, block * BLOCK, old, rng)? {
                    kept.insert(*block);
                }
            }
        }
        *self = Self::default();
        Ok(())
    }
}

/// Lets chance decide whether a write of which the power was cut is on the disk, is not, or is torn; false if it is.
pub(crate) fn revert(backing: &Backing, offset: u64, old: &[u8], rng: &mut impl Rng) -> io::Result<bool> {
    match rng.random_range(0..3) {
        0 => return Ok(false),
        1 => backing.write(old, offset)?,
        _ => {
            for (i, sector) in old.chunks(SECTOR).enumerate() {
                if rng.random() {
                    backing.write(sector, offset + (i * SECTOR) as u64)?;
                }
            }
        }
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    const SIZE: u64 = 128 << 20;

    fn backing() -> (tempfile::NamedTempFile, Backing) {
        let file = tempfile::NamedTempFile::new_in("/dev/shm").unwrap();
        file.as_file().set_len(SIZE).unwrap();
        let backing = Backing::open(file.path()).unwrap();
        (file, backing)
    }

    fn write(cache: &mut Volatile, backing: &Backing, block: u64, content: u8) {
        cache.keep(backing, SIZE, block * BLOCK, BLOCK).unwrap();
        backing.write(&[content; BLOCK as usize], block * BLOCK).unwrap();
    }

    fn content(backing: &Backing, block: u64) -> Vec<u8> {
        let mut bytes = vec![0; BLOCK as usize];
        backing.read(&mut bytes, block * BLOCK).unwrap();
        bytes
    }

    fn lose(cache: &mut Volatile, backing: &Backing) {
        cache.lose(backing, &mut Xoshiro256PlusPlus::seed_from_u64(1)).unwrap();
    }

    #[test]
    fn what_was_flushed_is_never_lost_and_of_the_rest_some_is_some_not() {
        let (_file, backing) = backing();
        let mut cache = Volatile::default();
        (0..64).for_each(|block| write(&mut cache, &backing, block, 1));
        let sealed = cache.seal();
        cache.flushed(sealed);
        (0..64).for_each(|block| write(&mut cache, &backing, block, 2));
        lose(&mut cache, &backing);
        let all: Vec<Vec<u8>> = (0..64).map(|block| content(&backing, block)).collect();
        assert!(all.iter().flatten().all(|byte| [1, 2].contains(byte)));
        let whole = |value| all.iter().filter(|b| b.iter().all(|byte| *byte == value)).count();
        assert!(whole(1) > 5 && whole(2) > 5 && whole(1) + whole(2) < 64, "kept, lost and torn ones");
    }

    #[test]
    fn a_flush_that_did_not_end_protects_nothing_and_what_came_after_it_is_not_covered() {
        let (_file, backing) = backing();
        let mut cache = Volatile::default();
        (0..64).for_each(|block| write(&mut cache, &backing, block, 1));
        let sealed = cache.seal();
        (0..64).for_each(|block| write(&mut cache, &backing, block, 2));
        let unfinished = cache.seal();
        (0..64).for_each(|block| write(&mut cache, &backing, block, 3));
        cache.flushed(sealed);
        lose(&mut cache, &backing);
        let bytes: BTreeSet<u8> = (0..64).flat_map(|block| content(&backing, block)).collect();
        assert_eq!(bytes, BTreeSet::from([1, 2, 3]), "{unfinished:?}");
    }

    #[test]
    fn the_oldest_blocks_are_destaged_when_the_cache_is_full() {
        let (_file, backing) = backing();
        let mut cache = Volatile::default();
        let blocks = CAPACITY / BLOCK + 100;
        (0..blocks).for_each(|block| write(&mut cache, &backing, block, 1));
        lose(&mut cache, &backing);
        assert!((0..100).all(|block| content(&backing, block).iter().all(|byte| *byte == 1)));
        assert!((100..200).any(|block| content(&backing, block)[0] == 0));
    }
}
