#![no_main]

#[path = "../checks/timeline.rs"]
mod check;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| check::timeline(bytes));
