//! What a check came to, for people.

use std::fmt;

use crate::TimedCall;
use crate::operation::{Held, Millis};

/// Whether a history is linearizable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HistoryVerdict {
    /// It is.
    Linearizable,
    /// It is not, and why.
    Violated(Box<KeyViolation>),
    /// There are too many possibilities to try.
    Undecided(UndecidedKey),
}

/// Why a history is not linearizable: the first answer that nothing explains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyViolation {
    /// Whose register.
    pub key: String,
    /// How many operations on it had been called when the answer came.
    pub calls: usize,
    /// The operation that was answered so.
    pub answer: TimedCall,
    /// What it could have found instead, as far as was tried; `None` is nothing.
    pub possible: Vec<Option<String>>,
    /// What the register held at this instant does not matter for it, nor anything before; 0 is when it held nothing.
    pub since: u64,
    /// Operations after that instant, or under way at it, that contradict each other: among them the one above. In the order
    /// of their calls, after the one that last wrote what the one above found.
    pub core: Vec<TimedCall>,
}

/// A key whose operations leave too much open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UndecidedKey {
    /// The key.
    pub key: String,
    /// How many operations it has.
    pub operations: usize,
    /// How much was tried.
    pub tries: usize,
}

impl fmt::Display for HistoryVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Linearizable => f.write_str("linearizable"),
            Self::Violated(violation) => violation.fmt(f),
            Self::Undecided(undecided) => undecided.fmt(f),
        }
    }
}

impl fmt::Display for KeyViolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { key, calls, answer, possible, since, core } = self;
        writeln!(
            f,
            "key `{}` is not linearizable: no order of the {calls} calls until then explains",
            key.escape_debug()
        )?;
        writeln!(f, "  {answer}")?;
        let possible: Vec<String> = possible.iter().map(|value| Held(value.as_deref()).to_string()).collect();
        match possible.as_slice() {
            [] => {}
            [only] => writeln!(f, "It could only have found {only}.")?,
            several => writeln!(f, "It could have found {}.", several.join(" or "))?,
        }
        if core.len() == 1 {
            return f.write_str("Nothing that was called until then makes it so.");
        }
        match since {
            0 => f.write_str("These contradict each other:")?,
            _ => {
                write!(f, "These contradict each other, whatever it held at {} ms:", Millis(*since).to_string().trim())?
            }
        }
        core.iter().try_for_each(|operation| write!(f, "\n  {operation}"))
    }
}

impl fmt::Display for UndecidedKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { key, operations, tries } = self;
        write!(
            f,
            "key `{}` is undecided: its {operations} operations can be ordered in more than {tries} ways; \
             write every value only once, or fewer a key",
            key.escape_debug()
        )
    }
}
