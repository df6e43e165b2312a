//! The whole program, through its binary.

mod bad_input;
mod bench;
mod columns;
mod commands;
pub(crate) mod common;
mod diagnose;
mod escapes;
mod import;
mod ledger;
mod no_file;
mod prove;
mod render;
mod shared;
mod simulate;
mod supply;
mod terminal;
