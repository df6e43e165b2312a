#![no_main]

#[path = "../checks/disk.rs"]
mod check;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| check::disk(bytes));
