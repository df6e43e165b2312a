//! Values of given sizes that compress as they should.

use bytes::Bytes;
use rand::{Rng, RngExt};
use rand_distr::{Distribution, Zipf};

use crate::WorkloadError;

/// How large values are, in bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ValueSizes {
    /// All the same.
    Constant(u32),
    /// Evenly from the first to the second, both included.
    Uniform(u32, u32),
    /// From the first to the second, small ones most: Zipf's law with exponent 0.99 over their order, as YCSB's
    /// `fieldlengthdistribution=zipfian`.
    Zipfian(u32, u32),
}

/// The exponent of YCSB's `ZipfianGenerator`.
const THETA: f64 = 0.99;

/// The largest value: raft entries hold 8 MiB (TiKV `raftstore.raft-entry-max-size`), with room for keys and for the
/// smaller values, up to 64 KiB of them, that come before it in a batch of the load.
pub(super) const LARGEST: u32 = 8 * 1024 * 1024 - 128 * 1024;

impl ValueSizes {
    /// The mean size in bytes.
    pub fn mean(self) -> f64 {
        match self {
            Self::Constant(size) => f64::from(size),
            Self::Uniform(low, high) => (f64::from(low) + f64::from(high)) / 2.0,
            Self::Zipfian(low, high) => {
                let ranks = f64::from(high.saturating_sub(low)) + 1.0;
                let sum = |theta| crate::skew::harmonic(ranks, theta);
                f64::from(low) - 1.0 + sum(THETA - 1.0) / sum(THETA)
            }
        }
    }

    /// # Errors
    /// When a value would be empty or larger than a raft entry, or the larger size is first.
    pub(super) fn check(self) -> Result<(), WorkloadError> {
        let (low, high) = match self {
            Self::Constant(size) => (size, size),
            Self::Uniform(low, high) | Self::Zipfian(low, high) => (low, high),
        };
        let message = if low > high {
            format!("are from {low} to {high} bytes; expected the smaller first")
        } else if high > LARGEST {
            format!("are up to {high} bytes; expected at most {LARGEST}, which one raft entry holds")
        } else if low == 0 {
            "may be empty; expected at least one byte, since TiKV refuses empty values".to_owned()
        } else {
            return Ok(());
        };
        Err(WorkloadError::new("values", message))
    }
}

/// Makes values.
#[derive(Debug, Clone)]
pub struct ValueGenerator {
    sizes: ValueSizes,
    zipf: Option<Zipf<f64>>,
    compressed: f64,
}

/// Random bytes are repeated within so many: LZ4 finds repetitions at most 64 KiB back, a RocksDB block is often 4 KiB.
const PIECE: usize = 4096;

impl ValueGenerator {
    /// `compressed` is the size under LZ4 over the size uncompressed: 1 for random bytes.
    ///
    /// # Errors
    /// When sizes or share are out of bounds.
    pub fn new(sizes: ValueSizes, compressed: f64) -> Result<Self, WorkloadError> {
        sizes.check()?;
        if !(compressed > 0.0 && compressed <= 1.0) {
            let message = format!("is {compressed}; expected more than zero and at most one (100%)");
            return Err(WorkloadError::new("compressed", message));
        }
        let zipf = match sizes {
            ValueSizes::Zipfian(low, high) => Zipf::new(f64::from(high - low) + 1.0, THETA).ok(),
            _ => None,
        };
        Ok(Self { sizes, zipf, compressed })
    }

    /// The mean size in bytes.
    pub fn mean(&self) -> f64 {
        self.sizes.mean()
    }

    /// The next size.
    pub fn size(&self, random: &mut impl RngExt) -> usize {
        let size = match (self.sizes, &self.zipf) {
            (ValueSizes::Constant(size), _) => size,
            (ValueSizes::Zipfian(low, high), Some(zipf)) => {
                low + (zipf.sample(random) as u32).clamp(1, high - low + 1) - 1
            }
            (ValueSizes::Uniform(low, high) | ValueSizes::Zipfian(low, high), _) => random.random_range(low..=high),
        };
        size as usize
    }

    /// The next value.
    pub fn value(&self, random: &mut impl RngExt) -> Bytes {
        let size = self.size(random);
        self.of_size(size, random)
    }

    /// A value of `size` bytes.
    pub fn of_size(&self, size: usize, random: &mut impl Rng) -> Bytes {
        let mut value = vec![0; size];
        for piece in value.chunks_mut(PIECE) {
            let own = self.own(piece.len());
            let (fresh, rest) = piece.split_at_mut(own);
            random.fill_bytes(fresh);
            for repeated in rest.chunks_mut(own) {
                repeated.copy_from_slice(&fresh[..repeated.len()]);
            }
        }
        Bytes::from(value)
    }

    /// How many bytes of a piece are random. LZ4 writes them as they are, and for the repetition a token, an offset, a
    /// length of one byte per 255 and five last bytes (LZ4 block format).
    fn own(&self, piece: usize) -> usize {
        if self.compressed >= 1.0 {
            return piece.max(1);
        }
        let whole = piece as f64;
        let repetition = 8.0 + whole * (1.0 - self.compressed) / 255.0;
        ((whole * self.compressed - repetition).round() as usize).clamp(1, piece.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operations::statistics::{chi_squared_fits, random};
    use proptest::prelude::*;

    #[test]
    fn sizes_keep_their_mean() {
        let mut random = random(4);
        for sizes in [ValueSizes::Constant(700), ValueSizes::Uniform(10, 2000), ValueSizes::Zipfian(1, 1000)] {
            let values = ValueGenerator::new(sizes, 1.0).unwrap();
            let mean = (0..200_000).map(|_| values.size(&mut random) as f64).sum::<f64>() / 2e5;
            // Deviations are at most 575: six standard errors are 8 bytes.
            assert!((mean - sizes.mean()).abs() < 8.0, "{sizes:?}: {mean}, expected {}", sizes.mean());
        }
    }

    #[test]
    fn zipfian_sizes_follow_zipfs_law() {
        let mut random = random(5);
        let values = ValueGenerator::new(ValueSizes::Zipfian(8, 107), 1.0).unwrap();
        let mut seen = vec![0; 100];
        (0..200_000).for_each(|_| seen[values.size(&mut random) - 8] += 1);
        let all: f64 = (1..=100).map(|k| f64::from(k).powf(-THETA)).sum();
        chi_squared_fits(&seen, &(1..=100).map(|k| f64::from(k).powf(-THETA) / all).collect::<Vec<_>>());
    }

    #[test]
    fn a_value_larger_than_a_raft_entry_is_refused() {
        let error = ValueGenerator::new(ValueSizes::Constant(9_000_000), 1.0).unwrap_err().to_string();
        assert!(error.contains("up to 9000000 bytes; expected at most"), "{error}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn values_compress_to_their_share_under_lz4(size in 256..20_000u32, share in 0.1..1.0f64, seed: u64) {
            let values = ValueGenerator::new(ValueSizes::Constant(size), share).unwrap();
            let mut random = random(seed);
            // A block of values, as a table of RocksDB has it.
            let block: Vec<u8> = (0..8).flat_map(|_| values.value(&mut random)).collect();
            let compressed = lz4_flex::block::compress(&block).len() as f64 / block.len() as f64;
            prop_assert!((compressed - share).abs() < 0.04, "{compressed}, expected {share}");
        }

        #[test]
        fn values_have_the_size_that_was_drawn(low in 1..500u32, more in 0..500u32, share in 0.01..1.0f64, seed: u64) {
            for sizes in [ValueSizes::Uniform(low, low + more), ValueSizes::Zipfian(low, low + more)] {
                let value = ValueGenerator::new(sizes, share).unwrap().value(&mut random(seed));
                prop_assert!((low as usize..=(low + more) as usize).contains(&value.len()));
            }
        }
    }
}
