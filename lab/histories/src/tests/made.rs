//! What a register did is linearizable, and found to be so fast.

use proptest::prelude::*;

use super::generate::{Shape, made};
use super::verdict;
use crate::check::decide;
use crate::search::Found;
use crate::steps::{OPEN, Register};
use crate::{CheckLimits, HistoryVerdict, TimedCall};

prop_compose! {
    fn shapes()(
        clients in 1u32..12, operations in 1u32..60, slowness in 1u64..40, values in prop::option::of(2u32..5),
        unknown in 0.0..0.2, deletes in 0.0..0.4, writes in 0.1..0.9,
    ) -> Shape {
        Shape { clients, operations, slowness, values, unknown, deletes, writes }
    }
}

proptest! {
    #[test]
    fn what_a_register_did_is_linearizable(mut shape in shapes(), seed: u64) {
        // Few values many times over are hard; real histories write every value once.
        if shape.values.is_some() {
            shape.operations = shape.operations.min(12);
            shape.clients = shape.clients.min(6);
        }
        prop_assert_eq!(verdict(&made(shape, seed)), HistoryVerdict::Linearizable);
    }

    #[test]
    fn every_beginning_of_what_a_register_did_is_linearizable(shape in shapes(), seed: u64, until in 0u64..2000) {
        let shape = Shape { values: None, ..shape };
        let operations = made(shape, seed);
        let register = Register::new(operations.iter().collect());
        prop_assert_eq!(decide(register.steps(until), register.values(), CheckLimits::default()), Found::Order);
    }
}

/// The tries that a history needs, as a power of two.
fn tries(operations: &[TimedCall]) -> Option<usize> {
    let register = Register::new(operations.iter().collect());
    (0..24)
        .map(|power| 1 << power)
        .find(|tries| decide(register.steps(OPEN), register.values(), CheckLimits { tries: *tries }) == Found::Order)
}

#[test]
fn thousands_of_contended_operations_with_unknown_outcomes_take_about_one_try_each() {
    for (seed, writes) in [(1, 0.2), (2, 0.5), (3, 0.8)] {
        let shape =
            Shape { clients: 16, operations: 400, slowness: 1000, values: None, unknown: 0.03, deletes: 0.1, writes };
        let operations = made(shape, seed);
        let tries = tries(&operations);
        assert!(tries.is_some_and(|tries| tries <= 4 * operations.len()), "{writes}: {tries:?}");
    }
}

#[test]
fn too_many_possibilities_are_told_as_such() {
    let shape =
        Shape { clients: 16, operations: 100, slowness: 1000, values: None, unknown: 0.0, deletes: 0.1, writes: 0.5 };
    let history = made(shape, 1).into_iter().collect();
    let verdict = crate::check(&history, CheckLimits { tries: 10 });
    let HistoryVerdict::Undecided(undecided) = &verdict else { panic!("{verdict}") };
    assert_eq!((undecided.operations, undecided.tries), (1600, 10));
    assert!(verdict.to_string().contains("write every value only once"));
}
