//! Tests of the crate through its public surface.

mod fake_programs;
mod three_nodes;
