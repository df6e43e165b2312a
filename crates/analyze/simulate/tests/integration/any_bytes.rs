//! The checks of the fuzzer on arbitrary and on nearly valid bytes.

use proptest::prelude::*;

#[path = "../../../../../fuzz/checks/events.rs"]
mod events;
#[path = "../../../../../fuzz/checks/mutated.rs"]
mod mutated;

fn files() -> Vec<&'static str> {
    vec![
        include_str!("../../../../../examples/events.toml"),
        include_str!("../../../../../examples/events-slow-store.toml"),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn no_bytes_break_the_events(
        bytes in mutated::near(
            files(),
            vec!["0", "-1", "1e300", "nan", "n1/", "for", "x", "%", "\n", "[", "]", "=", "\"", "'", "\0", "é", "#", "=="],
        )
    ) {
        events::events(&bytes);
    }
}
