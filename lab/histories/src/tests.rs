//! The checker against the plain definition, against histories that real registers made, and against such that none can.

mod brute;
mod exhaustive;
mod explained;
mod files;
mod generate;
mod made;
mod mutated;

use crate::check::decide;
use crate::search::Found;
use crate::steps::{OPEN, Register};
use crate::{CallOutcome, CheckLimits, History, HistoryVerdict, RegisterCall, TimedCall, check};

/// An operation on the key `k`.
fn operation(client: u32, called: u64, answered: u64, call: RegisterCall, outcome: CallOutcome) -> TimedCall {
    TimedCall { client, key: "k".to_owned(), call, outcome, called, answered }
}

fn put(client: u32, called: u64, answered: u64, value: &str) -> TimedCall {
    operation(client, called, answered, RegisterCall::Put(value.to_owned()), CallOutcome::Done)
}

fn get(client: u32, called: u64, answered: u64, found: Option<&str>) -> TimedCall {
    operation(client, called, answered, RegisterCall::Get, CallOutcome::Found(found.map(str::to_owned)))
}

fn verdict(operations: &[TimedCall]) -> HistoryVerdict {
    check(&operations.iter().cloned().collect::<History>(), CheckLimits::default())
}

/// Without the explanation, which takes longer than the search.
fn decided(operations: &[TimedCall]) -> Found {
    let register = Register::new(operations.iter().collect());
    decide(register.steps(OPEN), register.values(), CheckLimits::default())
}
