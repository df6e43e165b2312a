#![no_main]

#[path = "../checks/iostat_timeline.rs"]
mod check;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| check::iostat_timeline(bytes));
