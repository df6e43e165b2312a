//! Tests of the crate through its public surface.

mod batch;
mod common;
mod health;
mod network;
mod raw;
