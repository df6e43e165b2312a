#![no_main]

#[path = "../checks/iostat.rs"]
mod check;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| check::iostat(bytes));
