//! A Timeline's text forms: any bytes are a valid Timeline or an error, and what was read is written and read back the same.
//! Parquet is left to the crate's own tests: its library panics on damaged files, which the reader turns into an error, but
//! the fuzzer takes for a crash.

use timeline::TimelineFormat;

/// Reads, checks, writes and reads again.
pub(crate) fn timeline(bytes: &[u8]) {
    for format in [TimelineFormat::Csv, TimelineFormat::Json] {
        let Ok(read) = format.decode(bytes.to_vec(), "fuzzed") else { continue };
        read.validate().expect("what was read is valid");
        let written = format.encode(&read).expect("what is valid can be written");
        assert_eq!(format.decode(written, "again").expect("what was written can be read"), read);
    }
}
