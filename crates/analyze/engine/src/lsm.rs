//! The shape of a levelled tree and what it costs to keep it.

use deployment::BlockCompression;

use crate::CompressionRatios;
use crate::calibration::Tikv;

/// A levelled tree with dynamic level sizes in its steady state.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Tree {
    /// Levels under L0 that hold data.
    pub(crate) levels: u32,
    /// Bytes of the first of them.
    pub(crate) base: f64,
}

/// Bytes that the disk sees for one byte put into the tree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Amplification {
    /// Flush and compaction output.
    pub(crate) written: f64,
    /// Compaction input, before the page cache.
    pub(crate) read: f64,
}

impl Tree {
    /// The tree that holds `stored` bytes. The last level holds them, each one above a multiplier less, down to the first
    /// that is not over the base size.
    pub(crate) fn holding(stored: f64, c: &Tikv) -> Self {
        let (mut levels, mut base) = (1, stored.max(1.0));
        while base > c.level_base {
            base /= c.level_multiplier;
            levels += 1;
        }
        Self { levels, base }
    }

    /// What a byte costs on its way from the memtable to the last level.
    pub(crate) fn amplification(
        self,
        ratios: CompressionRatios,
        compression: BlockCompression,
        c: &Tikv,
    ) -> Amplification {
        // L0 and the levels that are used, numbered from the base level on.
        let on_level = |level: u32| ratios.on_level(level as usize, 1, self.levels as usize, compression);
        let flush = on_level(0);
        // L0 is merged with the whole base level once it has its trigger's number of files.
        let l0 = c.memtable * c.l0_trigger;
        let into_base = 1.0 + self.base / l0;
        let mut written = flush;
        let mut read = 0.0;
        for level in 1..=self.levels {
            let moved = if level == 1 { into_base } else { 1.0 + c.overlap * c.level_multiplier };
            written += moved * on_level(level);
            // One byte from the level above, the rest from this one.
            read += on_level(level - 1) + (moved - 1.0) * on_level(level);
        }
        Amplification { written, read }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::EngineCalibration;

    fn constants() -> &'static Tikv {
        &EngineCalibration::embedded().tikv
    }

    fn written(gigabytes: f64, lz4: f64, compression: BlockCompression) -> f64 {
        let c = constants();
        let ratios = CompressionRatios::new(lz4, 65536.0, c.small_block_penalty, c.zstd_exponent);
        Tree::holding(gigabytes * 1e9, c).amplification(ratios, compression, c).written
    }

    #[test]
    fn write_amplification_is_near_ten_at_18_gb_and_grows_slowly_with_size() {
        let (at_18, at_180, at_1800) = (
            written(18.0, 1.0, BlockCompression::None),
            written(180.0, 1.0, BlockCompression::None),
            written(1800.0, 1.0, BlockCompression::None),
        );
        assert!((9.0..11.0).contains(&at_18), "{at_18}");
        assert!(at_18 < at_180 && at_180 < at_1800 && at_1800 < 20.0, "{at_180} {at_1800}");
    }

    #[test]
    fn compression_on_every_level_saves_compaction_bytes() {
        assert!(written(100.0, 0.5, BlockCompression::Zstd) < written(100.0, 0.5, BlockCompression::Default));
        assert!(written(100.0, 0.5, BlockCompression::Default) < written(100.0, 0.5, BlockCompression::None));
        assert_eq!(
            written(100.0, 1.0, BlockCompression::Zstd),
            written(100.0, 1.0, BlockCompression::None),
            "random bytes do not shrink"
        );
    }
}
