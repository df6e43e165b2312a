//! Tests of the crate through its public surface.

// The checks know the crate by the name that the workspace has for it.
extern crate diskwright_disk as disk;

mod any_bytes;
mod catalogue;
