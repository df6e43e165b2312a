//! Tests of the crate through its public surface.

mod constants;
mod tpcc;
