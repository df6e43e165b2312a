//! Bytes that are no journal, or nearly one.

use proptest::prelude::*;

#[path = "../../../../../fuzz/checks/mutated.rs"]
mod mutated;
#[path = "../../../../../fuzz/checks/pilot_journal.rs"]
mod pilot_journal;

use crate::damaged::lived::lived;

/// Words of a journal, and numbers at which counting ends.
const WORDS: &[&str] = &[
    "\"line\":",
    "\"run\":",
    "\"runs\":",
    "\"turned\":",
    "\"after-run\":null",
    "18446744073709551615",
    "9223372036854775807",
    "0",
    "-1",
    "\n",
    "{",
    "}",
    "\"entry\":\"began\"",
    "\"entry\":\"turned\"",
    "null",
];

fn journals() -> impl Strategy<Value = Vec<u8>> {
    let text: &'static str = Box::leak(lived().1.into_boxed_str());
    mutated::near(vec![text], WORDS.to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    fn whatever_its_bytes_a_journal_is_read_and_told_of(bytes in journals()) {
        pilot_journal::pilot_journal(&bytes);
    }
}

#[test]
fn a_line_of_numbers_that_no_journal_reaches_is_damaged_and_counts_nothing() {
    let text = lived().1;
    let header = text.lines().next().unwrap();
    for (known, number) in [("\"line\":1", "\"line\":"), ("\"runs\":0", "\"runs\":"), ("\"turned\":0", "\"turned\":")] {
        for most in ["18446744073709551615", "99999999999"] {
            assert!(header.contains(known), "{header}");
            let bytes = header.replace(known, &format!("{number}{most}"));
            pilot_journal::pilot_journal(bytes.as_bytes());
        }
    }
}
