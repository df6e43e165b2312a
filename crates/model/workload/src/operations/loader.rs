//! Makes what is loaded before the run.

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::generator::stream_of;
use super::recipe::OperationRecipe;

/// Rows one after the other, each with its index entries, in batches.
#[derive(Debug)]
pub struct RowLoader {
    recipe: Arc<OperationRecipe>,
    random: Xoshiro256PlusPlus,
    left: Range<u64>,
}

/// A batch ends after so many bytes: a request that small does not hold up those behind it, and TiKV proposes it whole.
const BATCH_BYTES: usize = 64 * 1024;

/// A batch ends after so many keys, however small.
const BATCH_KEYS: usize = 512;

impl RowLoader {
    pub(crate) fn new(recipe: Arc<OperationRecipe>, seed: u64, rows: Range<u64>) -> Self {
        // The first row differs from loader to loader, so their values do too.
        let random = stream_of(seed ^ rows.start.rotate_left(32) ^ u64::from_le_bytes(*b"the load"), 0);
        Self { recipe, random, left: rows }
    }

    /// Rows that are still to come.
    pub fn left(&self) -> u64 {
        self.left.end - self.left.start
    }

    /// The next keys with their values, and how many rows they are; `None` at the end.
    pub fn batch(&mut self) -> Option<(Vec<(Bytes, Bytes)>, u64)> {
        let (mut pairs, mut bytes, mut rows) = (Vec::new(), 0, 0);
        while bytes < BATCH_BYTES && pairs.len() < BATCH_KEYS {
            let Some(row) = self.left.next() else { break };
            let before = pairs.len();
            self.recipe.row(row, &mut self.random, &mut pairs);
            bytes += pairs[before..].iter().map(|(key, value)| key.len() + value.len()).sum::<usize>();
            rows += 1;
        }
        (rows > 0).then_some((pairs, rows))
    }
}
