//! Tests of the crate through its public surface.

mod common;
mod node_restart;
mod one_node;
mod tikv_client;
