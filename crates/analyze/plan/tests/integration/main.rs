//! Tests of the crate through its public surface.

mod exact;
mod region;
mod regions;
mod small;
