//! Tests of the crate through its public surface.

mod moto;
mod nobody;
mod pages;
mod token;
