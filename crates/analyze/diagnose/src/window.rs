//! When something held: the stretch of time in which it did so more than it had to.

use std::ops::Range;

/// The stretch of intervals in which a condition held for at least a `share` of the known ones, chosen so that it holds the
/// most intervals beyond that share: the largest sum where an interval that holds counts `1 − share`, one that does not
/// `−share`, and an unknown one nothing (Kadane's algorithm). `None` if it never held.
pub(crate) fn strongest(holds: impl Iterator<Item = Option<bool>>, share: f64) -> Option<Range<usize>> {
    let (mut best, mut found) = (0.0, None);
    let (mut sum, mut from) = (0.0, 0);
    let mut last_true = 0;
    for (i, holds) in holds.enumerate() {
        if sum <= 0.0 {
            (sum, from) = (0.0, i);
        }
        match holds {
            Some(true) => {
                sum += 1.0 - share;
                last_true = i + 1;
            }
            Some(false) => sum -= share,
            None => {}
        }
        if sum > best && holds == Some(true) {
            (best, found) = (sum, Some(from..last_true));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(text: &str, share: f64) -> Option<Range<usize>> {
        let holds = |c| match c {
            '#' => Some(true),
            '.' => Some(false),
            _ => None,
        };
        strongest(text.chars().map(holds), share)
    }

    #[test]
    fn the_window_is_where_it_holds_and_short_breaks_do_not_end_it() {
        assert_eq!(of("...####...", 0.5), Some(3..7));
        assert_eq!(of("...##.##...#", 0.5), Some(3..8));
        assert_eq!(of("#......####", 0.5), Some(7..11));
        assert_eq!(of("....", 0.5), None);
    }

    #[test]
    fn gaps_neither_hold_nor_break() {
        assert_eq!(of("??##??##??", 0.5), Some(2..8));
    }

    proptest! {
        #[test]
        fn a_window_holds_for_at_least_its_share(holds in prop::collection::vec(any::<Option<bool>>(), 0..60), share in 0.05..0.95f64) {
            if let Some(window) = strongest(holds.iter().copied(), share) {
                let known: Vec<bool> = holds[window].iter().flatten().copied().collect();
                let held = known.iter().filter(|held| **held).count() as f64;
                prop_assert!(held >= share * known.len() as f64);
            } else {
                prop_assert!(!holds.contains(&Some(true)));
            }
        }
    }
}
