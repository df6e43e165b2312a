//! Tests of the crate through its public surface.

mod any_bytes;
mod damaged;
mod drills;
mod ebs;
mod folder;
mod frozen;
mod kills;
mod moments;
mod on_its_way;
mod real_drills;
mod trusted;
mod undone;
