//! Compressed over raw size of a block, by level.

use deployment::Compression;

use super::LAST;
use crate::Constants;

/// Compressed over raw size of a block under LZ4 and Zstandard, and what is used where.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Ratios {
    lz4: f64,
    zstd: f64,
    compression: Compression,
}

impl Ratios {
    /// Of data with LZ4 ratio `lz4` at 64 KiB, in blocks of `block` bytes. As the engine's analytic form has it.
    pub(crate) fn new(lz4: f64, block: f64, compression: Compression, c: &Constants) -> Self {
        let penalty = 1.0 + c.small_block_penalty * (65536.0 / block).log2();
        let ratio = |r: f64| (r * penalty).clamp(0.05, 1.0);
        Self { lz4: ratio(lz4), zstd: ratio(lz4.powf(c.zstd_exponent)), compression }
    }

    /// On a level of a tree whose base level is `base`. TiKV's default list is no, no, lz4, lz4, lz4, zstd, zstd: with dynamic
    /// level sizes its first two are for L0 and the base level, and the last level is Zstandard whatever its place.
    pub(crate) fn on_level(&self, level: usize, base: usize) -> f64 {
        match self.compression {
            Compression::None => 1.0,
            Compression::Zstd => self.zstd,
            Compression::Default if level == LAST => self.zstd,
            Compression::Default if level <= base => 1.0,
            Compression::Default => self.lz4,
        }
    }

    /// Of the data at rest, nine tenths of which are on the last level.
    pub(crate) fn at_rest(&self) -> f64 {
        match self.compression {
            Compression::None => 1.0,
            Compression::Zstd => self.zstd,
            Compression::Default => 0.9 * self.zstd + 0.1 * self.lz4,
        }
    }
}
