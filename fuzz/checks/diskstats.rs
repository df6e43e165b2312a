//! /proc/diskstats: two halves of any text are two samples, and what lies between them is valid.

use ingest::diskstats::{DiskstatsOptions, DiskstatsSample, timeline};
use units::Nanos;

/// Reads the bytes up to an empty line, and those after it.
pub(crate) fn diskstats(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let (one, other) = text.split_once("\n\n").unwrap_or((text, text));
    let samples = [(one, 0), (other, 10)].map(|(text, second)| DiskstatsSample::parse(text, Nanos::secs(second)));
    match samples {
        [Ok(one), Ok(other)] => {
            let timeline =
                timeline(&[one, other], &DiskstatsOptions::default()).expect("what was counted is a Timeline");
            let points = timeline.series.iter().map(|series| series.value(Nanos(0), Nanos::MAX));
            assert!(points.flatten().all(|value| value >= 0.0), "a counter fell");
        }
        [Err(error), _] | [_, Err(error)] => assert_eq!(error.to_string().lines().count(), 1),
    }
}
