//! Compressed over raw size of a block, by level.

use deployment::BlockCompression;

/// Compressed over raw size of a block under LZ4 and Zstandard.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CompressionRatios {
    lz4: f64,
    zstd: f64,
}

impl CompressionRatios {
    /// Ratios of data with LZ4 ratio `lz4` at 64 KiB in blocks of `block` bytes, with the constants `small_block_penalty` and
    /// `zstd_exponent` of `tables/tikv.toml`.
    pub fn new(lz4: f64, block: f64, small_block_penalty: f64, zstd_exponent: f64) -> Self {
        let penalty = 1.0 + small_block_penalty * (65536.0 / block).log2();
        let ratio = |r: f64| (r * penalty).clamp(0.05, 1.0);
        Self { lz4: ratio(lz4), zstd: ratio(lz4.powf(zstd_exponent)) }
    }

    /// The ratio on a level of a tree, L0 being 0, `base` the first below it that is used, and `last` the last.
    ///
    /// TiKV's default list is no, no, lz4, lz4, lz4, zstd, zstd; with dynamic level sizes its first two are for L0 and the base
    /// level, and the last level is Zstandard whatever its number (bottommost-level-compression).
    pub fn on_level(self, level: usize, base: usize, last: usize, compression: BlockCompression) -> f64 {
        match compression {
            BlockCompression::None => 1.0,
            BlockCompression::Zstd => self.zstd,
            BlockCompression::Default if level == last => self.zstd,
            BlockCompression::Default if level <= base => 1.0,
            BlockCompression::Default => self.lz4,
        }
    }

    /// The ratio of the data at rest, nine tenths of which are on the last level.
    pub fn at_rest(self, compression: BlockCompression) -> f64 {
        match compression {
            BlockCompression::None => 1.0,
            BlockCompression::Zstd => self.zstd,
            BlockCompression::Default => 0.9 * self.zstd + 0.1 * self.lz4,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::EngineCalibration;

    #[test]
    fn smaller_blocks_compress_worse() {
        let c = &EngineCalibration::embedded().tikv;
        let at_rest = |block: f64| {
            CompressionRatios::new(0.5, block, c.small_block_penalty, c.zstd_exponent)
                .at_rest(BlockCompression::Default)
        };
        assert!(at_rest(4096.0) > at_rest(65536.0));
    }
}
