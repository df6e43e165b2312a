//! Histories of operations that clients made at once on registers, one a key, and whether they are linearizable: whether
//! each can have taken effect at one instant between its call and its answer (Herlihy and Wing, "Linearizability: A
//! Correctness Condition for Concurrent Objects", TOPLAS 1990).

#![forbid(unsafe_code)]

mod check;
mod explain;
mod history;
mod operation;
mod recorder;
mod reduce;
mod search;
mod shrink;
mod steps;
#[cfg(test)]
mod tests;
mod verdict;

pub use check::{CheckLimits, check};
pub use history::{History, HistoryError};
pub use operation::{CallOutcome, RegisterCall, TimedCall};
pub use recorder::{CallToken, HistoryRecorder};
pub use verdict::{HistoryVerdict, KeyViolation, UndecidedKey};
