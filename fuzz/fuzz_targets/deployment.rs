#![no_main]

#[path = "../checks/deployment.rs"]
mod check;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| check::deployment(bytes));
