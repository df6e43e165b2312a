#![no_main]

#[path = "../checks/workload.rs"]
mod check;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| check::workload(bytes));
