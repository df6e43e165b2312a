//! iostat reports as a Timeline: what is read is valid, and what is not is told on one line.

use ingest::iostat::{IostatOptions, read};
use textfile::Text;
use units::Nanos;

/// Reads the bytes as reports of a minute each.
pub(crate) fn iostat_timeline(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let options = IostatOptions { interval: Some(Nanos::secs(60)), ..IostatOptions::default() };
    match read(&Text::new("iostat.txt", text), &options) {
        Ok(timeline) => timeline.validate().expect("what was read is valid"),
        Err(error) => assert_eq!(error.to_string().lines().count(), 1),
    }
}
