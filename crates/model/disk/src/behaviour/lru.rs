//! A set of block numbers that forgets the least recently used.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// No entry.
const NONE: u32 = u32::MAX;

/// Block numbers in order of use, at some 35 bytes each: a full cache of 200 GiB has 50 million blocks of 4 KiB.
#[derive(Debug, Clone)]
pub(crate) struct Lru {
    places: HashMap<u64, u32, BuildHasherDefault<BlockHasher>>,
    entries: Vec<Entry>,
    capacity: usize,
    newest: u32,
    oldest: u32,
    /// Entries that were removed, to be used again; linked by `older`.
    free: u32,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    block: u64,
    newer: u32,
    older: u32,
}

/// One multiplication: block numbers need no protection against chosen keys.
#[derive(Debug, Clone, Default)]
struct BlockHasher(u64);

impl Hasher for BlockHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|b| self.write_u64(u64::from(*b)));
    }

    fn write_u64(&mut self, block: u64) {
        // The table takes its tag from the top and its place from the bottom: fold, so that both are mixed.
        let product = u128::from(self.0 ^ block) * 0x9E37_79B9_7F4A_7C15;
        self.0 = (product as u64) ^ (product >> 64) as u64;
    }
}

impl Lru {
    /// An empty set of at most `capacity` blocks.
    pub(crate) fn new(capacity: usize) -> Self {
        let capacity = capacity.min(NONE as usize - 1);
        Self { places: HashMap::default(), entries: Vec::new(), capacity, newest: NONE, oldest: NONE, free: NONE }
    }

    pub(crate) fn contains(&self, block: u64) -> bool {
        self.places.contains_key(&block)
    }

    /// Makes a block the most recently used, and tells whether it was there; if not, it is added and the least recently
    /// used one is forgotten where there is no room.
    pub(crate) fn touch(&mut self, block: u64) -> bool {
        if let Some(&at) = self.places.get(&block) {
            if at != self.newest {
                self.unlink(at);
                self.link(at);
            }
            return true;
        }
        if self.capacity == 0 {
            return false;
        }
        if self.places.len() == self.capacity {
            self.remove(self.entries[self.oldest as usize].block);
        }
        let at = self.vacant(block);
        self.link(at);
        self.places.insert(block, at);
        false
    }

    /// Forgets a block.
    pub(crate) fn remove(&mut self, block: u64) {
        if let Some(at) = self.places.remove(&block) {
            self.unlink(at);
            self.entries[at as usize].older = self.free;
            self.free = at;
        }
    }

    pub(crate) fn clear(&mut self) {
        *self = Self::new(self.capacity);
    }

    /// A place for a block, not yet linked.
    fn vacant(&mut self, block: u64) -> u32 {
        let entry = Entry { block, newer: NONE, older: NONE };
        if self.free == NONE {
            self.entries.push(entry);
            return (self.entries.len() - 1) as u32;
        }
        let at = self.free;
        self.free = self.entries[at as usize].older;
        self.entries[at as usize] = entry;
        at
    }

    fn link(&mut self, at: u32) {
        let older = self.newest;
        self.entries[at as usize].newer = NONE;
        self.entries[at as usize].older = older;
        match self.entries.get_mut(older as usize) {
            Some(entry) => entry.newer = at,
            None => self.oldest = at,
        }
        self.newest = at;
    }

    fn unlink(&mut self, at: u32) {
        let Entry { newer, older, .. } = self.entries[at as usize];
        match self.entries.get_mut(newer as usize) {
            Some(entry) => entry.older = older,
            None => self.newest = older,
        }
        match self.entries.get_mut(older as usize) {
            Some(entry) => entry.newer = newer,
            None => self.oldest = newer,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_equals_a_list_searched_from_end_to_end(
            capacity in 0usize..20,
            steps in prop::collection::vec((0u8..8, 0u64..30), 0..300),
        ) {
            let mut lru = Lru::new(capacity);
            let mut list: Vec<u64> = Vec::new();
            for (step, block) in steps {
                let there = list.contains(&block);
                prop_assert_eq!(lru.contains(block), there);
                list.retain(|b| *b != block);
                if step == 0 {
                    lru.remove(block);
                } else {
                    prop_assert_eq!(lru.touch(block), there);
                    list.insert(0, block);
                    list.truncate(capacity);
                }
            }
            for block in 0..30 {
                prop_assert_eq!(lru.contains(block), list.contains(&block));
            }
        }
    }
}
