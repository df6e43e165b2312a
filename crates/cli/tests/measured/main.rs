//! Tests through the binary that mount disks or run servers, and measure: one at a time.

use std::sync::{Mutex, MutexGuard, PoisonError};

mod faults;
mod incidents;
mod mounted;
mod nothing_lost;
mod pilot;
mod proved;
mod sql;
mod watched;

static MACHINE: Mutex<()> = Mutex::new(());

/// Waits until no other test has the machine: they count loop devices, keep both cores busy and measure.
fn the_machine() -> MutexGuard<'static, ()> {
    MACHINE.lock().unwrap_or_else(PoisonError::into_inner)
}
