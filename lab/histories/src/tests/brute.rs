//! The definition of linearizability, tried in all orders: slow, and plain enough to believe.

use crate::{Call, Operation, Outcome};

/// Whether operations on one key are linearizable.
pub(crate) fn is_linearizable(operations: &[Operation]) -> bool {
    let mut done = vec![false; operations.len()];
    any_order(operations, &mut done, None)
}

fn any_order(operations: &[Operation], done: &mut [bool], holds: Option<&str>) -> bool {
    let answered = |o: &Operation| !matches!(o.outcome, Outcome::Unknown | Outcome::Refused);
    if operations.iter().zip(done.iter()).all(|(operation, done)| *done || !answered(operation)) {
        return true;
    }
    for (place, operation) in operations.iter().enumerate() {
        let preceded =
            |(other, done): (&Operation, &bool)| !done && answered(other) && other.answered < operation.called;
        if done[place] || operation.outcome == Outcome::Refused || operations.iter().zip(done.iter()).any(preceded) {
            continue;
        }
        let Some(after) = act(operation, holds) else { continue };
        done[place] = true;
        if any_order(operations, done, after) {
            return true;
        }
        done[place] = false;
    }
    false
}

/// What the register holds after an operation, if it can have been answered so.
fn act<'a>(operation: &'a Operation, holds: Option<&'a str>) -> Option<Option<&'a str>> {
    match (&operation.call, &operation.outcome) {
        (Call::Get, Outcome::Found(value)) => (value.as_deref() == holds).then_some(holds),
        (Call::Get, _) => Some(holds),
        (Call::Put(value), _) => Some(Some(value)),
        (Call::Delete, _) => Some(None),
        (Call::CompareAndSwap { expected, value }, outcome) => {
            let succeeds = expected.as_deref() == holds;
            let after = if succeeds { Some(value.as_str()) } else { holds };
            let right = match outcome {
                Outcome::Swapped { succeeded, previous } => *succeeded == succeeds && previous.as_deref() == holds,
                _ => true,
            };
            right.then_some(after)
        }
    }
}
