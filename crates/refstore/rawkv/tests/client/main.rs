//! The client against a cluster in memory that errs on demand.

mod errors;
mod fake;
mod fates;
mod own;
mod requests;
mod start;
mod zones;
