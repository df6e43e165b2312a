//! Reads the tables that are built into the program.

use serde::de::DeserializeOwned;

/// The rows of an embedded CSV table.
///
/// # Panics
/// When a row does not fit its type: the table is part of the source, and a test reads every one.
pub(crate) fn rows<T: DeserializeOwned>(text: &'static str) -> impl Iterator<Item = T> {
    csv::Reader::from_reader(text.as_bytes()).into_deserialize().map(|row| row.expect("a row that fits its type"))
}
