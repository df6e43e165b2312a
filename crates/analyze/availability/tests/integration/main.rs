//! Tests of the crate through its public surface.

mod limits;
mod monte_carlo;
