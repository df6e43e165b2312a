//! Tests of the crate through its public surface.

// The checks know the crate by the name that the workspace has for it.
extern crate diskwright_deployment as deployment;

mod any_bytes;
mod calculations;
mod examples;
mod validation;
