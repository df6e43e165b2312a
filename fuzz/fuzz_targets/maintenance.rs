#![no_main]

#[path = "../checks/maintenance.rs"]
mod check;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| check::maintenance(bytes));
