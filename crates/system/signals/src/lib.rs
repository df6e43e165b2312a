//! Ctrl-C and SIGTERM: the first asks a program to end in good order, the second ends it at once. Waits for others are given up
//! when the first comes.

#![forbid(unsafe_code)]

mod signals;
mod stop;

pub use signals::{catch, is_set, pause, wait};
pub use stop::{GivenUp, StopSignal};
