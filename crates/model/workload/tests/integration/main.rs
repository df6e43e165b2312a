//! Tests of the crate through its public surface.

// The checks know the crate by the name that the workspace has for it.
extern crate diskwright_workload as workload;

mod any_bytes;
mod bad_input;
mod examples;
