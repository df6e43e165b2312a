//! The checks of the fuzzer on arbitrary and on nearly valid bytes.

use proptest::prelude::*;

#[path = "../../../../fuzz/checks/maintenance.rs"]
mod maintenance;
#[path = "../../../../fuzz/checks/mutated.rs"]
mod mutated;

fn answers() -> Vec<&'static str> {
    vec![
        "MIGRATE_ON_HOST_MAINTENANCE\n",
        r#"[{"NotBefore":"21 Jan 2019 09:00:43 GMT","NotAfter":"21 Jan 2019 09:17:23 GMT","Code":"system-reboot",
            "Description":"scheduled reboot","EventId":"instance-event-0d59937288b749b32","State":"active"}]"#,
        r#"{"action":"terminate","time":"2017-09-18T08:22:00Z"}"#,
        r#"{"noticeTime":"2020-11-05T08:22:00Z"}"#,
        r#"{"DocumentIncarnation":1,"Events":[{"EventId":"C7061BAC-AFDC-4513-B24B-AA5F13A16123","EventType":"Freeze",
            "ResourceType":"VirtualMachine","Resources":["vm0"],"EventStatus":"Scheduled",
            "NotBefore":"Mon, 19 Sep 2016 18:29:47 GMT","Description":"","EventSource":"Platform",
            "DurationInSeconds":5}]}"#,
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn no_bytes_break_the_notices(
        bytes in mutated::near(
            answers(),
            vec!["0", "-1", "1e300", "99", "\n", "\u{2028}", "[", "]", "{", "}", "\"", ",", "GMT", "Z", "null", "\\u000a", "é"],
        )
    ) {
        maintenance::maintenance(&bytes);
    }
}
