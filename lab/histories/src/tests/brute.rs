//! The definition of linearizability, tried in all orders: slow, and plain enough to believe.

use crate::{CallOutcome, RegisterCall, TimedCall};

/// Whether operations on one key are linearizable.
pub(crate) fn is_linearizable(operations: &[TimedCall]) -> bool {
    let mut done = vec![false; operations.len()];
    any_order(operations, &mut done, None)
}

fn any_order(operations: &[TimedCall], done: &mut [bool], holds: Option<&str>) -> bool {
    let answered = |o: &TimedCall| !matches!(o.outcome, CallOutcome::Unknown | CallOutcome::Refused);
    if operations.iter().zip(done.iter()).all(|(operation, done)| *done || !answered(operation)) {
        return true;
    }
    for (place, operation) in operations.iter().enumerate() {
        let preceded =
            |(other, done): (&TimedCall, &bool)| !done && answered(other) && other.answered < operation.called;
        if done[place] || operation.outcome == CallOutcome::Refused || operations.iter().zip(done.iter()).any(preceded)
        {
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
fn act<'a>(operation: &'a TimedCall, holds: Option<&'a str>) -> Option<Option<&'a str>> {
    match (&operation.call, &operation.outcome) {
        (RegisterCall::Get, CallOutcome::Found(value)) => (value.as_deref() == holds).then_some(holds),
        (RegisterCall::Get, _) => Some(holds),
        (RegisterCall::Put(value), _) => Some(Some(value)),
        (RegisterCall::Delete, _) => Some(None),
        (RegisterCall::CompareAndSwap { expected, value }, outcome) => {
            let succeeds = expected.as_deref() == holds;
            let after = if succeeds { Some(value.as_str()) } else { holds };
            let right = match outcome {
                CallOutcome::Swapped { succeeded, previous } => *succeeded == succeeds && previous.as_deref() == holds,
                _ => true,
            };
            right.then_some(after)
        }
    }
}
