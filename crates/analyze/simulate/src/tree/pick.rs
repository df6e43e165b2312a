//! Which flush or compaction is next, and what becomes of the tree when it is done.

use super::{LAST, Tree};

/// Memtables on their way to L0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Flush {
    /// How many.
    memtables: usize,
    /// Their raw bytes.
    pub(crate) raw: f64,
    /// Bytes of the file.
    pub(crate) out: f64,
    /// Raw bytes that newer ones replaced.
    dropped: f64,
}

/// A compaction.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Pick {
    /// The level that it moves down.
    pub(crate) level: usize,
    /// The level that it moves to: the same for one within L0.
    pub(crate) to: usize,
    /// Files of L0 that it takes.
    pub(crate) files: usize,
    /// Bytes that it takes from `level`.
    pub(crate) upper: f64,
    /// Bytes that it takes from `to`.
    pub(crate) lower: f64,
    /// Bytes that it writes.
    pub(crate) out: f64,
    /// Raw bytes that it merges.
    pub(crate) raw: f64,
    /// Raw bytes that newer ones replaced.
    dropped: f64,
}

/// A compaction within L0 takes at least so many files more than trigger one to the base level: RocksDB's
/// `LevelCompactionBuilder::PickIntraL0Compaction`.
const WITHIN_L0: f64 = 2.0;

impl Tree {
    /// The next memtables to flush: all that are full, into one file (`MemTableList::PickMemtablesToFlush`).
    pub(crate) fn pick_flush(&mut self) -> Option<Flush> {
        let picked = self.full.iter().skip(self.flushing);
        let (memtables, raw) = (picked.len(), picked.clone().sum());
        let kept: f64 = picked.map(|raw| self.shape.overwrites.kept(*raw)).sum();
        if memtables == 0 {
            return None;
        }
        self.flushing += memtables;
        let out = kept * self.shape.in_tree * self.shape.ratios.on_level(0, self.sizes().base);
        Some(Flush { memtables, raw, out, dropped: raw - kept })
    }

    /// A flush is done. They end in order, or count as if.
    pub(crate) fn flushed(&mut self, flush: Flush) {
        self.full.drain(..flush.memtables.min(self.full.len()));
        self.flushing -= flush.memtables;
        self.dropped += flush.dropped;
        self.l0.push_back(flush.out);
    }

    /// The most urgent compaction that may run beside those that do; none if none is due.
    pub(crate) fn pick(&mut self) -> Option<Pick> {
        let sizes = self.sizes();
        let scores = self.scores(&sizes);
        let mut order: Vec<usize> = (0..LAST).filter(|level| scores[*level] >= 1.0).collect();
        order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]));
        let mut held_up = false;
        for level in order {
            let pick = match level {
                0 => {
                    let pick = self.l0_to(sizes.base);
                    held_up |= pick.is_none();
                    pick.or_else(|| self.within_l0())
                }
                // Else L0, which needs the whole base level, would never get its turn.
                level if level == sizes.base && held_up => None,
                level => self.down(level, sizes.base),
            };
            if let Some(pick) = pick {
                self.running[level] += 1;
                self.levels[level].moving += pick.upper * f64::from(u8::from(level > 0));
                self.l0_moving += pick.files;
                return Some(pick);
            }
        }
        None
    }

    /// All files of L0 with the whole base level: nothing else may touch either.
    fn l0_to(&self, base: usize) -> Option<Pick> {
        if self.running[0] > 0 || self.running[base] > 0 || self.l0.is_empty() {
            return None;
        }
        let upper = self.l0.iter().sum();
        Some(self.merge(0, base, (upper, self.l0.len()), self.levels[base].bytes, base))
    }

    /// Files of L0 into one, while those before them are on their way to the base level.
    fn within_l0(&self) -> Option<Pick> {
        let files = self.l0.len() - self.l0_moving;
        if self.l0_moving == 0 || self.running[0] > 1 || (files as f64) < self.shape.l0_trigger + WITHIN_L0 {
            return None;
        }
        let upper: f64 = self.l0.iter().skip(self.l0_moving).sum();
        let raw = upper / self.shape.ratios.on_level(0, self.sizes().base);
        Some(Pick { level: 0, to: 0, files, upper, lower: 0.0, out: upper, raw, dropped: 0.0 })
    }

    /// One file to the next level.
    fn down(&self, level: usize, base: usize) -> Option<Pick> {
        let still = self.levels[level].bytes - self.levels[level].moving;
        // L0 takes the whole base level with it.
        if still <= 0.0 || (level == base && self.running[0] > 0) {
            return None;
        }
        let upper = still.min(self.shape.file_size);
        let below = self.levels[level + 1].bytes;
        let lower = (upper * self.shape.overlap * below / self.levels[level].bytes).min(below);
        Some(self.merge(level, level + 1, (upper, 0), lower, base))
    }

    fn merge(&self, level: usize, to: usize, (upper, files): (f64, usize), lower: f64, base: usize) -> Pick {
        let ratio = |level| self.shape.ratios.on_level(level, base);
        let raw = upper / ratio(level);
        let below = self.levels[to].bytes / ratio(to);
        // A batch from L0 covers all keys; a file further down covers a part of them, as does what it meets.
        let all_of_level = if level == 0 { raw } else { self.levels[level].bytes / ratio(level) };
        let whole = 1.0 / self.shape.in_tree;
        let dropped = raw * self.shape.overwrites.replaced(all_of_level * whole, below * whole, to == LAST);
        let dropped = dropped.min(below);
        let out = (raw - dropped) * ratio(to) + lower;
        Pick { level, to, files, upper, lower, out, raw: raw + lower / ratio(to), dropped }
    }

    /// A compaction is done.
    pub(crate) fn compacted(&mut self, pick: Pick) {
        self.running[pick.level] -= 1;
        self.dropped += pick.dropped;
        if pick.level == 0 {
            let kept = if pick.to == 0 { self.l0_moving - pick.files } else { 0 };
            self.l0.drain(kept..kept + pick.files);
            self.l0_moving -= pick.files;
        } else {
            let level = &mut self.levels[pick.level];
            level.bytes = (level.bytes - pick.upper).max(0.0);
            level.moving = (level.moving - pick.upper).max(0.0);
        }
        if pick.to == 0 {
            self.l0.insert(self.l0_moving.min(self.l0.len()), pick.out);
        } else {
            let to = &mut self.levels[pick.to];
            to.bytes = (to.bytes + pick.out - pick.lower).max(0.0);
        }
        self.depth = super::depth(&self.levels);
    }

    /// Raw bytes that newer ones replaced.
    #[cfg(test)]
    pub(crate) fn dropped(&self) -> f64 {
        self.dropped
    }

    /// The levels' sizes, L0 first.
    #[cfg(test)]
    pub(crate) fn level_bytes(&self) -> [f64; super::LEVELS] {
        let mut bytes = self.levels.map(|level| level.bytes);
        bytes[0] = self.l0.iter().sum();
        bytes
    }
}
