//! All histories of three operations.

use super::brute::is_linearizable;
use super::{decided, operation, verdict};
use crate::search::Found;
use crate::{CallOutcome, HistoryVerdict, RegisterCall, TimedCall};

/// Every call with every answer that it can have, on a register of two values.
fn calls() -> Vec<(RegisterCall, CallOutcome)> {
    let values = [None, Some("a".to_owned()), Some("b".to_owned())];
    let mut calls = vec![(RegisterCall::Delete, CallOutcome::Done), (RegisterCall::Delete, CallOutcome::Unknown)];
    for value in &values {
        calls.push((RegisterCall::Get, CallOutcome::Found(value.clone())));
        let Some(written) = value else { continue };
        let put = RegisterCall::Put(written.clone());
        calls.extend([(put.clone(), CallOutcome::Done), (put, CallOutcome::Unknown)]);
        for expected in &values {
            let swap = RegisterCall::CompareAndSwap { expected: expected.clone(), value: written.clone() };
            let failed = values.iter().filter(|previous| *previous != expected);
            let failed = failed.map(|previous| CallOutcome::Swapped { succeeded: false, previous: previous.clone() });
            calls.extend(failed.map(|outcome| (swap.clone(), outcome)));
            calls.push((swap.clone(), CallOutcome::Swapped { succeeded: true, previous: expected.clone() }));
            calls.push((swap, CallOutcome::Unknown));
        }
    }
    calls
}

/// All ways in which three operations can lie in time, as instants of call and answer.
fn times() -> Vec<[(u64, u64); 3]> {
    let mut times = Vec::new();
    let intervals = || (0..6).flat_map(|called| (called + 1..6).map(move |answered| (called, answered)));
    for first in intervals() {
        for second in intervals().filter(|second| second.0 > first.0) {
            for third in intervals().filter(|third| third.0 > second.0) {
                let instants = [first.0, first.1, second.0, second.1, third.0, third.1];
                if (0..6).all(|instant| instants.contains(&instant)) {
                    times.push([first, second, third]);
                }
            }
        }
    }
    times
}

#[test]
fn all_histories_of_three_operations_are_judged_as_by_the_definition() {
    let (calls, times) = (calls(), times());
    assert_eq!(times.len(), 15, "6! / 2!³ / 3! ways");
    let mut linearizable = 0;
    let mut all = 0;
    for first in &calls {
        for second in &calls {
            for third in &calls {
                for time in &times {
                    let three: Vec<TimedCall> = [first, second, third]
                        .iter()
                        .zip(time)
                        .map(|((call, outcome), (from, to))| operation(0, *from, *to, call.clone(), outcome.clone()))
                        .collect();
                    let expected = is_linearizable(&three);
                    let found = decided(&three) == Found::Order;
                    assert_eq!(found, expected, "{three:#?}");
                    all += 1;
                    linearizable += u32::from(expected);
                }
            }
        }
    }
    assert!(linearizable > all / 10 && linearizable < all * 9 / 10, "{linearizable} of {all}");
}

#[test]
fn the_whole_check_agrees_on_histories_of_two_operations() {
    for (first, second) in
        calls().iter().flat_map(|first| calls().into_iter().map(move |second| (first.clone(), second)))
    {
        for time in [[(0, 1), (2, 3)], [(0, 2), (1, 3)], [(0, 3), (1, 2)]] {
            let two = [(&first, time[0]), (&second, time[1])]
                .map(|((call, outcome), (from, to))| operation(0, from, to, call.clone(), outcome.clone()));
            assert_eq!(verdict(&two) == HistoryVerdict::Linearizable, is_linearizable(&two), "{two:#?}");
        }
    }
}
