//! The ledger: what others published, beside what this program computes, with the error.
//!
//! Ours is always computed, with the facts of the source's day; the ledger's tables hold only what was published.

#![forbid(unsafe_code)]

mod a;
mod b;
mod c;
mod d;
mod disk_runs;
mod engine_runs;
mod innodb_runs;
mod judge;
mod ledger;
mod measured;
mod outcome;
mod pd_runs;
mod piloted;
mod recipe;
mod rendered;
mod run;
mod simulated;
mod studied;
mod verdicts;

pub use judge::{ClaimJudgement, ClaimValue, Tolerance, UnknownTolerance, judge};
pub use ledger::{Claim, ClaimShortfall, ClaimSource, Rung, claims, shortfalls, sources};
pub use measured::ClaimTestBed;
pub use outcome::{ClaimOutcome, median_error};
pub use run::{ClaimContext, ClaimError, measure, on_rung, run};
