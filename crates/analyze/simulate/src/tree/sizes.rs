//! How large each level should be, how urgent its compaction is, and what compactions still have to rewrite.

use super::{LAST, LEVELS, Level, Tree};

/// The target sizes of a tree's levels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Sizes {
    /// The first level below L0 that is used.
    pub(crate) base: usize,
    /// Target of each level; without end above the base level.
    pub(crate) targets: [f64; LEVELS],
}

impl Tree {
    /// Dynamic level sizes, after `VersionStorageInfo::CalculateBaseBytes` of RocksDB 8.10: the largest level sets the sizes
    /// of those above it, the base level being the first that is not over max-bytes-for-level-base.
    pub(crate) fn sizes(&self) -> Sizes {
        let shape = &self.shape;
        let largest = self.levels.iter().map(|level| level.bytes).fold(0.0, f64::max);
        let first = (1..LEVELS).find(|level| self.levels[*level].bytes > 0.0).unwrap_or(LAST);
        let mut size = largest / shape.multiplier.powi((LAST - first) as i32);
        let mut base = first;
        if size <= shape.level_base / shape.multiplier {
            size = shape.level_base / shape.multiplier + 1.0;
        } else {
            while base > 1 && size > shape.level_base {
                base -= 1;
                size /= shape.multiplier;
            }
            size = size.min(shape.level_base);
        }
        let mut targets = [f64::INFINITY; LEVELS];
        for (level, target) in targets.iter_mut().enumerate().skip(base) {
            *target = (size * shape.multiplier.powi((level - base) as i32)).max(shape.level_base);
        }
        targets[base] = size;
        Sizes { base, targets }
    }

    /// How urgent compactions out of each level are; due from 1 on. After `VersionStorageInfo::ComputeCompactionScore`: a level
    /// over its target counts ten times, less where much is on its way down to it.
    pub(crate) fn scores(&self, sizes: &Sizes) -> [f64; LEVELS] {
        let mut scores = [0.0; LEVELS];
        let waiting = self.l0.iter().skip(self.l0_moving);
        let (files, bytes) = (waiting.len() as f64, waiting.sum::<f64>());
        let score = (files / self.shape.l0_trigger).max(bytes / sizes.targets[sizes.base].max(self.shape.level_base));
        scores[0] = if score > 1.0 { score * 10.0 } else { score };
        let mut coming = if score > 1.0 { bytes } else { 0.0 };
        for (level, score) in scores.iter_mut().enumerate().take(LAST).skip(sizes.base) {
            let (Level { bytes, moving }, target) = (self.levels[level], sizes.targets[level]);
            let still = bytes - moving;
            *score = if still < target { still / target } else { still / (target + coming) * 10.0 };
            coming += (bytes - target).max(0.0);
        }
        scores
    }

    /// Estimated bytes that compactions have to rewrite until no level is over its target: `pending_compaction_bytes`. After
    /// `VersionStorageInfo::EstimateCompactionBytesNeeded`.
    pub(crate) fn pending(&self) -> f64 {
        let sizes = self.sizes();
        let l0: f64 = self.l0.iter().sum();
        let mut needed = 0.0;
        let mut down = 0.0;
        if self.l0.len() as f64 >= self.shape.l0_trigger || l0 > self.shape.level_base {
            needed += l0 + self.levels[sizes.base].bytes;
            down = l0;
        }
        for level in sizes.base..LAST {
            let size = self.levels[level].bytes + down;
            let over = size - sizes.targets[level];
            if over <= 0.0 {
                down = 0.0;
                continue;
            }
            needed += over * (self.levels[level + 1].bytes / size + 1.0);
            down = over;
        }
        needed
    }
}
