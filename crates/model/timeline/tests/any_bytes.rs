//! The check of the fuzzer on arbitrary and on nearly valid bytes.

use proptest::prelude::*;

// The checks know the crate by the name that the workspace has for it.
extern crate diskwright_timeline as timeline;

#[path = "../../../../fuzz/checks/mutated.rs"]
mod mutated;
#[path = "../../../../fuzz/checks/timeline.rs"]
mod timeline_check;

const CSV: &str = "series,labels,unit,merge,from_ns,until_ns,value,histogram,about\n\
    read_ops,\"{\"\"disk\"\":\"\"data\"\"}\",Count,sum,0,1000000000,42,,\"{\"\"version\"\":1,\"\"title\"\":\"\"\"\"}\"\n";

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn no_bytes_break_a_timeline(
        bytes in mutated::near(
            vec![CSV, r#"{"about":{"version":1},"series":[{"name":"a","labels":{},"unit":"Count","merge":"sum","points":[]}]}"#],
            vec!["0", "-1", "1e300", "NaN", "9223372036854775807", ",", "\"", "{", "}", "[", "]", "sum", "histogram", "\0", "é", "\n"],
        )
    ) {
        timeline_check::timeline(&bytes);
    }
}
