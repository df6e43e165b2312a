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
use crate::{Call, History, Limits, Operation, Outcome, Verdict, check};

/// An operation on the key `k`.
fn operation(client: u32, called: u64, answered: u64, call: Call, outcome: Outcome) -> Operation {
    Operation { client, key: "k".to_owned(), call, outcome, called, answered }
}

fn put(client: u32, called: u64, answered: u64, value: &str) -> Operation {
    operation(client, called, answered, Call::Put(value.to_owned()), Outcome::Done)
}

fn get(client: u32, called: u64, answered: u64, found: Option<&str>) -> Operation {
    operation(client, called, answered, Call::Get, Outcome::Found(found.map(str::to_owned)))
}

fn verdict(operations: &[Operation]) -> Verdict {
    check(&operations.iter().cloned().collect::<History>(), Limits::default())
}

/// Without the explanation, which takes longer than the search.
fn decided(operations: &[Operation]) -> Found {
    let register = Register::new(operations.iter().collect());
    decide(register.steps(OPEN), register.values(), Limits::default())
}
