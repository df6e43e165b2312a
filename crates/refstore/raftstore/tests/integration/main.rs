//! Tests of the crate through its public surface.

mod chaos;
mod common;
mod faults;
mod nested_groups;
mod three_nodes;
