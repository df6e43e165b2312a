//! Ledgers of published results, and the same results as this program computes, simulates or measures them.
//!
//! A ledger is a folder: tables of claims and sources, and one recipe a claim that says which evaluator answers it from which
//! deployment, workload and settings. One ledger is embedded; [`Ledger::from_folder`] reads another of the same form.

#![forbid(unsafe_code)]

mod combine;
mod error;
mod evaluate;
mod evaluator;
mod files;
mod judge;
mod ledger;
mod ledger_error;
mod outcome;
mod recipe;
mod rows;
mod run;
mod rung;
mod summary;
mod test_bed;
#[cfg(test)]
mod tests;
mod tolerance;
mod value;

pub use error::ClaimError;
pub use judge::{ClaimJudgement, ThresholdDistance, ThresholdReference, judge};
pub use ledger::Ledger;
pub use ledger_error::LedgerError;
pub use outcome::ClaimOutcome;
pub use recipe::EVALUATORS;
pub use rows::{Claim, ClaimShortfall, ClaimSource};
pub use run::{compute, measure};
pub use rung::Rung;
pub use summary::ErrorSummary;
pub use test_bed::ClaimTestBed;
pub use tolerance::{Tolerance, UnknownTolerance};
pub use value::ClaimValue;
