//! Exports of CloudWatch: what is read is valid, and what is not is told on one line.

use ingest::export::{ExportOptions, read};
use textfile::Text;

/// Reads the bytes as CSV or JSON.
pub(crate) fn cloudwatch_export(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match read(&Text::new("export.csv", text), &ExportOptions::default()) {
        Ok(timeline) => timeline.validate().expect("what was read is valid"),
        Err(error) => assert_eq!(error.to_string().lines().count(), 1),
    }
}
