#![no_main]

#[path = "../checks/prometheus_answer.rs"]
mod check;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| check::prometheus_answer(bytes));
