//! Tests of the crate through its public surface.

mod common;
mod data;
mod faults;
mod life;
