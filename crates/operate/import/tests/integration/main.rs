//! Tests of the crate through its public surface.

mod any_bytes;
mod clusters;
mod holes;
