//! Compressed over raw size of a block, by level of a tree.

use deployment::BlockCompression;

use super::LAST;
use crate::Constants;

/// The engine's ratios, and what is used where.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Ratios {
    ratios: engine::CompressionRatios,
    compression: BlockCompression,
}

impl Ratios {
    /// Of data with LZ4 ratio `lz4` at 64 KiB, in blocks of `block` bytes.
    pub(crate) fn new(lz4: f64, block: f64, compression: BlockCompression, c: &Constants) -> Self {
        Self { ratios: engine::CompressionRatios::new(lz4, block, c.small_block_penalty, c.zstd_exponent), compression }
    }

    /// On a level of a tree whose base level is `base`.
    pub(crate) fn on_level(&self, level: usize, base: usize) -> f64 {
        self.ratios.on_level(level, base, LAST, self.compression)
    }

    /// Of the data at rest.
    pub(crate) fn at_rest(&self) -> f64 {
        self.ratios.at_rest(self.compression)
    }
}
