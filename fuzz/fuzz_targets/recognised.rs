#![no_main]

#[path = "../checks/any_format.rs"]
#[allow(dead_code, reason = "one check of several")]
mod check;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| check::recognised(bytes));
