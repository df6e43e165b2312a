//! The shape of a levelled tree and what it costs to keep it.

use deployment::Compression;

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

/// Compressed over raw size of a block under LZ4 and Zstandard.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Ratios {
    lz4: f64,
    zstd: f64,
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
    pub(crate) fn amplification(self, ratios: Ratios, compression: Compression, c: &Tikv) -> Amplification {
        let flush = ratios.on_level(0, self.levels, compression);
        // L0 is merged with the whole base level once it has its trigger's number of files.
        let l0 = c.memtable * c.l0_trigger;
        let into_base = 1.0 + self.base / l0;
        let mut written = flush;
        let mut read = 0.0;
        for level in 1..=self.levels {
            let moved = if level == 1 { into_base } else { 1.0 + c.overlap * c.level_multiplier };
            written += moved * ratios.on_level(level, self.levels, compression);
            // One byte from the level above, the rest from this one.
            read += ratios.on_level(level - 1, self.levels, compression)
                + (moved - 1.0) * ratios.on_level(level, self.levels, compression);
        }
        Amplification { written, read }
    }
}

impl Ratios {
    /// Ratios of data with LZ4 ratio `lz4` at 64 KiB in blocks of `block` bytes.
    pub(crate) fn new(lz4: f64, block: f64, c: &Tikv) -> Self {
        let penalty = 1.0 + c.small_block_penalty * (65536.0 / block).log2();
        let ratio = |r: f64| (r * penalty).clamp(0.05, 1.0);
        Self { lz4: ratio(lz4), zstd: ratio(lz4.powf(c.zstd_exponent)) }
    }

    /// The ratio on a level of the tree, L0 being 0 and `last` the last.
    ///
    /// TiKV's default list is no, no, lz4, lz4, lz4, zstd, zstd; with dynamic level sizes its second entry is for the base
    /// level, and the last level is Zstandard whatever its number (bottommost-level-compression).
    fn on_level(self, level: u32, last: u32, compression: Compression) -> f64 {
        match compression {
            Compression::None => 1.0,
            Compression::Zstd => self.zstd,
            Compression::Default if level == last => self.zstd,
            Compression::Default if level <= 1 => 1.0,
            Compression::Default => self.lz4,
        }
    }

    /// The ratio of the data at rest, nine tenths of which are on the last level.
    pub(crate) fn at_rest(self, compression: Compression) -> f64 {
        match compression {
            Compression::None => 1.0,
            Compression::Zstd => self.zstd,
            Compression::Default => 0.9 * self.zstd + 0.1 * self.lz4,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Calibration;

    fn constants() -> &'static Tikv {
        &Calibration::embedded().tikv
    }

    fn written(gigabytes: f64, lz4: f64, compression: Compression) -> f64 {
        let c = constants();
        Tree::holding(gigabytes * 1e9, c).amplification(Ratios::new(lz4, 65536.0, c), compression, c).written
    }

    #[test]
    fn write_amplification_is_near_ten_at_18_gb_and_grows_slowly_with_size() {
        let (at_18, at_180, at_1800) = (
            written(18.0, 1.0, Compression::None),
            written(180.0, 1.0, Compression::None),
            written(1800.0, 1.0, Compression::None),
        );
        assert!((9.0..11.0).contains(&at_18), "{at_18}");
        assert!(at_18 < at_180 && at_180 < at_1800 && at_1800 < 20.0, "{at_180} {at_1800}");
    }

    #[test]
    fn compression_on_every_level_saves_compaction_bytes() {
        assert!(written(100.0, 0.5, Compression::Zstd) < written(100.0, 0.5, Compression::Default));
        assert!(written(100.0, 0.5, Compression::Default) < written(100.0, 0.5, Compression::None));
        assert_eq!(
            written(100.0, 1.0, Compression::Zstd),
            written(100.0, 1.0, Compression::None),
            "random bytes do not shrink"
        );
    }

    #[test]
    fn smaller_blocks_compress_worse() {
        let c = constants();
        assert!(
            Ratios::new(0.5, 4096.0, c).at_rest(Compression::Default)
                > Ratios::new(0.5, 65536.0, c).at_rest(Compression::Default)
        );
    }
}
