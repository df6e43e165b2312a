//! The draws of clause 4.3.2, all from one seeded generator.

use std::ops::RangeInclusive;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Draws numbers and strings. The same seed and stream give the same.
#[derive(Debug, Clone)]
pub struct TpccRandom(Xoshiro256PlusPlus);

/// Letters and digits of an a-string (4.3.2.2): sixty-two, so that no character needs quoting in any dialect.
const ALPHANUMERIC: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

impl TpccRandom {
    /// Each `stream` of a seed is independent of the others.
    pub fn new(seed: u64, stream: u64) -> Self {
        // An odd multiplier spreads neighbouring streams over all seeds (Knuth's, TAOCP 3.3.4).
        Self(Xoshiro256PlusPlus::seed_from_u64(seed ^ stream.wrapping_mul(6_364_136_223_846_793_005).rotate_left(17)))
    }

    /// Uniform, both ends included (2.1.5).
    pub fn within(&mut self, range: RangeInclusive<i64>) -> i64 {
        self.0.random_range(range)
    }

    /// True so many times in a hundred.
    pub fn percent(&mut self, percent: i64) -> bool {
        self.within(1..=100) <= percent
    }

    /// Puts a slice into an order drawn from all orders evenly.
    pub fn shuffle<T>(&mut self, slice: &mut [T]) {
        for last in (1..slice.len()).rev() {
            slice.swap(last, self.0.random_range(0..=last));
        }
    }

    /// A random a-string of a length drawn from the range.
    pub fn letters(&mut self, length: RangeInclusive<i64>) -> String {
        self.string(length, ALPHANUMERIC)
    }

    /// A random n-string of a length drawn from the range.
    pub fn digits(&mut self, length: RangeInclusive<i64>) -> String {
        self.string(length, &ALPHANUMERIC[..10])
    }

    fn string(&mut self, length: RangeInclusive<i64>, alphabet: &[u8]) -> String {
        let length = if length.start() == length.end() { *length.start() } else { self.within(length) };
        (0..length).map(|_| char::from(alphabet[self.0.random_range(0..alphabet.len())])).collect()
    }
}
