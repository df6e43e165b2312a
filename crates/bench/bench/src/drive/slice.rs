//! What one thread saw in one window of time.

use std::collections::BTreeMap;

use timeline::{LatencyHistogram, latencies};
use units::Nanos;

/// Why operations of a kind failed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FailureReason {
    /// Which kind of operation.
    pub kind: usize,
    /// Whether it may have been done all the same.
    pub unknown: bool,
    /// What the database said, without the numbers in it but codes of errors, so that like reasons are counted as one.
    pub words: String,
}

/// What one thread, or all together, saw in a window.
#[derive(Debug, Clone, PartialEq)]
pub struct WindowSlice {
    /// Which window, from 0.
    pub index: u64,
    /// Its start; it lasts as long as every other.
    pub from: Nanos,
    /// Its end.
    pub until: Nanos,
    /// Latencies of what succeeded, from the intended start, for each kind.
    pub latencies: Vec<LatencyHistogram>,
    /// The sum of these latencies, of all kinds.
    pub sum: u128,
    /// What failed.
    pub failures: BTreeMap<FailureReason, u64>,
    /// Rows that were added.
    pub added: u64,
    /// Rows that were read.
    pub found: u64,
    /// Rows that were asked for and not there.
    pub missing: u64,
    /// Bytes of keys and values that were written.
    pub written: u64,
    /// How much later than intended operations were sent.
    pub lateness: LatencyHistogram,
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

impl WindowSlice {
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
        self.latencies.iter().map(LatencyHistogram::len).sum()
    }

    /// Operations that failed.
    pub fn failed(&self) -> u64 {
        self.failures.values().sum()
    }

    /// An operation of this kind failed.
    pub(crate) fn fail(&mut self, kind: usize, unknown: bool, words: &str) {
        let mut reason = FailureReason { kind, unknown, words: without_values(words) };
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
pub(crate) fn add(own: &mut LatencyHistogram, others: &LatencyHistogram) {
    let added = own.add(others);
    debug_assert!(added.is_ok(), "{added:?}");
}

/// As [`add`].
pub(crate) fn record(latency: &mut LatencyHistogram, nanos: u64) {
    let recorded = latency.record(nanos);
    debug_assert!(recorded.is_ok(), "{recorded:?}");
}

/// What stands before the code of an error, in any case.
const BEFORE_CODES: [&str; 6] = ["error ", "error: ", "errno ", "errno: ", "code: ", "code="];

/// Digits become `#`: addresses, region numbers and times make every reason look different. The code of an error stays, with its
/// SQL state: `ERROR 1142 (42000)`, `[kv:9007]`.
fn without_values(words: &str) -> String {
    let words: String = words.chars().take(LONGEST).collect();
    let (mut short, mut rest) = (String::new(), words.as_str());
    while let Some(first) = rest.chars().next() {
        let fresh = !short.ends_with(|last: char| last.is_alphanumeric());
        let code = if fresh { code(rest) } else { 0 };
        if code > 0 {
            short += &rest[..code];
            rest = &rest[code..];
            continue;
        }
        if !first.is_ascii_digit() {
            short.push(first);
        } else if !short.ends_with('#') {
            short.push('#');
        }
        rest = &rest[first.len_utf8()..];
    }
    short
}

/// How long a code is that a text begins with, with what stands before it and its SQL state; 0 for none.
fn code(text: &str) -> usize {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    if let Some((class, rest)) = text.strip_prefix('[').and_then(|rest| rest.split_once(':')) {
        let length = digits(rest);
        let whole =
            length > 0 && rest[length..].starts_with(']') && class.bytes().all(|letter| letter.is_ascii_alphabetic());
        return if whole { class.len() + length + 3 } else { 0 };
    }
    let starts = |before: &&&str| text.get(..before.len()).is_some_and(|start| start.eq_ignore_ascii_case(before));
    let Some(before) = BEFORE_CODES.iter().find(starts) else { return 0 };
    let length = before.len() + digits(&text[before.len()..]);
    if length == before.len() {
        return 0;
    }
    let state = text.get(length..length + 8).filter(|state| {
        let inside = state.strip_prefix(" (").and_then(|state| state.strip_suffix(')'));
        inside.is_some_and(|inside| inside.bytes().all(|letter| letter.is_ascii_alphanumeric()))
    });
    length + state.map_or(0, str::len)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn like_reasons_are_counted_as_one_and_many_are_bounded() {
        let mut slice = WindowSlice::new(0, Nanos::secs(1), 1);
        slice.fail(0, false, "region 17 has no leader");
        slice.fail(0, false, "region 4 has no leader");
        assert_eq!(slice.failures.len(), 1);
        (0..1000u32).for_each(|number| slice.fail(0, true, &"x".repeat(number as usize % 150)));
        assert!(slice.failures.len() <= MOST_REASONS + 1);
        assert_eq!(slice.failed(), 1002);
    }

    #[test]
    fn values_are_masked_and_codes_of_errors_stay() {
        for (said, kept) in [
            ("ERROR 1142 (42000): INSERT denied to u1@10.0.0.7", "ERROR 1142 (42000): INSERT denied to u#@#.#.#.#"),
            ("ERROR 1146 (42S02): Table 't7' is missing", "ERROR 1146 (42S02): Table 't#' is missing"),
            (
                "ERROR 9007 (HY000): [kv:9007]Write conflict, ts=449",
                "ERROR 9007 (HY000): [kv:9007]Write conflict, ts=#",
            ),
            (
                "Error writing file (errno: 28 \"No space left\"), 3 bytes",
                "Error writing file (errno: 28 \"No space left\"), # bytes",
            ),
            ("errors 17 and code 9", "errors # and code #"),
            ("[1:2] [a:b] [a:12", "[#:#] [a:b] [a:#"),
            ("ERROR", "ERROR"),
            ("é 1é error 5é", "é #é error 5é"),
        ] {
            assert_eq!(without_values(said), kept);
        }
        assert_eq!(without_values(&"é9".repeat(LONGEST)).chars().count(), LONGEST, "the longest that is kept");
    }

    #[test]
    fn backlogs_of_threads_add_up_and_those_of_windows_follow_each_other() {
        let of = |index, backlog| WindowSlice { backlog, ..WindowSlice::new(index, Nanos::secs(1), 1) };
        let mut all = of(0, 3);
        all.merge(&of(0, 4));
        assert_eq!(all.backlog, 7);
        all.merge(&of(1, 2));
        assert_eq!((all.backlog, all.until), (2, Nanos::secs(2)));
    }
}
