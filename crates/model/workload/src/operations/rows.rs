//! Which rows there are, shared by all who add some.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Counts rows that were given out and rows that are surely there. Readers choose among the latter only: YCSB's
/// `AcknowledgedCounterGenerator`.
#[derive(Debug)]
pub struct RowCounter {
    given: AtomicU64,
    there: AtomicU64,
    most: u64,
    /// Rows that were finished before others with lower numbers, by their start.
    ahead: Mutex<BTreeMap<u64, u64>>,
}

impl RowCounter {
    /// `loaded` rows are there; no more than `most` ever will be.
    pub fn new(loaded: u64, most: u64) -> Self {
        Self {
            given: AtomicU64::new(loaded),
            there: AtomicU64::new(loaded),
            most: most.max(loaded),
            ahead: Mutex::new(BTreeMap::new()),
        }
    }

    /// Numbers for `count` new rows, fewer at the end; `None` if all have been given out.
    pub fn take(&self, count: u64) -> Option<Range<u64>> {
        let next = |given: u64| (given < self.most).then(|| self.most.min(given.saturating_add(count)));
        let from = self.given.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next).ok()?;
        Some(from..self.most.min(from.saturating_add(count)))
    }

    /// The rows were added, or never will be: either way nobody waits for them.
    pub fn finished(&self, rows: Range<u64>) {
        if rows.is_empty() {
            return;
        }
        let mut ahead = self.ahead.lock().unwrap_or_else(PoisonError::into_inner);
        ahead.insert(rows.start, rows.end);
        let mut there = self.there.load(Ordering::Relaxed);
        while let Some(end) = ahead.remove(&there) {
            there = end;
        }
        self.there.store(there, Ordering::Release);
    }

    /// All rows with lower numbers have been finished.
    pub fn there(&self) -> u64 {
        self.there.load(Ordering::Acquire)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_last_rows_are_given_out_once() {
        let rows = RowCounter::new(10, 15);
        assert_eq!(rows.take(3), Some(10..13));
        assert_eq!(rows.take(3), Some(13..15));
        assert_eq!(rows.take(3), None);
    }

    proptest! {
        #[test]
        fn rows_are_there_once_all_before_them_are(
            order in Just((0..20u64).collect::<Vec<_>>()).prop_shuffle(), until in 0..20usize,
        ) {
            let rows = RowCounter::new(100, 1000);
            let taken: Vec<_> = (0..20).map(|_| rows.take(2).unwrap()).collect();
            let mut finished = [false; 20];
            for at in &order[..until] {
                rows.finished(taken[*at as usize].clone());
                finished[*at as usize] = true;
            }
            let first_missing = finished.iter().position(|done| !done).unwrap() as u64;
            prop_assert_eq!(rows.there(), 100 + 2 * first_missing);
        }
    }
}
