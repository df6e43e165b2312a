//! Tests of the crate through its public surface.

mod any;
mod common;
mod host;
mod operator_rules;
mod store;
mod tools;
