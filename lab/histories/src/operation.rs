//! What a client asked of a register, and what it was told.

use std::fmt;

/// What is asked of the register of a key. A register that was never written holds nothing.
#[derive(Debug, Clone, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RegisterCall {
    /// What does it hold?
    Get,
    /// It shall hold this.
    Put(String),
    /// It shall hold nothing.
    Delete,
    /// It shall hold `value` if it holds `expected`.
    CompareAndSwap {
        /// What it must hold; `None` is nothing.
        expected: Option<String>,
        /// What it shall hold.
        value: String,
    },
}

/// How a call ended.
#[derive(Debug, Clone, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CallOutcome {
    /// A get found this.
    Found(Option<String>),
    /// A put or a delete was done.
    Done,
    /// A compare-and-swap was done, or not.
    Swapped {
        /// Whether the register held what was expected, and holds the new value.
        succeeded: bool,
        /// What it held before.
        previous: Option<String>,
    },
    /// It was certainly not done, nor will it be.
    Refused,
    /// Nobody knows: it may have been done, may be done at any later time, or never.
    Unknown,
}

/// A call and its outcome, with times in nanoseconds since any one instant that is the same for a whole history.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct TimedCall {
    /// Which client made it; for people only, a client may have several operations under way.
    pub client: u32,
    /// Whose register it is about.
    pub key: String,
    /// What was asked.
    pub call: RegisterCall,
    /// What was told.
    pub outcome: CallOutcome,
    /// Just before it was asked.
    pub called: u64,
    /// Just after it was told; of no account if the outcome is unknown.
    pub answered: u64,
}

impl TimedCall {
    /// What is wrong with it, whatever else happened: an answer before the call, or one to another question.
    pub(crate) fn fault(&self) -> Option<String> {
        let fits = match (&self.call, &self.outcome) {
            (_, CallOutcome::Refused | CallOutcome::Unknown) => true,
            (RegisterCall::Get, CallOutcome::Found(_)) => true,
            (RegisterCall::Put(_) | RegisterCall::Delete, CallOutcome::Done) => true,
            (RegisterCall::CompareAndSwap { .. }, CallOutcome::Swapped { .. }) => true,
            (
                RegisterCall::Get | RegisterCall::Put(_) | RegisterCall::Delete | RegisterCall::CompareAndSwap { .. },
                _,
            ) => false,
        };
        if !fits {
            return Some(format!("{} cannot end as {}", Asked(&self.call), Told(&self.outcome)));
        }
        let early = self.answered < self.called && self.outcome != CallOutcome::Unknown;
        early.then(|| format!("it was answered at {} ns, before it was called at {} ns", self.answered, self.called))
    }
}

impl fmt::Display for TimedCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { client, call, outcome, called, answered, .. } = self;
        let until = match outcome {
            CallOutcome::Unknown => "       …".to_owned(),
            _ => Millis(*answered).to_string(),
        };
        write!(f, "{}–{until} ms  client {client}: {} {}", Millis(*called), Asked(call), Told(outcome))
    }
}

/// Nanoseconds, written as milliseconds with three decimals.
pub(crate) struct Millis(pub(crate) u64);

impl fmt::Display for Millis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:>8.3}", self.0 as f64 / 1e6)
    }
}

/// What a register holds, for people.
pub(crate) struct Held<'a>(pub(crate) Option<&'a str>);

impl fmt::Display for Held<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(value) => write!(f, "`{}`", value.escape_debug()),
            None => f.write_str("nothing"),
        }
    }
}

struct Asked<'a>(&'a RegisterCall);

impl fmt::Display for Asked<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            RegisterCall::Get => f.write_str("get"),
            RegisterCall::Put(value) => write!(f, "put {}", Held(Some(value))),
            RegisterCall::Delete => f.write_str("delete"),
            RegisterCall::CompareAndSwap { expected, value } => {
                write!(f, "swap {} for {}", Held(expected.as_deref()), Held(Some(value)))
            }
        }
    }
}

struct Told<'a>(&'a CallOutcome);

impl fmt::Display for Told<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            CallOutcome::Found(value) => write!(f, "found {}", Held(value.as_deref())),
            CallOutcome::Done => f.write_str("was done"),
            CallOutcome::Swapped { succeeded: true, previous } => {
                write!(f, "was done over {}", Held(previous.as_deref()))
            }
            CallOutcome::Swapped { succeeded: false, previous } => write!(f, "found {}", Held(previous.as_deref())),
            CallOutcome::Refused => f.write_str("was refused"),
            CallOutcome::Unknown => f.write_str("got no answer"),
        }
    }
}
