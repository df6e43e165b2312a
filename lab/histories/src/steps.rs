//! The operations on one register as the search sees them: values are numbers, and what cannot matter is gone.

use std::collections::HashMap;

use crate::{CallOutcome, RegisterCall, TimedCall};

/// A value that the register holds.
pub(crate) type Value = u32;

/// The register holds nothing, as at the beginning.
pub(crate) const NOTHING: Value = 0;

/// The answer of a step that has none, or none yet: it may take effect at any later time, or never.
pub(crate) const OPEN: u64 = u64::MAX;

/// What a step asks of the register and does to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Effect {
    /// It holds this.
    Read(Value),
    /// Whatever it holds, it holds this then.
    Write(Value),
    /// It holds the first, then the second.
    Swap(Value, Value),
}

impl Effect {
    /// What the register must hold for it.
    pub(crate) fn needs(self) -> Option<Value> {
        match self {
            Self::Read(value) | Self::Swap(value, _) => Some(value),
            Self::Write(_) => None,
        }
    }

    /// What the register holds after it, if it changes that.
    pub(crate) fn makes(self) -> Option<Value> {
        match self {
            Self::Write(value) | Self::Swap(_, value) => Some(value),
            Self::Read(_) => None,
        }
    }
}

/// An operation that did, or may have done, something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Step {
    /// What it is.
    pub(crate) effect: Effect,
    /// It takes effect at this instant or later.
    pub(crate) called: u64,
    /// It has taken effect by this instant, or [`OPEN`].
    pub(crate) answered: u64,
    /// Which of the operations it is.
    pub(crate) source: usize,
}

/// The operations on one register.
#[derive(Debug)]
pub(crate) struct Register<'a> {
    /// In the order of their calls.
    pub(crate) operations: Vec<&'a TimedCall>,
    numbers: HashMap<&'a str, Value>,
}

impl<'a> Register<'a> {
    /// Of operations that all name the same key.
    pub(crate) fn new(mut operations: Vec<&'a TimedCall>) -> Self {
        operations.sort_by_key(|operation| operation.called);
        let mut numbers = HashMap::new();
        for operation in &operations {
            let (call, outcome) = (&operation.call, &operation.outcome);
            let values: [Option<&str>; 3] = match (call, outcome) {
                (RegisterCall::Put(value), _) => [Some(value), None, None],
                (RegisterCall::CompareAndSwap { expected, value }, CallOutcome::Swapped { previous, .. }) => {
                    [expected.as_deref(), Some(value), previous.as_deref()]
                }
                (RegisterCall::CompareAndSwap { expected, value }, _) => [expected.as_deref(), Some(value), None],
                (RegisterCall::Get, CallOutcome::Found(value)) => [value.as_deref(), None, None],
                (RegisterCall::Get | RegisterCall::Delete, _) => continue,
            };
            for value in values.into_iter().flatten() {
                let next = numbers.len() as Value + 1;
                numbers.entry(value).or_insert(next);
            }
        }
        Self { operations, numbers }
    }

    /// All values are less than this.
    pub(crate) fn values(&self) -> Value {
        self.never() + 1
    }

    /// A value that nobody writes.
    fn never(&self) -> Value {
        self.numbers.len() as Value + 1
    }

    /// The number of a value.
    pub(crate) fn number(&self, value: Option<&str>) -> Value {
        value.map_or(NOTHING, |value| self.numbers.get(value).copied().unwrap_or(self.never()))
    }

    /// What one could see of it at an instant: calls until then, and answers until then. In the order of the calls.
    pub(crate) fn steps(&self, until: u64) -> Vec<Step> {
        let seen = self.operations.iter().enumerate().take_while(|(_, operation)| operation.called <= until);
        seen.filter_map(|(source, operation)| self.step(source, operation, until)).collect()
    }

    fn step(&self, source: usize, operation: &TimedCall, until: u64) -> Option<Step> {
        let TimedCall { call, outcome, called, answered, .. } = operation;
        let (outcome, answered) = match outcome {
            CallOutcome::Refused => return None,
            CallOutcome::Unknown => (&CallOutcome::Unknown, OPEN),
            known if *answered <= until => (known, *answered),
            _ => (&CallOutcome::Unknown, OPEN),
        };
        let effect = match (call, outcome) {
            (RegisterCall::Get, CallOutcome::Found(value)) => Effect::Read(self.number(value.as_deref())),
            // It changes nothing, and nobody knows what it saw.
            (RegisterCall::Get, _) => return None,
            (RegisterCall::Put(value), _) => Effect::Write(self.number(Some(value))),
            (RegisterCall::Delete, _) => Effect::Write(NOTHING),
            (RegisterCall::CompareAndSwap { expected, value }, CallOutcome::Swapped { succeeded, previous }) => {
                match (succeeded, expected == previous) {
                    (true, true) => Effect::Swap(self.number(expected.as_deref()), self.number(Some(value))),
                    (false, false) => Effect::Read(self.number(previous.as_deref())),
                    // The answer contradicts itself: nothing explains it.
                    _ => Effect::Read(self.never()),
                }
            }
            (RegisterCall::CompareAndSwap { expected, value }, _) => {
                Effect::Swap(self.number(expected.as_deref()), self.number(Some(value)))
            }
        };
        Some(Step { effect, called: *called, answered, source })
    }
}
