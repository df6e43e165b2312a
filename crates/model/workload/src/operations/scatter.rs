//! A shuffling of row numbers that takes no memory: so that popular rows lie among the others.

/// A permutation of 0..items: a four-round Feistel network over the next power of four, walked until it falls into the
/// range (Black and Rogaway, "Ciphers with arbitrary finite domains", 2002). Four walks at most in the mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Scatter {
    items: u64,
    half: u32,
}

impl Scatter {
    pub(crate) fn new(items: u64) -> Self {
        let bits = u64::BITS - items.saturating_sub(1).leading_zeros();
        Self { items, half: bits.div_ceil(2).max(1) }
    }

    /// Where row `number` goes; numbers past the items stay where they are.
    pub(crate) fn of(self, number: u64) -> u64 {
        if number >= self.items {
            return number;
        }
        let mut at = self.mix(number);
        while at >= self.items {
            at = self.mix(at);
        }
        at
    }

    fn mix(self, number: u64) -> u64 {
        let mask = (1u64 << self.half) - 1;
        let (mut left, mut right) = (number >> self.half, number & mask);
        for round in 1..=4u64 {
            // The finalizer of SplitMix64 (Steele, Lea, Flood 2014) as the round function.
            let mut hash = right.wrapping_add(round.wrapping_mul(0x9E37_79B9_7F4A_7C15));
            hash = (hash ^ hash >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            hash = (hash ^ hash >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
            (left, right) = (right, left ^ ((hash ^ hash >> 31) & mask));
        }
        left << self.half | right
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_row_is_met_once(items in 1..5000u64) {
            let scatter = Scatter::new(items);
            let mut met: Vec<_> = (0..items).map(|row| scatter.of(row)).collect();
            met.sort_unstable();
            prop_assert!(met.into_iter().eq(0..items));
        }
    }

    #[test]
    fn neighbours_are_parted() {
        let scatter = Scatter::new(1 << 20);
        let close = (0..1000).filter(|row| scatter.of(*row).abs_diff(scatter.of(row + 1)) < 1 << 10).count();
        assert!(close < 20, "{close} of 1000 neighbours are still close; 2 are expected");
    }
}
