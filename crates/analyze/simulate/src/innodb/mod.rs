//! InnoDB event by event: rows that clients add change pages of B-trees in a buffer pool, are made durable by logs whose syncs
//! commits share, and are written back by a page cleaner, twice each.

mod build;
mod clean;
mod clients;
mod cohorts;
mod constants;
mod pace;
mod pages;
mod pool;
mod record;
mod run;
mod server;
mod statement;
mod sync;
#[cfg(test)]
mod tests;
mod world;

pub use constants::InnodbConstants;
pub(crate) use run::{refuse, simulate};
pub use server::{ServerFlavour, ServerVariables, VariableError};
