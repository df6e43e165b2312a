//! Histories that no register can have made are found out, and no others.

use proptest::prelude::*;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::brute::is_linearizable;
use super::generate::{Shape, made};
use super::{decided, get, verdict};
use crate::search::Found;
use crate::{CallOutcome, HistoryVerdict, RegisterCall, TimedCall};

fn unique(clients: u32, operations: u32, unknown: f64) -> Shape {
    Shape { clients, operations, slowness: 20, values: None, unknown, deletes: 0.1, writes: 0.5 }
}

/// Values that were written for certain and then certainly overwritten before the history's end, with that end.
fn overwritten(operations: &[TimedCall]) -> Vec<String> {
    let done =
        |o: &&TimedCall| !matches!(o.outcome, CallOutcome::Unknown | CallOutcome::Swapped { succeeded: false, .. });
    let writes: Vec<&TimedCall> = operations.iter().filter(done).filter(|o| o.call != RegisterCall::Get).collect();
    let followed = |write: &&TimedCall| writes.iter().any(|later| later.called > write.answered);
    let value = |write: &TimedCall| match &write.call {
        RegisterCall::Put(value) | RegisterCall::CompareAndSwap { value, .. } => Some(value.clone()),
        RegisterCall::Get | RegisterCall::Delete => None,
    };
    let first = writes.iter().copied().filter(followed);
    first.filter_map(value).collect()
}

fn end(operations: &[TimedCall]) -> u64 {
    operations.iter().map(|operation| operation.answered).max().unwrap_or(0) + 1
}

fn violated(operations: &[TimedCall]) -> bool {
    decided(operations) == Found::Stuck
}

proptest! {
    #[test]
    fn a_stale_read_is_found(clients in 2u32..16, unknown in 0.0..0.1, seed: u64, which: prop::sample::Index) {
        let mut operations = made(unique(clients, 30, unknown), seed);
        let stale = overwritten(&operations);
        prop_assume!(!stale.is_empty());
        let end = end(&operations);
        operations.push(get(0, end, end + 1, Some(which.get::<String>(&stale).as_str())));
        prop_assert!(violated(&operations));
    }

    #[test]
    fn a_lost_write_is_found(clients in 2u32..16, unknown in 0.0..0.1, seed: u64, which: prop::sample::Index) {
        let mut operations = made(unique(clients, 30, unknown), seed);
        let seen = |o: &TimedCall, value: &str| match &o.outcome {
            CallOutcome::Found(found) | CallOutcome::Swapped { previous: found, .. } => found.as_deref() == Some(value),
            CallOutcome::Done | CallOutcome::Refused | CallOutcome::Unknown => false,
        };
        let writes: Vec<usize> = (0..operations.len()).filter(|place| match &operations[*place].call {
            RegisterCall::Put(value) => operations.iter().any(|o| seen(o, value)),
            _ => false,
        }).collect();
        prop_assume!(!writes.is_empty());
        // It was refused, the client was told, and yet somebody saw its value.
        operations[*which.get(&writes)].outcome = CallOutcome::Refused;
        prop_assert!(violated(&operations));
    }

    #[test]
    fn an_acknowledged_write_that_is_gone_at_the_end_is_found(clients in 2u32..16, unknown in 0.0..0.1, seed: u64) {
        let mut operations = made(unique(clients, 30, unknown), seed);
        operations.retain(|o| o.call != RegisterCall::Delete);
        prop_assume!(operations.iter().any(|o| matches!(o.call, RegisterCall::Put(_)) && o.outcome == CallOutcome::Done));
        let end = end(&operations);
        operations.push(get(0, end, end + 1, None));
        prop_assert!(violated(&operations));
    }

    #[test]
    fn a_value_that_nobody_wrote_is_found(clients in 1u32..16, unknown in 0.0..0.1, seed: u64, which: prop::sample::Index) {
        let mut operations = made(unique(clients, 30, unknown), seed);
        let reads: Vec<usize> =
            (0..operations.len()).filter(|o| matches!(operations[*o].outcome, CallOutcome::Found(_))).collect();
        prop_assume!(!reads.is_empty());
        operations[*which.get(&reads)].outcome = CallOutcome::Found(Some("from nowhere".to_owned()));
        prop_assert!(violated(&operations));
    }

    #[test]
    fn small_histories_with_changed_answers_are_judged_as_by_the_definition(
        clients in 1u32..4, count in 1u32..4, values in 1u32..4, slowness in 1u64..6, seed: u64, changes in 0usize..3,
    ) {
        let unknown = if seed % 2 == 0 { 0.2 } else { 0.0 };
        let shape = Shape { clients, operations: count, slowness, values: Some(values), unknown, deletes: 0.2, writes: 0.6 };
        let mut operations = made(shape, seed);
        operations.truncate(7);
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed ^ 1);
        for _ in 0..changes {
            change(&mut operations, values, &mut random);
        }
        let expected = is_linearizable(&operations);
        prop_assert_eq!(verdict(&operations) == HistoryVerdict::Linearizable, expected, "{:?}", operations);
    }
}

proptest! {
    #[test]
    fn what_a_violation_names_contradicts_itself(clients in 2u32..5, count in 1u32..4, seed: u64, changes in 1usize..4) {
        let shape = Shape { clients, operations: count, slowness: 4, values: None, unknown: 0.1, deletes: 0.2, writes: 0.6 };
        let mut operations = made(shape, seed);
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed ^ 1);
        for _ in 0..changes {
            change(&mut operations, 2, &mut random);
        }
        if let HistoryVerdict::Violated(violation) = verdict(&operations) {
            prop_assert!(violation.core.contains(&violation.answer));
            prop_assert!(violation.since > 0 || !is_linearizable(&violation.core), "{}", violation);
        }
    }
}

/// Another answer, or another time, for one of the operations.
fn change(operations: &mut [TimedCall], values: u32, random: &mut Xoshiro256PlusPlus) {
    let place = random.random_range(0..operations.len());
    let operation = &mut operations[place];
    let number = random.random_range(0..=values);
    let value = (number < values).then(|| format!("v{number}"));
    match &mut operation.outcome {
        CallOutcome::Found(found) => *found = value,
        CallOutcome::Swapped { succeeded, previous } if random.random_bool(0.5) => {
            *previous = value;
            *succeeded ^= random.random_bool(0.3);
        }
        CallOutcome::Done if random.random_bool(0.3) => operation.outcome = CallOutcome::Refused,
        _ => {
            operation.called = operation.called.saturating_sub(random.random_range(0..5));
            operation.answered = operation.called + random.random_range(0..5);
        }
    }
}
