#![no_main]

#[path = "../checks/events.rs"]
mod check;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| check::events(bytes));
