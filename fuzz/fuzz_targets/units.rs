#![no_main]

#[path = "../checks/units.rs"]
mod check;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| check::units(bytes));
