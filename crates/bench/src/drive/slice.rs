//! What one thread saw in one window of time.

use std::collections::BTreeMap;

use timeline::{Latency, latencies};
use units::Nanos;

/// Why operations of a kind failed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Reason {
    /// Which kind of operation.
    pub kind: usize,
    /// Whether it may have been done all the same.
    pub unknown: bool,
    /// What the database said, without the numbers in it, so that like reasons are counted as one.
    pub words: String,
}

/// What one thread, or all together, saw in a window.
#[derive(Debug, Clone, PartialEq)]
pub struct Slice {
    /// Which window, from 0.
    pub index: u64,
    /// Its start; it lasts as long as every other.
    pub from: Nanos,
    /// Its end.
    pub until: Nanos,
    /// Latencies of what succeeded, from the intended start, for each kind.
    pub latencies: Vec<Latency>,
    /// The sum of these latencies, of all kinds.
    pub sum: u128,
    /// What failed.
    pub failures: BTreeMap<Reason, u64>,
    /// Rows that were added.
    pub added: u64,
    /// Rows that were read.
    pub found: u64,
    /// Rows that were asked for and not there.
    pub missing: u64,
    /// Bytes of keys and values that were written.
    pub written: u64,
    /// How much later than intended operations were sent.
    pub lateness: Latency,
    /// Arrivals that wait to be sent at the window's end: open loop only.
    pub backlog: u64,
    /// Arrivals that were given up because too many waited.
    pub dropped: u64,
    /// Operations that the database has at the window's end.
    pub in_flight: u64,
    /// Whether there are no more operations and all are over.
    pub ended: bool,
}

/// So many different reasons are kept for a window; what else fails is counted as `others`.
const MOST_REASONS: usize = 64;

/// The longest reason that is kept, in characters.
const LONGEST: usize = 160;

impl Slice {
    /// Nothing seen yet.
    pub fn new(index: u64, window: Nanos, kinds: usize) -> Self {
        Self {
            index,
            from: Nanos(index * window.0),
            until: Nanos((index + 1) * window.0),
            latencies: (0..kinds).map(|_| latencies()).collect(),
            sum: 0,
            failures: BTreeMap::new(),
            added: 0,
            found: 0,
            missing: 0,
            written: 0,
            lateness: latencies(),
            backlog: 0,
            dropped: 0,
            in_flight: 0,
            ended: false,
        }
    }

    /// Operations that succeeded.
    pub fn succeeded(&self) -> u64 {
        self.latencies.iter().map(Latency::len).sum()
    }

    /// Operations that failed.
    pub fn failed(&self) -> u64 {
        self.failures.values().sum()
    }

    /// An operation of this kind failed.
    pub(crate) fn fail(&mut self, kind: usize, unknown: bool, words: &str) {
        let mut reason = Reason { kind, unknown, words: without_numbers(words) };
        if self.failures.len() >= MOST_REASONS && !self.failures.contains_key(&reason) {
            reason.words = "others".to_owned();
        }
        *self.failures.entry(reason).or_default() += 1;
    }

    /// Adds what another thread saw in the same window, or this one in the next: times span both.
    pub fn merge(&mut self, other: &Self) {
        self.from = self.from.min(other.from);
        // Both are of one time: their backlogs add up. Otherwise the later one's counts.
        if other.until > self.until {
            (self.backlog, self.in_flight, self.ended) = (other.backlog, other.in_flight, other.ended);
            self.until = other.until;
        } else {
            self.backlog += other.backlog;
            self.in_flight += other.in_flight;
            self.ended &= other.ended;
        }
        for (own, others) in self.latencies.iter_mut().zip(&other.latencies) {
            add(own, others);
        }
        add(&mut self.lateness, &other.lateness);
        self.sum += other.sum;
        for (reason, count) in &other.failures {
            *self.failures.entry(reason.clone()).or_default() += count;
        }
        self.added += other.added;
        self.found += other.found;
        self.missing += other.missing;
        self.written += other.written;
        self.dropped += other.dropped;
    }
}

/// Histograms of one make grow as needed: adding cannot fail.
pub(crate) fn add(own: &mut Latency, others: &Latency) {
    let added = own.add(others);
    debug_assert!(added.is_ok(), "{added:?}");
}

/// As [`add`].
pub(crate) fn record(latency: &mut Latency, nanos: u64) {
    let recorded = latency.record(nanos);
    debug_assert!(recorded.is_ok(), "{recorded:?}");
}

/// Digits become `#`: addresses, region numbers and times make every reason look different.
fn without_numbers(words: &str) -> String {
    let mut short = String::new();
    for character in words.chars().take(LONGEST) {
        if !character.is_ascii_digit() {
            short.push(character);
        } else if !short.ends_with('#') {
            short.push('#');
        }
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn like_reasons_are_counted_as_one_and_many_are_bounded() {
        let mut slice = Slice::new(0, Nanos::secs(1), 1);
        slice.fail(0, false, "region 17 has no leader");
        slice.fail(0, false, "region 4 has no leader");
        assert_eq!(slice.failures.len(), 1);
        (0..1000u32).for_each(|number| slice.fail(0, true, &"x".repeat(number as usize % 150)));
        assert!(slice.failures.len() <= MOST_REASONS + 1);
        assert_eq!(slice.failed(), 1002);
    }

    #[test]
    fn backlogs_of_threads_add_up_and_those_of_windows_follow_each_other() {
        let of = |index, backlog| Slice { backlog, ..Slice::new(index, Nanos::secs(1), 1) };
        let mut all = of(0, 3);
        all.merge(&of(0, 4));
        assert_eq!(all.backlog, 7);
        all.merge(&of(1, 2));
        assert_eq!((all.backlog, all.until), (2, Nanos::secs(2)));
    }
}
