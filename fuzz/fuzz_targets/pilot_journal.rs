#![no_main]

#[path = "../checks/pilot_journal.rs"]
mod check;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| check::pilot_journal(bytes));
