//! What compactions leave of the block cache: its blocks belong to files, and a block of a file that has been replaced is never
//! found again (RocksDB's `BlockBasedTable::SetupBaseCacheKey` names blocks by their file).

use crate::load::Caches;

/// Where a block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    /// In the block cache.
    BlockCache,
    /// Compressed, in the page cache.
    PageCache,
    /// On the disk only.
    Disk,
}

/// The share of the block cache's blocks whose files are still there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Cached(f64);

impl Default for Cached {
    /// All of them.
    fn default() -> Self {
        Self(1.0)
    }
}

impl Cached {
    /// A compaction has replaced a share of all files. Blocks of each were as likely in the cache.
    pub(crate) fn lose(&mut self, share: f64) {
        self.0 *= 1.0 - share.clamp(0.0, 1.0);
    }

    /// Where a block is, by a chance from 0 to 1. One that was lost comes back as it is read: so what is lost is found missing
    /// once, however popular it is. Its new file is in the page cache as any file is: of `read_miss` of their bytes there is none.
    pub(crate) fn find(&mut self, caches: &Caches, read_miss: f64, chance: f64) -> Found {
        let there = caches.block_cache * self.0;
        let lost = chance >= there && chance < caches.block_cache;
        if !lost {
            // By two comparisons and no branch: nobody can foresee it.
            return [Found::BlockCache, Found::PageCache, Found::Disk]
                [usize::from(chance >= there) + usize::from(chance >= there.max(caches.memory))];
        }
        self.0 = (self.0 + 1.0 / caches.blocks).min(1.0);
        let chance = (chance - there) / (caches.block_cache - there);
        if chance < read_miss { Found::Disk } else { Found::PageCache }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CACHES: Caches = Caches { block_cache: 0.6, memory: 0.8, read_size: 4096, held: 4e6, blocks: 1000.0 };

    /// How often each place is met by reads in all of the range of chances.
    fn places(cached: &mut Cached, reads: u32) -> [f64; 3] {
        places_in(cached, &CACHES, reads)
    }

    fn places_in(cached: &mut Cached, caches: &Caches, reads: u32) -> [f64; 3] {
        let mut met = [0.0; 3];
        for read in 0..reads {
            // The golden ratio's multiples fall evenly, wherever one stops.
            let chance = (f64::from(read) * 0.618_033_988_749_895).fract();
            met[cached.find(caches, 0.5, chance) as usize] += 1.0 / f64::from(reads);
        }
        met
    }

    #[track_caller]
    fn assert_near(found: [f64; 3], expected: [f64; 3]) {
        assert!(found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 0.01), "{found:?}");
    }

    #[test]
    fn without_compactions_blocks_are_where_the_caches_say() {
        assert_near(places(&mut Cached::default(), 10_000), [0.6, 0.2, 0.2]);
    }

    #[test]
    fn of_what_is_lost_the_page_cache_has_its_share() {
        let mut cached = Cached::default();
        cached.lose(0.5);
        // 0.3 are lost, and the page cache has half of all files. So many blocks are not read again in a while.
        let caches = Caches { blocks: 1e9, ..CACHES };
        assert_near(places_in(&mut cached, &caches, 10_000), [0.3, 0.35, 0.35]);
    }

    #[test]
    fn each_lost_block_is_missed_once() {
        let mut cached = Cached::default();
        cached.lose(0.25);
        let reads = 100_000;
        let hits = places(&mut cached, reads)[Found::BlockCache as usize] * f64::from(reads);
        let lost = 0.6 * f64::from(reads) - hits;
        assert!((lost / (0.25 * CACHES.blocks) - 1.0).abs() < 0.02, "{lost}");
        assert_near(places(&mut cached, 10_000), [0.6, 0.2, 0.2]);
    }

    #[test]
    fn everything_can_be_lost_and_come_back() {
        let mut cached = Cached::default();
        cached.lose(2.0);
        assert_near(places(&mut cached, 10), [0.0, 0.5, 0.5]);
        places(&mut cached, 100_000);
        assert_near(places(&mut cached, 10_000), [0.6, 0.2, 0.2]);
    }
}
