//! Tests of the crate through its public surface.

mod any_bytes;
mod real_prometheus;
mod recognised;
