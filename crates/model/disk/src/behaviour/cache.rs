//! A read cache on the instance's own flash, in fixed blocks, the least recently used of which make room.

use super::fault::Faults;
use super::lru::Lru;
use super::volume::{Done, Volume};
use super::{BehaviourConstants, InstanceLink};
use crate::{DiskLimits, IoDirection};

/// A read cache.
#[derive(Debug, Clone, PartialEq)]
pub struct CacheSpec {
    /// The flash on which it lies, its size included.
    pub limits: DiskLimits,
    /// Effect of a write on the cache.
    pub policy: CachePolicy,
}

/// Effect of a write on a read cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CachePolicy {
    /// Goes to the volume alone; the cache drops what it holds of it.
    WriteAround,
    /// Goes to both, and is done when both are.
    WriteThrough,
}

/// How often reads found all their blocks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CacheStats {
    /// Reads served by the cache.
    pub hits: u64,
    /// Reads that went to the volume.
    pub misses: u64,
}

/// The cache of a device.
#[derive(Debug, Clone)]
pub(crate) struct Cache {
    policy: CachePolicy,
    flash: Volume,
    blocks: Lru,
    block: u64,
    stats: CacheStats,
}

impl Cache {
    pub(crate) fn new(spec: CacheSpec, seed: u64) -> Self {
        let block = BehaviourConstants::embedded().cache_block.0;
        let blocks = Lru::new((spec.limits.size.0 / block) as usize);
        Self { policy: spec.policy, blocks, block, flash: Volume::new(spec.limits, seed), stats: CacheStats::default() }
    }

    /// A request through the cache; `below` sends it to the volume. What a read missed is written to the flash when it
    /// arrives: that takes its share of the flash, but nobody waits for it.
    pub(crate) fn transfer(
        &mut self,
        host: &mut InstanceLink,
        faults: &Faults,
        at: f64,
        (direction, offset, bytes): (IoDirection, u64, u64),
        below: impl FnOnce(&mut InstanceLink) -> Done,
    ) -> Done {
        let range = offset / self.block..offset.saturating_add(bytes).div_ceil(self.block);
        let mut on_flash = |direction| self.flash.transfer(host, faults, at, direction, offset, bytes);
        match (direction, self.policy) {
            (IoDirection::Read, _) if range.clone().all(|block| self.blocks.contains(block)) => {
                self.stats.hits += 1;
                range.for_each(|block| _ = self.blocks.touch(block));
                on_flash(IoDirection::Read)
            }
            (IoDirection::Read, _) => {
                self.stats.misses += 1;
                range.for_each(|block| _ = self.blocks.touch(block));
                on_flash(IoDirection::Write);
                below(host)
            }
            (IoDirection::Write, CachePolicy::WriteAround) => {
                range.for_each(|block| self.blocks.remove(block));
                below(host)
            }
            (IoDirection::Write, CachePolicy::WriteThrough) => {
                range.for_each(|block| _ = self.blocks.touch(block));
                let cached = on_flash(IoDirection::Write);
                below(host).and(cached)
            }
        }
    }

    /// Forgets everything, as flash on the host does when the power goes.
    pub(crate) fn clear(&mut self) {
        self.blocks.clear();
    }

    pub(crate) fn stats(&self) -> CacheStats {
        self.stats
    }
}
