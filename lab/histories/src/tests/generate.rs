//! Histories that a real register made: every operation takes effect at an instant between its call and its answer.

use std::collections::VecDeque;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::{CallOutcome, RegisterCall, TimedCall};

/// What a history is like.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    pub(super) clients: u32,
    /// For each client.
    pub(super) operations: u32,
    /// Steps of an operation, and pauses, take up to so many instants.
    pub(super) slowness: u64,
    /// Of how many values writers choose; none means that every value is written once.
    pub(super) values: Option<u32>,
    /// Share of the operations without an answer.
    pub(super) unknown: f64,
    /// Share of the writes that are deletes.
    pub(super) deletes: f64,
    /// Share of the operations that write.
    pub(super) writes: f64,
}

/// A history of one key that is linearizable.
pub(super) fn made(shape: Shape, seed: u64) -> Vec<TimedCall> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut operations = Vec::new();
    // When each takes effect, if ever.
    let mut effects: Vec<(u64, usize)> = Vec::new();
    for client in 0..shape.clients {
        let mut now = random.random_range(0..=shape.slowness);
        for count in 0..shape.operations {
            let call = call(shape, &format!("c{client}-{count}"), &mut random);
            let called = now;
            let unknown = random.random_bool(shape.unknown);
            // A write that nobody answered may take effect long after, or never.
            let patience = if unknown { 20 * shape.slowness } else { shape.slowness };
            let effect = called + random.random_range(0..=patience);
            let answered = effect + random.random_range(0..=shape.slowness);
            if !unknown || random.random_bool(0.6) {
                effects.push((effect, operations.len()));
            }
            let outcome = if unknown { CallOutcome::Unknown } else { CallOutcome::Done };
            operations.push(TimedCall { client, key: "k".to_owned(), call, outcome, called, answered });
            now = if unknown { called } else { answered } + random.random_range(0..=shape.slowness);
        }
    }
    effects.sort_by_key(|(at, _)| *at);
    let mut holds: Option<String> = None;
    let mut lately: VecDeque<Option<String>> = VecDeque::from([None]);
    for (_, place) in effects {
        let operation = &mut operations[place];
        if let RegisterCall::CompareAndSwap { expected, .. } = &mut operation.call {
            // A client expects what was there lately.
            expected.clone_from(&lately[random.random_range(0..lately.len())]);
        }
        let outcome = act(&operation.call, &mut holds);
        lately.push_front(holds.clone());
        lately.truncate(3);
        if operation.outcome != CallOutcome::Unknown {
            operation.outcome = outcome;
        }
    }
    operations
}

fn call(shape: Shape, unique: &str, random: &mut Xoshiro256PlusPlus) -> RegisterCall {
    let value = shape.values.map_or(unique.to_owned(), |values| format!("v{}", random.random_range(0..values)));
    if !random.random_bool(shape.writes) {
        RegisterCall::Get
    } else if random.random_bool(shape.deletes) {
        RegisterCall::Delete
    } else if random.random_bool(0.3) {
        RegisterCall::CompareAndSwap { expected: None, value }
    } else {
        RegisterCall::Put(value)
    }
}

fn act(call: &RegisterCall, holds: &mut Option<String>) -> CallOutcome {
    match call {
        RegisterCall::Get => CallOutcome::Found(holds.clone()),
        RegisterCall::Put(value) => {
            *holds = Some(value.clone());
            CallOutcome::Done
        }
        RegisterCall::Delete => {
            *holds = None;
            CallOutcome::Done
        }
        RegisterCall::CompareAndSwap { expected, value } => {
            let previous = holds.clone();
            let succeeded = previous == *expected;
            if succeeded {
                *holds = Some(value.clone());
            }
            CallOutcome::Swapped { succeeded, previous }
        }
    }
}
