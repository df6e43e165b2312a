#![no_main]

#[path = "../checks/diskstats.rs"]
mod check;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| check::diskstats(bytes));
