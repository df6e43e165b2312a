//! A column family as RocksDB keeps it: memtables, files on L0, levels below with dynamic sizes, and which compaction is due.
//! Sizes on levels are of compressed files, as RocksDB counts them; memtables are not compressed.

mod overwrite;
mod pick;
mod ratios;
mod sizes;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;

pub(crate) use overwrite::Overwrites;
pub(crate) use pick::{Flush, Pick};
pub(crate) use ratios::Ratios;

/// Levels, L0 among them: TiKV's num-levels.
pub(crate) const LEVELS: usize = 7;
/// The last level.
pub(crate) const LAST: usize = LEVELS - 1;

/// What decides how a tree grows.
#[derive(Debug, Clone)]
pub(crate) struct Shape {
    /// write-buffer-size.
    pub(crate) memtable: f64,
    /// max-bytes-for-level-base.
    pub(crate) level_base: f64,
    /// max-bytes-for-level-multiplier.
    pub(crate) multiplier: f64,
    /// level0-file-num-compaction-trigger.
    pub(crate) l0_trigger: f64,
    /// target-file-size-base.
    pub(crate) file_size: f64,
    /// Bytes of the next level rewritten for a byte moved down, over the ratio of the levels' sizes.
    pub(crate) overlap: f64,
    /// Compressed over raw size on each level.
    pub(crate) ratios: Ratios,
    /// How often writes replace what is there.
    pub(crate) overwrites: Overwrites,
    /// Share of a memtable's bytes that goes into the tree; the rest are separated values.
    pub(crate) in_tree: f64,
}

/// A level below L0.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Level {
    /// Its files.
    pub(crate) bytes: f64,
    /// Of these, input of a running compaction to the level below.
    pub(crate) moving: f64,
}

/// The state of a column family.
#[derive(Debug, Clone)]
pub(crate) struct Tree {
    shape: Shape,
    memtable: f64,
    /// Full memtables, oldest first.
    full: VecDeque<f64>,
    /// Of these, being flushed.
    flushing: usize,
    /// Files on L0, oldest first.
    l0: VecDeque<f64>,
    /// Of these, the oldest, being compacted.
    l0_moving: usize,
    /// Entry 0 is not used.
    levels: [Level; LEVELS],
    /// How many levels below L0 have files.
    depth: usize,
    /// Running compactions out of each level.
    running: [u32; LEVELS],
    /// Bytes that writes put in and that newer ones replaced, as raw bytes.
    dropped: f64,
    inserted: f64,
}

impl Tree {
    /// A tree in its steady state with `bytes` of files: the last level nine tenths of them, L0 empty.
    pub(crate) fn holding(shape: Shape, bytes: f64) -> Self {
        let mut levels = [Level::default(); LEVELS];
        let mut shares = vec![1.0];
        let (mut size, mut level) = (bytes, LAST);
        while size > shape.level_base && level > 1 {
            size /= shape.multiplier;
            level -= 1;
            shares.push(shape.multiplier.powi(level as i32 - LAST as i32));
        }
        let all: f64 = shares.iter().sum();
        for (above, share) in shares.iter().enumerate() {
            levels[LAST - above].bytes = bytes * share / all;
        }
        Self {
            shape,
            memtable: 0.0,
            full: VecDeque::new(),
            flushing: 0,
            l0: VecDeque::new(),
            l0_moving: 0,
            depth: depth(&levels),
            levels,
            running: [0; LEVELS],
            dropped: 0.0,
            inserted: 0.0,
        }
    }

    /// Puts raw bytes into the memtable; whether it is full and a flush is due.
    pub(crate) fn insert(&mut self, bytes: f64) -> bool {
        self.inserted += bytes;
        self.memtable += bytes;
        let full = self.memtable >= self.shape.memtable;
        if full {
            self.full.push_back(std::mem::take(&mut self.memtable));
        }
        full
    }

    /// The memtable begins at a share (0 to 1) of its size, so that not all nodes flush at once.
    pub(crate) fn prefill(&mut self, share: f64) {
        self.memtable = self.shape.memtable * share;
    }

    /// Full memtables.
    pub(crate) fn immutable_memtables(&self) -> usize {
        self.full.len()
    }

    /// Bytes in memtables.
    #[cfg(test)]
    pub(crate) fn memory(&self) -> f64 {
        self.memtable + self.full.iter().sum::<f64>()
    }

    /// Files on L0.
    pub(crate) fn l0_files(&self) -> usize {
        self.l0.len()
    }

    /// Bytes of all files.
    pub(crate) fn bytes(&self) -> f64 {
        self.l0.iter().sum::<f64>() + self.levels.iter().map(|level| level.bytes).sum::<f64>()
    }

    /// Levels below L0 that hold files.
    pub(crate) fn depth(&self) -> usize {
        self.depth
    }

    /// Raw bytes that were put in since the start.
    #[cfg(test)]
    pub(crate) fn inserted(&self) -> f64 {
        self.inserted
    }

    /// The raw size of everything, memtables included.
    #[cfg(test)]
    pub(crate) fn raw(&self) -> f64 {
        let base = self.sizes().base;
        let level = |level: usize| self.levels[level].bytes / self.shape.ratios.on_level(level, base);
        self.memory()
            + self.l0.iter().sum::<f64>() / self.shape.ratios.on_level(0, base)
            + (1..LEVELS).map(level).sum::<f64>()
    }
}

/// How many levels have files.
fn depth(levels: &[Level; LEVELS]) -> usize {
    levels.iter().filter(|level| level.bytes > 0.0).count()
}
