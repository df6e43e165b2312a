//! Whether a history is linearizable. Each key is checked alone: a history is linearizable if its part on every object
//! is (Herlihy and Wing's theorem of locality).

use std::collections::BTreeMap;

use crate::explain::explain;
use crate::reduce::reduce;
use crate::search::{Found, search};
use crate::steps::{NOTHING, OPEN, Register, Step, Value};
use crate::verdict::{HistoryVerdict, UndecidedKey};
use crate::{History, TimedCall};

/// How much may be tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CheckLimits {
    /// Pairs of operations done and value held, for each search; one takes some 50 bytes. Histories of unique values
    /// need about one for each operation.
    pub tries: usize,
}

impl Default for CheckLimits {
    /// Some 200 MB at most.
    fn default() -> Self {
        Self { tries: 4_000_000 }
    }
}

/// Checks a history. Of several keys that are not linearizable it tells the first.
pub fn check(history: &History, limits: CheckLimits) -> HistoryVerdict {
    let mut keys: BTreeMap<&str, Vec<&TimedCall>> = BTreeMap::new();
    for operation in history.operations() {
        keys.entry(&operation.key).or_default().push(operation);
    }
    let mut undecided = None;
    for (key, operations) in keys {
        let register = Register::new(operations);
        match decide(register.steps(OPEN), register.values(), limits) {
            Found::Order => {}
            Found::Stuck => return HistoryVerdict::Violated(Box::new(explain(key, &register, limits))),
            Found::GaveUp => {
                let (operations, tries) = (register.operations.len(), limits.tries);
                undecided.get_or_insert(UndecidedKey { key: key.to_owned(), operations, tries });
            }
        }
    }
    undecided.map_or(HistoryVerdict::Linearizable, HistoryVerdict::Undecided)
}

/// Whether there is an order of these steps, which are in the order of their calls, from an empty register.
pub(crate) fn decide(steps: Vec<Step>, values: Value, limits: CheckLimits) -> Found {
    decide_from(NOTHING, steps, values, limits)
}

/// The same from a register that holds something.
pub(crate) fn decide_from(first: Value, steps: Vec<Step>, values: Value, limits: CheckLimits) -> Found {
    search(&reduce(steps, first, values), first, values, limits.tries)
}
