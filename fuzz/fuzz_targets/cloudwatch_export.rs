#![no_main]

#[path = "../checks/cloudwatch_export.rs"]
mod check;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| check::cloudwatch_export(bytes));
