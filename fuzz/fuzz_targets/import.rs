#![no_main]

#[path = "../checks/import.rs"]
mod check;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| check::imported(bytes));
